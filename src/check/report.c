/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "check/budget.h"
#include "check/counting.h"
#include "check/match_list.h"
#include "check/notes.h"
#include "config/config.h"
#include "config/config_error.h"
#include "config/config_processes.h"
#include "event/resolver.h"
#include "resolve/absence_advice.h"
#include "resolve/mechanism_cost.h"
#include "sys/cgroup_root.h"

#define EVENT_WIDTH 28

#define LONGEST_COMM 15 /* TASK_COMM_LEN less its NUL; of kernel threads proc(5) tells more */

struct reported_event {
    const struct config_group *group;
    struct event *event;
    struct config_place place;
};

struct report {
    const char *path;    /* as shown */
    const char *writers; /* who besides root and our user may change the file; empty: nobody */
    const struct config *config;
    struct event_resolver *resolver; /* borrowed */
    struct reported_event *events;   /* of all groups, one group after the other */
    size_t n_events;
};

static void report_done(struct report *report)
{
    for (size_t i = 0; i < report->n_events; i++)
        (void)event_free(report->events[i].event);
    free(report->events);
}

static int resolve_group(struct report *report, const struct config_group *group)
{
    for (size_t i = 0; i < group->events.n; i++) {
        struct reported_event *reported = &report->events[report->n_events];
        int r = event_resolve(report->resolver, group->events.words[i].text, &reported->event);

        if (r < 0)
            return r;
        reported->group = group;
        reported->place = group->events.words[i].place;
        report->n_events++;
    }
    return 0;
}

static int resolve_all(struct report *report)
{
    const struct config *config = report->config;
    size_t total = 0;
    int r = 0;

    for (size_t i = 0; i < config->n_groups; i++)
        total += config->groups[i].events.n;
    report->events = calloc(total + 1, sizeof(*report->events));
    if (!report->events)
        return -ENOMEM;
    for (size_t i = 0; r == 0 && i < config->n_groups; i++)
        r = resolve_group(report, &config->groups[i]);
    return r;
}

static bool is_listed(const struct config_words *groups, const struct config_group *group)
{
    for (size_t i = 0; i < groups->n; i++)
        if (strcmp(groups->words[i].text, group->name.text) == 0)
            return true;
    return false;
}

static size_t count_countable(const struct report *report, const struct config_words *groups,
                              bool clocks)
{
    size_t n_countable = 0;

    for (size_t i = 0; i < report->n_events; i++) {
        const struct event *event = report->events[i].event;

        if (is_listed(groups, report->events[i].group) && event->absence == ABSENCE_NONE &&
            (clocks || !event->is_clock))
            n_countable++;
    }
    return n_countable;
}

static void print_summary(const struct report *report)
{
    const struct config *config = report->config;
    size_t absent = 0;

    for (size_t i = 0; i < report->n_events; i++)
        if (report->events[i].event->absence != ABSENCE_NONE)
            absent++;
    (void)printf("Checking %s\n  SUCCESS: groups: %zu, events: %zu (cannot be counted here: %zu), "
                 "ratios: %zu, system: %s, rules for cgroups: %zu, for processes: %zu\n",
                 report->path, config->n_groups, report->n_events, absent, config->n_ratios,
                 !config->system.enabled              ? "no"
                 : config->system.by == CONFIG_BY_CPU ? "by cpu"
                                                      : "by all",
                 config->n_cgroups, config->n_processes);
}

/* What each reason means is said once: most machines lack all of one PMU. */
static void print_event(const struct event *event, bool *explained)
{
    if (event->absence == ABSENCE_NONE) {
        (void)printf("  %-*s %s: %s\n", EVENT_WIDTH, event->name,
                     *event->pmu ? event->pmu : "unknown PMU", event->encoding);
        return;
    }
    (void)printf("  %-*s not counted here, %s%s%s\n", EVENT_WIDTH, event->name,
                 absence_name(event->absence), explained[event->absence] ? "" : ": ",
                 explained[event->absence] ? "" : absence_advice(event->absence));
    explained[event->absence] = true;
}

static void print_groups(const struct report *report)
{
    const struct config_group *group = NULL;
    bool explained[ABSENCE_COUNT_] = {false};

    for (size_t i = 0; i < report->n_events; i++) {
        if (group != report->events[i].group) {
            group = report->events[i].group;
            (void)printf("group %s\n", group->name.text);
        }
        print_event(report->events[i].event, explained);
    }
}

