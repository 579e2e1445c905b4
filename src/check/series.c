/* SPDX-License-Identifier: Apache-2.0 */
#include "check/series.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "check/class_rule.h"
#include "check/uncore.h"
#include "resolve/resolution_decide.h"

/*
 * What the exporter shows of itself: some eighty series, and for each event that is counted what
 * it is and whether it can be (pmu_exporter_event_info, pmu_exporter_event_supported).
 */
#define OWN_SERIES       85
#define SERIES_PER_EVENT 2

#define SECONDS_PER_DAY 86400

/* The sum over rules is what limits.series bounds. */
static size_t shown(const struct check_series *series)
{
    size_t n = 0;

    for (size_t i = 0; i < series->n_rows; i++)
        n += series->rows[i].n_targets * series->rows[i].each;
    return n < series->limit ? n : series->limit;
}

static size_t count_own(const struct resolution *resolution)
{
    size_t n = OWN_SERIES;

    for (size_t i = 0; i < resolution->n_classes; i++)
        if (resolution->classes[i].groups)
            n += SERIES_PER_EVENT * resolution->classes[i].groups->n_events;
    return n;
}

/* On which CPUs the system scope counts. 0 or -errno. */
static int count_cpus(const struct check_result *result, size_t *ret_n)
{
    AUTO(cpu_list) struct cpu_list *online = NULL, *cpus = NULL;
    int r = cpu_list_read_online(result->sysfs_fd, &online);

    if (r >= 0)
        r = resolution_system_cpus(result->config, result->sysfs_fd, online, &cpus);
    *ret_n = r >= 0 ? cpus->n : 0;
    return r;
}

/* How many targets a rule takes now. */
static size_t count_taken(const struct check_output *output, const struct class_rule *rule)
{
    for (size_t i = 0; i < output->n_matches; i++)
        if (strcmp(output->matches[i].what, rule->what) == 0 &&
            output->matches[i].rule == rule->index)
            return output->matches[i].list.n_targets;
    return 0;
}

static void add(struct check_series *series, const struct check_series_row *row)
{
    series->rows[series->n_rows++] = *row;
}

/* A row describes its target in one series more (pmu_cgroup_info, pmu_cpu_info). */
static void add_rules(const struct check_result *result, const struct check_series_request *request,
                      struct check_series *series)
{
    const struct resolution *resolution = result->resolution;

    for (size_t i = CLASS_CGROUP; i < resolution->first_uncore; i++) {
        const struct target_class *class = &resolution->classes[i];
        const struct class_rule rule = class_rule_of(resolution, i);
        const size_t n_info = class->kind == SCOPE_CGROUP;

        if (class->plan)
            add(series, &(struct check_series_row){
                            .what = rule.what,
                            .rule = rule.index + 1,
                            .n_targets = request->targets_each == SIZE_MAX
                                             ? count_taken(result->output, &rule)
                                             : request->targets_each,
                            .each = plan_row_series(class->plan) + n_info,
                        });
    }
}

static int add_machine(const struct check_result *result, struct check_series *series)
{
    const struct target_class *classes = result->resolution->classes;
    struct check_series_row cpus = {.what = "cpus"};
    int r = 0;

    if (classes[CLASS_MACHINE].plan)
        add(series,
            &(struct check_series_row){.what = "machine",
                                       .n_targets = 1,
                                       .each = plan_row_series(classes[CLASS_MACHINE].plan)});
    if (!classes[CLASS_CPU].plan)
        return 0;
    cpus.each = plan_row_series(classes[CLASS_CPU].plan) + 1;
    r = count_cpus(result, &cpus.n_targets);
    add(series, &cpus);
    return r;
}

struct uncore_rows {
    const struct resolution *resolution;
    struct check_series *series;
};

static void add_uncore(void *object, const struct check_uncore *uncore)
{
    const struct uncore_rows *rows = object;
    const struct resolution *resolution = rows->resolution;

    for (size_t i = resolution->first_uncore; i < resolution->n_classes; i++)
        if (resolution->classes[i].plan && strcmp(resolution->classes[i].pmu, uncore->pmu) == 0)
            add(rows->series,
                &(struct check_series_row){.what = uncore->pmu,
                                           .n_targets = uncore->n_sockets,
                                           .each = plan_row_series(resolution->classes[i].plan)});
}

int check_series_find(const struct check_result *result, const struct check_series_request *request,
                      struct check_series *ret_series)
{
    const struct resolution *resolution = result->resolution;
    struct uncore_rows rows = {resolution, ret_series};
    int r;

    *ret_series = (struct check_series){.n_own = count_own(resolution),
                                        .limit = (size_t)result->config->limits.series};
    ret_series->rows = calloc(resolution->n_classes + 1, sizeof(*ret_series->rows));
    if (!ret_series->rows)
        return -ENOMEM;
    r = add_machine(result, ret_series);
    add_rules(result, request, ret_series);
    if (r >= 0)
        r = check_each_uncore(resolution, result->sysfs_fd, add_uncore, &rows);
    ret_series->n_all = ret_series->n_own + shown(ret_series);
    return r;
}

void check_series_done(struct check_series *series)
{
    free(series->rows);
    *series = (struct check_series){0};
}

double check_series_samples_per_second(const struct check_series *series,
                                       const struct check_series_request *request)
{
    return (double)series->n_all * (double)NS_PER_SECOND / (double)request->scrape_interval_ns;
}

double check_series_bytes_a_day(const struct check_series *series,
                                const struct check_series_request *request)
{
    return check_series_samples_per_second(series, request) * SECONDS_PER_DAY *
           CHECK_BYTES_PER_SAMPLE;
}

static void print_row(const struct check_series_row *row)
{
    char name[64];

    if (row->rule)
        (void)snprintf(name, sizeof(name), "%s, rule %zu", row->what, row->rule);
    else
        (void)snprintf(name, sizeof(name), "%s", row->what);
    (void)printf("  %-28s %8zu %8zu %10zu\n", name, row->n_targets, row->each,
                 row->n_targets * row->each);
}

static bool has_processes(const struct check_series *series)
{
    for (size_t i = 0; i < series->n_rows; i++)
        if (strcmp(series->rows[i].what, "processes") == 0)
            return true;
    return false;
}

void check_print_series(const struct check_series *series,
                        const struct check_series_request *request)
{
    (void)printf("series, at most               targets     each        all\n");
    for (size_t i = 0; i < series->n_rows; i++)
        print_row(&series->rows[i]);
    (void)printf("  %-28s %8s %8s %10zu\n", "the exporter itself, about", "", "", series->n_own);
    (void)printf("  %-28s %8s %8s %10zu%s\n", "all", "", "", series->n_all,
                 series->n_all - series->n_own == series->limit ? " (limits.series)" : "");
    if (has_processes(series))
        (void)printf("groups of processes that have ended are not in it: they stay until there are "
                     "as many targets as limits.cgroups and limits.processes allow together\n");
    (void)printf("scraped every %g s: %.0f samples a second, some %.1f MB a day on the disk of a "
                 "Prometheus (%g bytes a sample)\n",
                 (double)request->scrape_interval_ns / (double)NS_PER_SECOND,
                 check_series_samples_per_second(series, request),
                 check_series_bytes_a_day(series, request) / 1e6, CHECK_BYTES_PER_SAMPLE);
}
