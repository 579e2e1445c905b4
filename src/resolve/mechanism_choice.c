/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bpf mechanism is made for a number of CPUs, of cgroups and of events. One that is too small
 * for a new configuration, or for a machine that has got more CPUs than it could be expected to
 * have, is replaced by a larger one. Else it stays, whatever comes and goes.
 *
 * A mechanism that the configuration names is used wherever it can be: how much is in doubt is
 * told on /metrics, and is then for the user to judge. That bpf and direct do not count the same
 * is no such question: then bpf is never used.
 */
#include "resolve/mechanism_choice.h"

#include "resolve/mechanism_size.h"
#include "sys/process.h"

/* Permissions, memory and quieter times may come: only the other outcomes hold for good. */
static bool is_final(const struct self_test *test)
{
    return test->outcome != SELF_TEST_NO_PROCESS && test->outcome != SELF_TEST_NOT_COUNTED &&
           !(test->outcome == SELF_TEST_REFUSED && test->refusal == BPF_REFUSAL_NO_MEMORY);
}

/* Has both mechanisms count the same. bpf: NULL: it was refused, and that is the verdict. */
static struct mechanism_verdict test_bpf(const struct mechanism_question *question,
                                         struct mechanism *bpf, enum bpf_refusal refusal)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    struct self_test test = {.outcome = SELF_TEST_REFUSED, .refusal = refusal};

    if (bpf) {
        test = (struct self_test){.outcome = SELF_TEST_NO_PROCESS};
        if (cpu_list_read_online(question->sysfs_fd, &online) >= 0)
            (void)self_test_run(&perf_ops_kernel, online, question->procfs_fd, bpf, &test);
    }
    return (struct mechanism_verdict){
        .is_final = is_final(&test),
        .hides = test.outcome == SELF_TEST_DOUBTFUL,
        .is_open = test.outcome == SELF_TEST_NO_PROCESS,
        .distrust = test.outcome == SELF_TEST_PASSED ? NULL : self_test_text(&test),
        .test = test,
    };
}

struct mechanism_verdict mechanism_verdict_of_doubt(void)
{
    const struct self_test test = {.outcome = SELF_TEST_DOUBTFUL};

    return (struct mechanism_verdict){
        .is_final = true, .hides = true, .distrust = self_test_text(&test), .test = test};
}

/* Why the configuration alone makes it direct; NULL: it does not. */
static const char *reason_of_config(const struct config *config, bool has_cgroups)
{
    if (config->counting == CONFIG_COUNTING_DIRECT)
        return "configured";
    if (!(config->n_cgroups > 0 && has_cgroups) && config->n_processes == 0)
        return "no cgroup or process is counted";
    return NULL;
}

const char *mechanism_lacks_descriptors(void)
{
    return "the limit of open files has no room for a bpf program";
}

const char *mechanism_lacks_memory(const struct mechanism_question *question,
                                   const struct switch_program_size *size)
{
    const uint64_t bytes = switch_program_bytes(size) + switch_program_latency_bytes(size);

    return question->most_bytes && bytes > question->most_bytes
               ? "the limit of memory has no room for a bpf program"
               : NULL;
}

/* Whether bpf is to be used, by what is known so far. The choice gets the reason and the size. */
static bool wants_bpf(const struct mechanism_question *question,
                      const struct mechanism_verdict *verdict, struct mechanism_choice *choice)
{
    const struct config *config = question->config;
    const bool is_obeyed =
        config->counting == CONFIG_COUNTING_BPF && (verdict->hides || verdict->is_open);
    const char *lack;

    choice->reason = reason_of_config(config, question->root->fd >= 0);
    choice->is_left_to_machine = !choice->reason;
    if (choice->reason)
        return false;
    if (question->lacks_descriptors) {
        choice->reason = mechanism_lacks_descriptors();
        return false;
    }
    if (verdict->distrust && !is_obeyed) {
        choice->reason = verdict->distrust;
        return false;
    }
    choice->reason = is_obeyed ? "configured" : self_test_text(&verdict->test);
    if (mechanism_size_for(config, question->sysfs_fd, question->procfs_fd, !question->root->v2,
                           &choice->size) < 0) {
        choice->reason = "CPUs cannot be read";
        return false;
    }
    if (verdict->refuses_latencies)
        choice->size.n_latency_slots = 0;
    lack = mechanism_lacks_memory(question, &choice->size);
    if (lack) {
        choice->reason = lack;
        choice->lacks_memory = true;
        return false;
    }
    if (switch_program_bytes(&choice->size) > SWITCH_PROGRAM_MOST_BYTES) {
        choice->reason = bpf_refusal_text(BPF_REFUSAL_TOO_LARGE);
        return false;
    }
    return true;
}

/*
 * A kernel that refuses what latencies take may well accept the rest: *refuses is then set. 0 or
 * -errno.
 */
static int make_with_what_is_taken(struct mechanism_choice *choice, enum bpf_refusal *ret_refusal,
                                   bool *refuses)
{
    int r = mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, ret_refusal);

    if (r >= 0 || choice->size.n_latency_slots == 0)
        return r;
    choice->size.n_latency_slots = 0;
    r = mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, ret_refusal);
    *refuses |= r >= 0;
    return r;
}

/* Makes a mechanism, and, where nothing final is known, tests it. It may come out that it is
 * direct after all. */
static void make_bpf(const struct mechanism_question *question, struct mechanism_verdict *verdict,
                     struct mechanism_choice *choice)
{
    bool refuses_latencies = verdict->refuses_latencies;
    enum bpf_refusal refusal;

    if (make_with_what_is_taken(choice, &refusal, &refuses_latencies) < 0)
        choice->reason = bpf_refusal_text(refusal);
    if (!verdict->is_final) {
        choice->is_tested = true;
        *verdict = test_bpf(question, choice->bpf, refusal);
        verdict->refuses_latencies = refuses_latencies;
        if (!wants_bpf(question, verdict, choice))
            choice->bpf = mechanism_free(choice->bpf);
    }
    verdict->refuses_latencies = refuses_latencies;
    if (choice->bpf && question->config->n_processes > 0 &&
        mechanism_bpf_own_number(choice->bpf) != process_self(question->procfs_fd))
        choice->bpf->counts_processes = false;
}

struct mechanism_choice mechanism_choose(const struct mechanism_question *question,
                                         struct mechanism_verdict *verdict)
{
    /* bpf that was asked for by name counts already: no test would make a difference */
    const bool goes_on = question->running && question->config->counting == CONFIG_COUNTING_BPF;
    const bool wants_test = !verdict->is_final && !goes_on && !question->lacks_descriptors;
    struct mechanism_choice choice = {0};

    if (wants_test)
        *verdict = (struct mechanism_verdict){0};
    if (!wants_bpf(question, verdict, &choice))
        return choice;
    if (question->running && !wants_test &&
        mechanism_size_serves(&question->running_size, &choice.size)) {
        choice.bpf = question->running;
        choice.size = question->running_size;
    } else {
        make_bpf(question, verdict, &choice);
    }
    return choice;
}