/* The nearest name would be the event without it, which is not what is wrong. */
static int explain_unknown_event(const struct report *report, const char *name)
{
    AUTO_FREE char *suggestion = NULL;
    const char *modifier = NULL, *kind = event_not_counted_yet(report->resolver, name);
    int r;

    if (kind) {
        (void)printf("%s is on this machine, but %s are not counted yet\n", name, kind);
        return 0;
    }
    r = event_resolver_bad_modifier(name, &modifier);
    if (r < 0)
        return r;
    if (modifier) {
        (void)printf("\"%s\" of %s is no modifier; expected %s\n", modifier, name,
                     event_modifiers_expected);
        return 0;
    }
    suggestion = event_resolver_suggest(report->resolver, name);
    kind = suggestion ? NULL : event_uncounted_form(name);
    if (kind)
        (void)printf("this machine does not show %s, and %s are not counted yet\n", SHOWN(name),
                     kind);
    else
        (void)printf("no source of events knows \"%s\"%s%s%s\n", name,
                     suggestion ? "; did you mean " : "", suggestion ? suggestion : "",
                     suggestion ? "?" : "");
    return 0;
}

/* No error, since another machine may know the event; mostly a slip all the same. */
static int warn_of_unknown_events(const struct report *report)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < report->n_events; i++) {
        const struct reported_event *reported = &report->events[i];

        if (reported->event->absence != ABSENCE_UNKNOWN_EVENT)
            continue;
        config_begin_note(report->path, reported->place, "warning");
        r = explain_unknown_event(report, reported->event->name);
    }
    return r;
}

static void note_clocks_of(const struct report *report, const struct config_word *group)
{
    for (size_t i = 0; i < report->n_events; i++) {
        const struct reported_event *reported = &report->events[i];

        if (!reported->event->is_clock || strcmp(reported->group->name.text, group->text) != 0)
            continue;
        config_begin_note(report->path, group->place, "note");
        (void)printf("system-wide, %s of group %s is wall time: it is left out there and counted "
                     "for cgroups and processes only\n",
                     reported->event->name, group->text);
    }
}

static void note_clocks(const struct report *report)
{
    const struct config_words *groups = &report->config->system.groups;

    for (size_t i = 0; i < groups->n; i++)
        note_clocks_of(report, &groups->words[i]);
}

/* Those of groups that some cgroup or process is counted by. */
static size_t count_charged(const struct report *report)
{
    const struct config *config = report->config;
    size_t n_charged = 0;

    for (size_t i = 0; i < report->n_events; i++) {
        const struct config_group *group = report->events[i].group;
        bool charged = false;

        for (size_t rule = 0; rule < config->n_cgroups; rule++)
            charged = charged || is_listed(&config->cgroups[rule].groups, group);
        for (size_t rule = 0; rule < config->n_processes; rule++)
            charged = charged || is_listed(&config->processes[rule].groups, group);
        n_charged += charged && report->events[i].event->absence == ABSENCE_NONE;
    }
    return n_charged;
}

static void note_cost_of_direct(const struct report *report)
{
    const struct config *config = report->config;
    size_t of_the_system = count_countable(report, &config->system.groups, false);
    size_t of_a_cgroup = 0;

    for (size_t i = 0; i < config->n_cgroups; i++) {
        size_t n = count_countable(report, &config->cgroups[i].groups, true);

        of_a_cgroup = n > of_a_cgroup ? n : of_a_cgroup;
    }
    if (of_the_system == 0 || of_a_cgroup == 0)
        return;
    config_begin_note(report->path, (struct config_place){0, 0}, "note");
    (void)printf(DIRECT_SWITCH_COST " (%zu events a cgroup, %zu system-wide)\n",
                 direct_switch_cost_ns(of_a_cgroup, of_the_system) / 1000.0, of_a_cgroup,
                 of_the_system);
}

static void warn_of_long_names(const struct report *report, const struct config_words *names)
{
    for (size_t i = 0; i < names->n; i++) {
        const struct config_word *name = &names->words[i];

        if (strlen(name->text) <= LONGEST_COMM)
            continue;
        config_begin_note(report->path, name->place, "warning");
        if (strpbrk(name->text, "/ "))
            (void)printf(
                "a comm has at most %d bytes and is no path or command line, so %s matches "
                "none; expected exe for a path, or cmdline for arguments\n",
                LONGEST_COMM, SHOWN(name->text));
        else
            (void)printf("a comm has at most %d bytes, so %s matches none but a kernel thread; did "
                         "you mean \"%.*s\"?\n",
                         LONGEST_COMM, SHOWN(name->text), LONGEST_COMM, name->text);
    }
}

