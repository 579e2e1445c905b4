/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is printed is what the service would do: the same functions of resolve/ decide, asked for
 * the same scopes. The kernel answers who asks, so a user without the service's rights sees what it
 * refuses to that user.
 */
#include "check/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "check/budget.h"
#include "check/by_domain.h"
#include "check/counting.h"
#include "check/events.h"
#include "check/left_out.h"
#include "check/matches.h"
#include "check/notes.h"
#include "check/spans.h"
#include "check/system_calls.h"
#include "check/uncore.h"
#include "config/config_cgroups.h"
#include "resolve/resolution_decide.h"
#include "resolve/resolution_shown.h"
#include "sys/pmu.h"

/* What is checked, and what it is compared with. */
struct report {
    const char *path;    /* the file, as it is shown */
    const char *writers; /* who besides root and our user may change it; empty: nobody */
    const struct config *config;
    struct object_reader *probes; /* NULL: there are none, or none can be looked into */
    struct event_resolver *resolver;
    struct resolution *resolution;
    struct cpu_domains *domains[CONFIG_BYS_]; /* what the resolution shows */
    struct cgroup_root root;                  /* its fd is -1 where there are no cgroups */
    int sysfs_fd;
    int procfs_fd; /* -1: there is no procfs */
};

static void report_done(struct report *report)
{
    (void)resolution_free(report->resolution);
    for (enum config_by by = 0; by < CONFIG_BYS_; by++)
        (void)cpu_domains_free(report->domains[by]);
    (void)event_resolver_free(report->resolver);
    (void)object_reader_free(report->probes);
    cgroup_root_done(&report->root);
    cleanup_close(&report->sysfs_fd);
    cleanup_close(&report->procfs_fd);
}

static void print_summary(const struct report *report)
{
    const struct config *config = report->config;
    static const char *const by_words[] = {
        [CONFIG_BY_ALL] = "by all", [CONFIG_BY_CPU] = "by cpu", [CONFIG_BY_NODE] = "by node"};
    size_t n_absent, n_events = check_count_events(report->resolution, &n_absent);

    (void)printf("Checking %s\n  SUCCESS: groups: %zu, events: %zu (cannot be counted here: %zu), "
                 "ratios: %zu, system: %s, rules for cgroups: %zu, for processes: %zu\n",
                 report->path, config->n_groups, n_events, n_absent, config->n_ratios,
                 config->system.enabled ? by_words[config->system.by] : "no", config->n_cgroups,
                 config->n_processes);
}

/* Asks the machine as the service would at its start. 0 or -errno. */
static int decide(struct report *report, const struct mechanism *bpf, struct pmu_share *ret_share)
{
    static const struct resolution_predecessor none;
    const struct config *config = report->config;
    AUTO(cpu_list) struct cpu_list *online = NULL, *system_cpus = NULL;
    AUTO(pmu_list) struct pmu_list *pmus = NULL;
    AUTO(cgroup_rules) struct cgroup_rules *rules = NULL;
    struct resolution_machine machine = {
        .perf = &perf_ops_kernel,
        .cgroup_root_fd = report->root.fd,
        .self = getpid(),
        .inherits_threads = resolution_inherits_threads(report->resolution, &perf_ops_kernel),
    };
    int r = cpu_list_read_online(report->sysfs_fd, &online);

    if (r >= 0)
        r = resolution_system_cpus(config, report->sysfs_fd, online, &system_cpus);
    if (r >= 0 && config->n_cgroups > 0)
        r = config_cgroups_make(config, &rules);
    if (r >= 0)
        r = resolution_show_domains(report->resolution, online, report->sysfs_fd,
                                    mechanism_is_shared(bpf, SCOPE_PROCESS), report->domains);
    if (r < 0)
        return r;
    resolution_show_profiles(report->resolution, config->profiles.enabled);
    (void)pmu_list_read(report->sysfs_fd, &pmus); /* where they are unknown nothing needs them */
    machine.pmus = pmus;
    machine.online = online;
    machine.system_cpus = system_cpus;
    machine.cgroup_rules = rules;
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        machine.is_shared[kind] = mechanism_is_shared(bpf, kind);
    return resolution_decide(report->resolution, &machine, &none, ret_share);
}

/* What would be counted, by which mechanism. Returns 0, or the -errno that `undecided` means. */
static int make_decisions(struct report *report, struct mechanism_choice *ret_choice,
                          struct latency_choice *ret_latency, struct pmu_share *ret_share)
{
    const struct mechanism_question question = {
        .config = report->config,
        .sysfs_fd = report->sysfs_fd,
        .procfs_fd = report->procfs_fd,
        .root = &report->root,
    };
    struct mechanism_verdict verdict = {0};

    *ret_choice = mechanism_choose(&question, &verdict);
    *ret_latency = latency_choose(&question, ret_choice, NULL, NULL);
    return decide(report, ret_choice->bpf, ret_share);
}

