/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What was configured by name is obeyed wherever it can be: that much is in doubt, which
 * /metrics tells, is then for the user to judge. That the two disagree is not.
 */
#include "resolve/mechanism_choice.h"

#include "resolve/mechanism_size.h"

/* Permissions, memory and quieter times may come: then it is tested again. */
static bool is_final(const struct self_test *test)
{
    return test->outcome != SELF_TEST_NO_PROCESS && test->outcome != SELF_TEST_NOT_COUNTED &&
           !(test->outcome == SELF_TEST_REFUSED && test->refusal == BPF_REFUSAL_NO_MEMORY);
}

static struct self_test test_bpf(const struct perf_ops *ops, int sysfs_fd, struct mechanism *bpf)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    struct self_test test = {.outcome = SELF_TEST_NO_PROCESS};

    if (cpu_list_read_online(sysfs_fd, &online) >= 0)
        (void)self_test_run(ops, online, bpf, &test);
    return test;
}

struct mechanism_verdict mechanism_judge(const struct perf_ops *ops, int sysfs_fd,
                                         struct mechanism *bpf, enum bpf_refusal refusal)
{
    const struct self_test refused = {.outcome = SELF_TEST_REFUSED, .refusal = refusal};
    const struct self_test test = bpf ? test_bpf(ops, sysfs_fd, bpf) : refused;

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

/* NULL: that is left to the machine. */
static const char *reason_of_config(const struct config *config, bool has_cgroups)
{
    if (config->counting == CONFIG_COUNTING_DIRECT)
        return "configured";
    if (!(config->n_cgroups > 0 && has_cgroups) && config->n_processes == 0)
        return "no cgroup or process is counted";
    return NULL;
}

bool mechanism_is_open(const struct config *config, bool has_cgroups)
{
    return !reason_of_config(config, has_cgroups);
}

struct mechanism_decision mechanism_decide(const struct config *config, int sysfs_fd,
                                           bool has_cgroups, bool v1,
                                           const struct mechanism_verdict *verdict)
{
    struct mechanism_decision decision = {.reason = reason_of_config(config, has_cgroups)};
    const bool obeys =
        config->counting == CONFIG_COUNTING_BPF && (verdict->hides || verdict->is_open);

    if (decision.reason)
        return decision;
    if (verdict->distrust && !obeys) {
        decision.reason = verdict->distrust;
        return decision;
    }
    decision.reason = obeys ? "configured" : self_test_text(&verdict->test);
    if (mechanism_size_for(config, sysfs_fd, v1, &decision.size) < 0)
        decision.reason = "CPUs cannot be read";
    else if (switch_program_bytes(&decision.size) > SWITCH_PROGRAM_MOST_BYTES)
        decision.reason = bpf_refusal_text(BPF_REFUSAL_TOO_LARGE);
    else
        decision.bpf = true;
    return decision;
}

struct mechanism_decision mechanism_foresee(const struct config *config, int sysfs_fd,
                                            bool has_cgroups, bool v1)
{
    AUTO(mechanism) struct mechanism *bpf = NULL;
    struct mechanism_verdict verdict = {0};
    enum bpf_refusal refusal;
    struct mechanism_decision decision =
        mechanism_decide(config, sysfs_fd, has_cgroups, v1, &verdict);

    if (!decision.bpf)
        return decision;
    (void)mechanism_bpf_new(&perf_ops_kernel, &decision.size, &bpf, &refusal);
    verdict = mechanism_judge(&perf_ops_kernel, sysfs_fd, bpf, refusal);
    return mechanism_decide(config, sysfs_fd, has_cgroups, v1, &verdict);
}