static int warn_of_process_rules(const struct report *report)
{
    const struct config *config = report->config;
    AUTO(process_rules) struct process_rules *rules = NULL;
    struct process_rule_error wrong;
    size_t index;
    int r = config_processes_make(config, &rules, &index, &wrong);

    for (size_t i = 0; r == 0 && i < config->n_processes; i++) {
        const struct config_process_rule *rule = &config->processes[i];

        warn_of_long_names(report, &rule->comm);
        if (!process_rules_is_single(rules, (int)i))
            continue;
        config_begin_note(report->path, rule->name.place, "warning");
        (void)printf("by name %s each process has series of its own, new ones whenever it is "
                     "started\n",
                     SHOWN(rule->name.text));
    }
    return r;
}

static void report_matches(const struct report *report, const struct cgroup_root *root)
{
    AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (*report->writers) {
        config_begin_note(report->path, (struct config_place){0, 0}, "warning");
        (void)printf("others than root and you may change what is counted: %s\n", report->writers);
    }
    config_print_matches(report->path, report->config, root, procfs_fd);
}

/* That no cgroup file system is found is no matter of the configuration. */
static int report_counting(const struct report *report, int sysfs_fd)
{
    const struct config *config = report->config;
    struct cgroup_root root = {.fd = -1};
    struct mechanism_decision decision;
    int r;

    if (cgroup_root_open(NULL, &root) < 0)
        root.fd = -1;
    config_print_root(report->path, config, root.fd);
    report_matches(report, &root);
    decision = mechanism_foresee(config, sysfs_fd, root.fd >= 0, !root.v2);
    mechanism_report(config, &decision, count_charged(report));
    if (!decision.bpf)
        note_cost_of_direct(report);
    r = budget_report(config, report->resolver, &perf_ops_kernel, sysfs_fd,
                      decision.bpf ? -1 : root.fd, decision.bpf);
    cgroup_root_done(&root);
    return r;
}

static int print_report(const char *path, const char *writers, const struct config *config,
                        const char *sysfs)
{
    struct report report __attribute__((cleanup(report_done))) = {
        .path = path, .writers = writers, .config = config};
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    AUTO_CLOSE int sysfs_fd = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r;

    if (sysfs_fd < 0) {
        (void)fprintf(stderr, "%s: %s\n", sysfs, strerror(errno));
        return EXIT_BAD_CONFIG;
    }
    r = event_resolver_new(sysfs_fd, &resolver);
    report.resolver = resolver;
    if (r >= 0)
        r = resolve_all(&report);
    if (r < 0) {
        (void)fprintf(stderr, "%s: %s\n", path, strerror(-r));
        return EXIT_BAD_CONFIG;
    }
    print_summary(&report);
    print_groups(&report);
    if (warn_of_unknown_events(&report) < 0)
        return EXIT_BAD_CONFIG;
    config_print_idle(path, config);
    config_print_hidden(path, config);
    note_clocks(&report);
    r = report_counting(&report, sysfs_fd);
    if (r < 0)
        (void)printf("hardware counters: cannot be looked at: %s\n", strerror(-r));
    return warn_of_process_rules(&report) < 0 ? EXIT_BAD_CONFIG : EXIT_SUCCESS;
}

void config_describe_failure(const char *path, int r, const struct config_error *error,
                             struct text *text)
{
    if (r != -EINVAL)
        text_append_format(text, "%s: %s\n", path, strerror(-r));
    else if (error->place.line == 0)
        text_append_format(text, "%s: %s\n", path, error->message);
    else
        text_append_format(text, "%s:%u:%u: %s\n", path, error->place.line, error->place.column,
                           error->message);
}

void config_print_failure(const char *path, int r, const struct config_error *error)
{
    AUTO_TEXT struct text text = {0};

    config_describe_failure(path, r, error, &text);
    (void)fwrite(text.data, 1, text.length, stderr);
}

int config_report(const char *path, bool may_be_absent, const char *sysfs)
{
    AUTO(config) struct config *config = NULL;
    struct config_writers writers;
    struct config_error error = {0};
    int r = config_load(path, may_be_absent, &config, &writers, &error);

    if (r < 0) {
        config_print_failure(path, r, &error);
        return EXIT_BAD_CONFIG;
    }
    return print_report(r == CONFIG_IS_DEFAULT ? "built-in default" : path, writers.phrase, config,
                        sysfs);
}