static void print_decisions(const struct check_result *result)
{
    check_print_counting(result->resolution, result->choice, result->share);
    check_print_latency(result->config, result->latency);
    check_print_profiles(result->config, &result->profiles);
    if (result->undecided < 0) {
        (void)printf("what the kernel lets us count cannot be asked: %s\n",
                     strerror(-result->undecided));
        return;
    }
    check_print_refused(result->resolution);
    check_print_budget(result->resolution, result->share);
    check_print_uncore(result->resolution, result->sysfs_fd);
}

/* 0 or -errno; what can be looked at has been told. */
static int look_at_config(const struct report *report, struct check_output *output)
{
    const struct config *config = report->config;
    int r;

    if (output->prints) {
        print_summary(report);
        check_print_groups(report->resolution);
    }
    r = check_warn_of_unknown_events(output, report->resolution, report->resolver);
    if (r < 0)
        return r;
    check_print_spans(output, report->resolution);
    check_print_system_calls(output, report->config);
    check_print_idle(output, config);
    check_print_hidden(output, config, report->procfs_fd);
    check_note_clocks(output, report->resolution);
    r = check_note_uncore(output, report->resolution);
    if (r < 0)
        return r;
    check_print_root(output, config, report->root.fd);
    check_print_writers(output, report->writers);
    check_print_matches(output, config, &report->root, report->procfs_fd);
    return 0;
}

/* 0 or -errno. */
static int look(struct report *report, const struct check_request *request,
                struct check_output *output)
{
    struct pmu_share share = {0};
    struct mechanism_choice choice = {0};
    struct latency_choice latency = {0};
    AUTO(mechanism) struct mechanism *bpf = NULL;
    struct check_result result = {.output = output,
                                  .config = report->config,
                                  .resolution = report->resolution,
                                  .choice = &choice,
                                  .latency = &latency,
                                  .share = &share,
                                  .sysfs_fd = report->sysfs_fd};
    int r = look_at_config(report, output);

    if (r < 0)
        return r;
    result.undecided = make_decisions(report, &choice, &latency, &share);
    bpf = choice.bpf;
    result.profiles = check_profiles_find(report->config);
    if (output->prints)
        print_decisions(&result);
    if (result.undecided >= 0)
        check_print_by_domain(output, report->resolution);
    if (!bpf)
        check_note_cost_of_direct(output, report->resolution);
    r = check_print_process_rules(output, report->config);
    if (r >= 0)
        r = check_print_names(output, report->config);
    if (r >= 0 && output->failed)
        r = -ENOMEM;
    if (r >= 0 && request->finish)
        r = request->finish(request->object, &result);
    if (latency.is_own)
        (void)mechanism_free(latency.mechanism);
    return r;
}

/*
 * Opens what the configuration is compared with. A machine without a file system of cgroups is no
 * error: it is said where the rules are printed.
 */
static int open_machine(struct report *report, const char *sysfs)
{
    int r;

    if (cgroup_root_open(NULL, &report->root) < 0)
        report->root.fd = -1;
    report->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    report->sysfs_fd = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (report->sysfs_fd < 0) {
        r = -errno;
        (void)fprintf(stderr, "%s: %s\n", sysfs, strerror(-r));
        return r;
    }
    if (report->config->n_probes > 0)
        (void)probe_reader_new(&report->probes);
    r = event_resolver_new(report->sysfs_fd, &report->resolver);
    if (r >= 0) {
        event_resolver_encode_absent(report->resolver);
        event_resolver_set_reader(report->resolver, report->probes);
    }
    if (r >= 0)
        r = resolution_new(report->config, report->resolver, &report->resolution);
    if (r < 0)
        (void)fprintf(stderr, "%s: %s\n", report->path, strerror(-r));
    return r;
}

void check_print_failure(const char *path, int r, const struct config_error *error)
{
    AUTO_TEXT struct text text = {0};

    config_describe_failure(path, r, error, &text);
    (void)fwrite(text.data, 1, text.length, stderr);
}

int check_report(const struct check_request *request)
{
    AUTO(object_reader) struct object_reader *reader = NULL;
    AUTO(config) struct config *config = NULL;
    struct config_writers writers;
    struct config_error error = {0};
    struct report report __attribute__((cleanup(report_done))) = {
        .root = {.fd = -1}, .sysfs_fd = -1, .procfs_fd = -1};
    struct check_output output __attribute__((cleanup(check_output_done))) = {
        .path = request->path, .prints = request->prints};
    int r = config_reader_new("config", &reader);

    if (r >= 0)
        r = config_load(reader, request->path, request->may_be_absent, &config, &writers, &error);
    if (r < 0 && request->fail)
        request->fail(request->object, request->path, r, &error);
    else if (r < 0)
        check_print_failure(request->path, r, &error);
    if (r < 0)
        return EXIT_BAD_CONFIG;
    if (r == CONFIG_IS_DEFAULT)
        output.path = "built-in default";
    report.path = output.path;
    report.writers = writers.phrase;
    report.config = config;
    r = open_machine(&report, request->sysfs);
    if (r >= 0)
        r = look(&report, request, &output);
    return r < 0 ? EXIT_BAD_CONFIG : EXIT_SUCCESS;
}
