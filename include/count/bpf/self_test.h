/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whether the bpf mechanism counts right on this machine. A process that switches in a known way on
 * every CPU (sys/switch_pattern.h) is counted by bpf and by direct at the same time, and both must
 * agree. What is in doubt, since the kernel hides switches, is allowed as a difference, unless it
 * is too much.
 */

#include "count/bpf/mechanism.h"
#include "sys/switch_pattern.h"

/* What the test takes of the mechanism's size while it runs. */
#define SELF_TEST_EVENTS    4
#define SELF_TEST_LANES     BPF_GROUP_LANES(SELF_TEST_EVENTS)
#define SELF_TEST_SLOTS     1
#define SELF_TEST_PROCESSES SWITCH_PATTERN_PROCESSES

enum self_test_outcome {
    SELF_TEST_PASSED,
    SELF_TEST_REFUSED,     /* the program could not be loaded */
    SELF_TEST_NAMESPACE,   /* neither we nor procfs are in the initial PID namespace */
    SELF_TEST_NO_PROCESS,  /* the process could not be made, or was not ready in time */
    SELF_TEST_NOT_COUNTED, /* one of the mechanisms does not count the process */
    SELF_TEST_DIFFERS,     /* the mechanisms disagree about an event */
    SELF_TEST_DOUBTFUL,    /* switches were hidden, and more than MOST_DOUBT is in doubt, or the
                              mechanisms disagree because of it */
    SELF_TEST_OUTCOME_COUNT_,
};

struct self_test {
    enum self_test_outcome outcome;
    enum bpf_refusal refusal; /* SELF_TEST_REFUSED: why it could not be loaded */
    const char *event;        /* SELF_TEST_DIFFERS: the event. Static */
    uint64_t direct, bpf;     /* what each mechanism has counted of it */
};

/* The outcome in words for people, as in "the self-test could not run". Static. */
const char *self_test_text(const struct self_test *test);

/*
 * Tests a mechanism before anything else is counted by it. Afterwards it is as it was before,
 * except for its `doubt`. cpus: the CPUs that are online. procfs_fd: where we are in another PID
 * namespace than the initial one, as in a container, this procfs has to be the host's. It takes
 * about 20 milliseconds; if the outcome is SELF_TEST_DOUBTFUL or SELF_TEST_DIFFERS it is repeated
 * up to five times; at most ten seconds in all. 0 with the result, which is never
 * SELF_TEST_REFUSED, or -ENOMEM.
 */
int self_test_run(const struct perf_ops *ops, const struct cpu_list *cpus, int procfs_fd,
                  struct mechanism *bpf, struct self_test *ret_result);
