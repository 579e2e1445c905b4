/* SPDX-License-Identifier: Apache-2.0 */
#include "app/config_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "app/config.h"
#include "app/config_error.h"
#include "event/resolver.h"

#define EXIT_BAD_CONFIG 2
#define EVENT_WIDTH     28

#define SWITCH_NS           300 /* added once a switch */
#define SWITCH_NS_PER_EVENT 75  /* for every event that is switched */

static const char *const reasons[ABSENCE_COUNT_] = {
    [ABSENCE_NO_PMU] = "this machine shows no such PMU",
    [ABSENCE_UNKNOWN_EVENT] = "no source of events knows this name",
};

struct report {
    const char *path; /* as shown */
    const struct config *config;
    struct event_resolver *resolver;
    struct event **events; /* of all groups, one group after the other */
    size_t n_events;
};

static void report_done(struct report *report)
{
    for (size_t i = 0; report->events && i < report->n_events; i++)
        (void)event_free(report->events[i]);
    free(report->events);
    (void)event_resolver_free(report->resolver);
}

unsigned direct_switch_cost_ns(size_t events_of_a_cgroup, size_t events_of_the_system)
{
    if (events_of_a_cgroup == 0)
        return 0;
    return SWITCH_NS + SWITCH_NS_PER_EVENT *
                           (2 * (unsigned)events_of_a_cgroup + (unsigned)events_of_the_system);
}

static int resolve_all(struct report *report)
{
    const struct config *config = report->config;

    for (size_t i = 0; i < config->n_groups; i++)
        report->n_events += config->groups[i].events.n;
    report->events = calloc(report->n_events + 1, sizeof(struct event *));
    if (!report->events)
        return -ENOMEM;
    for (size_t i = 0, n = 0; i < config->n_groups; i++) {
        for (size_t j = 0; j < config->groups[i].events.n; j++, n++) {
            int r = event_resolve(report->resolver, config->groups[i].events.words[j].text,
                                  &report->events[n]);

            if (r < 0)
                return r;
        }
    }
    return 0;
}

/* The events of the group with this name; the name is known to exist. */
static struct event *const *events_of(const struct report *report, const char *group, size_t *ret_n)
{
    struct event *const *events = report->events;
    size_t i = 0;

    for (; strcmp(report->config->groups[i].name.text, group) != 0; i++)
        events += report->config->groups[i].events.n;
    *ret_n = report->config->groups[i].events.n;
    return events;
}

static size_t count_countable(const struct report *report, const struct config_words *groups,
                              bool clocks)
{
    size_t n_countable = 0;

    for (size_t i = 0; i < groups->n; i++) {
        size_t n;
        struct event *const *events = events_of(report, groups->words[i].text, &n);

        for (size_t j = 0; j < n; j++)
            if (events[j]->absence == ABSENCE_NONE && (clocks || !events[j]->is_clock))
                n_countable++;
    }
    return n_countable;
}

static void print_summary(const struct report *report)
{
    const struct config *config = report->config;
    size_t absent = 0;

    for (size_t i = 0; i < report->n_events; i++)
        if (report->events[i]->absence != ABSENCE_NONE)
            absent++;
    (void)printf("Checking %s\n  SUCCESS: groups: %zu, events: %zu (cannot be counted here: %zu), "
                 "ratios: %zu, system: %s, rules for cgroups: %zu\n",
                 report->path, config->n_groups, report->n_events, absent, config->n_ratios,
                 !config->system.enabled              ? "no"
                 : config->system.by == CONFIG_BY_CPU ? "by cpu"
                                                      : "by all",
                 config->n_cgroups);
}

static void print_event(const struct report *report, const struct event *event)
{
    AUTO_FREE char *suggestion = NULL;

    if (event->absence == ABSENCE_NONE) {
        (void)printf("  %-*s %s: %s\n", EVENT_WIDTH, event->name,
                     *event->pmu ? event->pmu : "unknown PMU", event->encoding);
        return;
    }
    (void)printf("  %-*s not counted here, %s: %s", EVENT_WIDTH, event->name,
                 absence_name(event->absence),
                 reasons[event->absence] ? reasons[event->absence] : "");
    if (event->absence == ABSENCE_UNKNOWN_EVENT)
        suggestion = event_resolver_suggest(report->resolver, event->name);
    if (suggestion)
        (void)printf("; did you mean %s?", suggestion);
    (void)putchar('\n');
}

static void print_groups(const struct report *report)
{
    struct event *const *event = report->events;

    for (size_t i = 0; i < report->config->n_groups; i++) {
        const struct config_group *group = &report->config->groups[i];

        (void)printf("group %s\n", group->name.text);
        for (size_t j = 0; j < group->events.n; j++)
            print_event(report, *event++);
    }
}

/* "FILE:3:14: note: "; what the built-in default says stands nowhere. */
static void begin_note(const struct report *report, struct config_place place)
{
    (void)printf("%s:", report->path);
    if (place.line)
        (void)printf("%u:%u:", place.line, place.column);
    (void)printf(" note: ");
}

static void note_clocks(const struct report *report)
{
    const struct config_words *groups = &report->config->system.groups;

    for (size_t i = 0; i < groups->n; i++) {
        size_t n;
        struct event *const *events = events_of(report, groups->words[i].text, &n);

        for (size_t j = 0; j < n; j++) {
            if (!events[j]->is_clock)
                continue;
            begin_note(report, groups->words[i].place);
            (void)printf("system-wide, %s of group %s is wall time: it is left out there and "
                         "counted for cgroups only\n",
                         events[j]->name, groups->words[i].text);
        }
    }
}

static void note_cost(const struct report *report)
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
    begin_note(report, (struct config_place){0, 0});
    (void)printf("system and cgroups are counted together: that adds about %.1f us to each switch "
                 "between two counted cgroups (%zu events a cgroup, %zu system-wide)\n",
                 direct_switch_cost_ns(of_a_cgroup, of_the_system) / 1000.0, of_a_cgroup,
                 of_the_system);
}

static int print_report(const char *path, const struct config *config, const char *sysfs)
{
    struct report report __attribute__((cleanup(report_done))) = {.path = path, .config = config};
    AUTO_CLOSE int sysfs_fd = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r;

    if (sysfs_fd < 0) {
        (void)fprintf(stderr, "%s: %s\n", sysfs, strerror(errno));
        return EXIT_BAD_CONFIG;
    }
    r = event_resolver_new(sysfs_fd, &report.resolver);
    if (r == 0)
        r = resolve_all(&report);
    if (r < 0) {
        (void)fprintf(stderr, "%s: %s\n", path, strerror(-r));
        return EXIT_BAD_CONFIG;
    }
    print_summary(&report);
    print_groups(&report);
    note_clocks(&report);
    note_cost(&report);
    return EXIT_SUCCESS;
}

void config_print_failure(const char *path, int r, const struct config_error *error)
{
    if (r != -EINVAL)
        (void)fprintf(stderr, "%s: %s\n", path, strerror(-r));
    else if (error->place.line == 0)
        (void)fprintf(stderr, "%s: %s\n", path, error->message);
    else
        (void)fprintf(stderr, "%s:%u:%u: %s\n", path, error->place.line, error->place.column,
                      error->message);
}

int config_report(const char *path, bool may_be_absent, const char *sysfs)
{
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};
    int r = config_read(path, &config, &error);

    if (r == -ENOENT && may_be_absent) {
        path = "built-in default";
        r = config_default(&config);
    }
    if (r < 0) {
        config_print_failure(path, r, &error);
        return EXIT_BAD_CONFIG;
    }
    return print_report(path, config, sysfs);
}
