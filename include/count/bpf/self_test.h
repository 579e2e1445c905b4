/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether the bpf mechanism tells the truth on this machine: a process that switches in a known
 * way on every CPU (sys/switch_pattern.h) is counted by it and by direct, over the same moment.
 * What may be one's or another's, since the kernel does not show every switch, is no difference,
 * unless it is too much.
 */

#include "count/bpf/mechanism.h"
#include "sys/switch_pattern.h"

/* What it takes of a mechanism's size, for as long as it runs. */
#define SELF_TEST_EVENTS    4
#define SELF_TEST_LANES     BPF_GROUP_LANES(SELF_TEST_EVENTS)
#define SELF_TEST_SLOTS     1
#define SELF_TEST_PROCESSES SWITCH_PATTERN_PROCESSES

enum self_test_outcome {
    SELF_TEST_PASSED,
    SELF_TEST_REFUSED,     /* there is no program */
    SELF_TEST_NAMESPACE,   /* our numbers of processes are not those of the program */
    SELF_TEST_NO_PROCESS,  /* none could be made, or it did not get ready in time */
    SELF_TEST_NOT_COUNTED, /* one of the two does not count it */
    SELF_TEST_DIFFERS,     /* they disagree about an event */
    SELF_TEST_DOUBTFUL, /* switches were not shown, for more than MOST_DOUBT or to a difference */
    SELF_TEST_OUTCOME_COUNT_,
};

struct self_test {
    enum self_test_outcome outcome;
    enum bpf_refusal refusal; /* SELF_TEST_REFUSED: why */
    const char *event;        /* SELF_TEST_DIFFERS: about which. Static */
    uint64_t direct, bpf;     /* what each has counted of it */
};

/* In words for people, as in "the self-test could not run"; of a refusal its own. Static. */
const char *self_test_text(const struct self_test *test);

/*
 * Tests the mechanism that is to be used, before anything else is counted by it; it is left as it
 * came, but for what it tells of doubt. cpus: those that are online. Takes some 20 milliseconds;
 * where that was in doubt, as long five times. At most ten seconds. 0 with the result, which is not
 * SELF_TEST_REFUSED, or -ENOMEM.
 */
int self_test_run(const struct perf_ops *ops, const struct cpu_list *cpus, struct mechanism *bpf,
                  struct self_test *ret_result);
