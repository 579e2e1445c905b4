/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The families about the exporter itself. A family that is one number is a line of a table, with
 * the place of the number in its struct. A family with labels, or one that is sometimes absent,
 * has a function.
 */
#include "expose/own_families.h"

#include <math.h>
#include <stddef.h>

#include "expose/format.h"
#include "metric/catalogue.h"
#include "metric/exporter_status.h"
#include "metric/http_status.h"
#include "metric/roster.h"

/* A number of its own family. The field at `offset` of the struct that is given is a uint64_t. */
struct own_number {
    const char *name;
    const char *help;
    enum family_type type;
    enum number_form form;
    size_t offset;
};

#define STATUS(field) offsetof(struct exporter_status, field)
#define SELF(field)   offsetof(struct self_stats, field)

static const struct own_number status_numbers[] = {
    {"pmu_exporter_open_counters", "Number of perf events that are open now.", FAMILY_GAUGE,
     NUMBER_COUNT, STATUS(open_counters)},
    {"pmu_exporter_cycles_total", "Number of cycles since the start.", FAMILY_COUNTER, NUMBER_COUNT,
     STATUS(cycles)},
    {"pmu_exporter_cycles_late_total",
     "Number of cycles that began at least one interval after their time, or were left out.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(cycles_late)},
    {"pmu_exporter_cycle_duration_seconds", "Time that the last cycle took.", FAMILY_GAUGE,
     NUMBER_SECONDS, STATUS(cycle_duration_ns)},
    {"pmu_exporter_interval_seconds", "Time between the beginnings of two cycles, as configured.",
     FAMILY_GAUGE, NUMBER_SECONDS, STATUS(interval_ns)},
    {"pmu_exporter_cgroup_rescans_total", "Number of walks over the whole tree of cgroups.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(cgroup_rescans)},
    {"pmu_exporter_cgroup_watching",
     "1 if inotify tells of all cgroups that come and go, 0 if each cycle walks the tree.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(cgroup_watching)},
    {"pmu_exporter_process_rescans_total", "Number of times that the whole of /proc was read.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(process_rescans)},
    {"pmu_exporter_process_record_losses_total",
     "Number of cycles in which the kernel had no room for its records of processes, so that the "
     "whole of /proc was read.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(process_record_losses)},
    {"pmu_exporter_processes_put_off",
     "Number of processes that the last cycle had no time to look at. Later cycles look at them, "
     "and "
     "users take turns.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(processes_put_off)},
    {"pmu_exporter_processes_undecided",
     "Number of processes that no rule takes, although a pattern gave up on their arguments "
     "because "
     "it took too long.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(processes_undecided)},
    {"pmu_exporter_process_watching",
     "1 if the kernel tells of processes that come and go, 0 if each cycle reads /proc.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(process_watching)},
    {"pmu_exporter_counters_reopened_total",
     "Number of groups of counters that could not be read and were opened again.", FAMILY_COUNTER,
     NUMBER_COUNT, STATUS(reopened)},
    {"pmu_exporter_untold_switches_total",
     "Number of switches between tasks that the kernel counted but did not show to the BPF "
     "program.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(untold_switches)},
    {"pmu_exporter_unattributed_seconds_total",
     "CPU time that may have been another's, because the kernel did not show a switch. What was "
     "counted in that time is given to nobody.",
     FAMILY_COUNTER, NUMBER_SECONDS, STATUS(unattributed_ns)},
    {"pmu_exporter_paused", "1 while hardware counting is paused on request, else 0.", FAMILY_GAUGE,
     NUMBER_COUNT, STATUS(paused)},
    {"pmu_exporter_config_last_reload_successful",
     "1 if the configuration that was read last is good, else 0.", FAMILY_GAUGE, NUMBER_COUNT,
     STATUS(config_reload_good)},
    {"pmu_exporter_config_last_reload_success_timestamp_seconds",
     "Time at which the configuration in use was read, in seconds since the epoch.", FAMILY_GAUGE,
     NUMBER_SECONDS, STATUS(config_reload_realtime_ns)},
};

static const struct own_number self_numbers[] = {
    {"process_cpu_seconds_total", "User and system CPU time of the exporter.", FAMILY_COUNTER,
     NUMBER_SECONDS, SELF(cpu_ns)},
    {"process_resident_memory_bytes", "Resident memory of the exporter.", FAMILY_GAUGE,
     NUMBER_COUNT, SELF(resident_bytes)},
    {"process_virtual_memory_bytes", "Virtual memory of the exporter.", FAMILY_GAUGE, NUMBER_COUNT,
     SELF(virtual_bytes)},
    {"process_open_fds", "Number of open file descriptors of the exporter.", FAMILY_GAUGE,
     NUMBER_COUNT, SELF(open_fds)},
    {"process_max_fds", "Limit for open file descriptors of the exporter.", FAMILY_GAUGE,
     NUMBER_COUNT, SELF(max_fds)},
    {"process_threads", "Number of threads of the exporter.", FAMILY_GAUGE, NUMBER_COUNT,
     SELF(threads)},
    {"process_start_time_seconds",
     "Time at which the exporter started, in seconds since the epoch.", FAMILY_GAUGE,
     NUMBER_SECONDS, SELF(start_time_realtime_ns)},
};

static void append_value(struct text *text, uint64_t value, enum number_form form)
{
    text_append_char(text, ' ');
    if (form == NUMBER_SECONDS)
        text_append_seconds(text, value);
    else
        text_append_u64(text, value);
    text_append_char(text, '\n');
}

static void append_numbers(struct text *text, const struct own_number *numbers, size_t n,
                           const void *object)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t value;

        memcpy(&value, (const char *)object + numbers[i].offset, sizeof(value));
        format_append_head(text, numbers[i].name, numbers[i].help, numbers[i].type);
        text_append_string(text, numbers[i].name);
        append_value(text, value, numbers[i].form);
    }
}

/* One line of a family that has labels: name{labels} value. */
static void append_labelled(struct text *text, const char *name, const struct label *labels,
                            size_t n_labels, uint64_t value)
{
    text_append_string(text, name);
    format_append_labels(text, labels, n_labels);
    text_append_char(text, '}');
    append_value(text, value, NUMBER_COUNT);
}

static void append_build_info(struct text *text, const struct exposition_facts *facts)
{
    const struct label labels[] = {{"version", facts->version}, {"revision", facts->revision}};

    format_append_head(text, "pmu_exporter_build_info",
                       "Version and revision of the exporter. The value is always 1.",
                       FAMILY_GAUGE);
    append_labelled(text, "pmu_exporter_build_info", labels, ARRAY_SIZE(labels), 1);
}

static void append_event_info(struct text *text, const struct catalogue *catalogue)
{
    format_append_head(
        text, "pmu_exporter_event_info",
        "Events that are counted, with their metric, group and encoding, and with the event that "
        "is "
        "counted in their place if the PMU does not have them. The value is always 1.",
        FAMILY_GAUGE);
    for (size_t i = 0; i < catalogue->n_events; i++) {
        const struct event_status *event = &catalogue->events[i];
        const struct label labels[] = {{"scope", event->scope},
                                       {"event", event->event},
                                       {"metric", event->metric},
                                       {"group", event->group},
                                       {"pmu", event->pmu},
                                       {"encoding", event->encoding},
                                       {"counted_as", event->counted_as}};
        const size_t n = ARRAY_SIZE(labels) - (event->counted_as ? 0 : 1);

        if (event->absence == ABSENCE_NONE)
            append_labelled(text, "pmu_exporter_event_info", labels, n, 1);
    }
}

/* An event that is not counted keeps its sample, with 0 and the reason: absence alone explains
 * nothing. */
static void append_event_supported(struct text *text, const struct catalogue *catalogue)
{
    format_append_head(text, "pmu_exporter_event_supported",
                       "1 if the configured event is counted, else 0 and the reason.",
                       FAMILY_GAUGE);
    for (size_t i = 0; i < catalogue->n_events; i++) {
        const struct event_status *event = &catalogue->events[i];
        const struct label labels[] = {{"scope", event->scope},
                                       {"event", event->event},
                                       {"group", event->group},
                                       {"pmu", event->pmu},
                                       {"reason", absence_name(event->absence)}};

        append_labelled(text, "pmu_exporter_event_supported", labels, ARRAY_SIZE(labels),
                        event->absence == ABSENCE_NONE);
    }
}

static void append_mechanism(struct text *text, const struct exporter_status *status)
{
    format_append_head(text, "pmu_exporter_mechanism_info",
                       "How the targets of a scope are counted, and why so. The value is always 1.",
                       FAMILY_GAUGE);
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++) {
        const struct mechanism_status *mechanism = &status->mechanisms[kind];
        const struct label labels[] = {{"scope", scope_kind_name(kind)},
                                       {"mechanism", mechanism->name},
                                       {"reason", mechanism->reason}};

        if (mechanism->name)
            append_labelled(text, "pmu_exporter_mechanism_info", labels, ARRAY_SIZE(labels), 1);
    }
}

/* One sample for each kind of target and each reason with a number above 0: there are many. */
static void append_reasons(struct text *text, const char *name,
                           const uint64_t numbers[SCOPE_KIND_COUNT_][ABSENCE_COUNT_])
{
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        for (enum absence reason = ABSENCE_NONE + 1; reason < ABSENCE_COUNT_; reason++) {
            const struct label labels[] = {{"kind", scope_kind_name(kind)},
                                           {"reason", absence_name(reason)}};

            if (numbers[kind][reason] > 0)
                append_labelled(text, name, labels, ARRAY_SIZE(labels), numbers[kind][reason]);
        }
}

static void append_targets(struct text *text, const struct exporter_status *status)
{
    format_append_head(text, "pmu_exporter_targets",
                       "Number of targets that are counted now, and of which nothing is left out.",
                       FAMILY_GAUGE);
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++) {
        const struct label label = {"kind", scope_kind_name(kind)};

        append_labelled(text, "pmu_exporter_targets", &label, 1, status->targets[kind]);
    }
    format_append_head(
        text, "pmu_exporter_targets_uncounted",
        "Number of targets that are wanted but not counted now, or only in part, by reason.",
        FAMILY_GAUGE);
    append_reasons(text, "pmu_exporter_targets_uncounted", status->uncounted);
    format_append_head(text, "pmu_exporter_targets_dropped_total",
                       "Number of targets that were refused since the start, by reason.",
                       FAMILY_COUNTER);
    append_reasons(text, "pmu_exporter_targets_dropped_total", status->dropped);
}

/* Each of the three numbers is written if it is known. */
static void append_pmu_counters(struct text *text, const struct exporter_status *status)
{
    static const char name[] = "pmu_exporter_pmu_counters";
    const struct {
        const char *state;
        uint64_t n;
    } states[] = {
        {"free", status->pmu_free}, {"budget", status->pmu_budget}, {"used", status->pmu_used}};

    format_append_head(text, name,
                       "Number of hardware counters of a CPU: free are those that were found free "
                       "before anything was counted, budget those of them that the exporter may "
                       "use, used those that it can have in use at once.",
                       FAMILY_GAUGE);
    for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
        const struct label label = {"state", states[i].state};

        if (states[i].n != NUMBER_ABSENT_COUNT)
            append_labelled(text, name, &label, 1, states[i].n);
    }
}

/* Without rules for processes nobody has looked whether /proc hides some. */
static void append_hidden(struct text *text, const struct exporter_status *status)
{
    static const char name[] = "pmu_exporter_processes_hidden";

    if (status->processes_hidden == NUMBER_ABSENT_COUNT)
        return;
    format_append_head(text, name,
                       "1 if /proc hides processes of other users from the exporter (hidepid), so "
                       "that no rule takes them, else 0. CAP_SYS_PTRACE lets the exporter see "
                       "them.",
                       FAMILY_GAUGE);
    text_append_string(text, name);
    append_value(text, status->processes_hidden, NUMBER_COUNT);
}

static void append_age(struct text *text, uint64_t age_ns)
{
    static const char name[] = "pmu_exporter_snapshot_age_seconds";

    format_append_head(text, name, "Age of the numbers when this page was written.", FAMILY_GAUGE);
    text_append_string(text, name);
    append_value(text, age_ns, NUMBER_SECONDS);
}

/* The share is known only if bpf counts, which it does at switches, and after the first minute. */
static void append_doubt(struct text *text, const struct exporter_status *status)
{
    static const char name[] = "pmu_exporter_unattributed_ratio";

    if (isnan(status->unattributed_share))
        return;
    format_append_head(text, name,
                       "Share of the CPUs' time in the last whole minute that may have been "
                       "another's, because the kernel did not show a switch. If it is above 0.005 "
                       "twice in a row, the exporter counts by direct, unless bpf is configured.",
                       FAMILY_GAUGE);
    text_append_string(text, name);
    text_append_char(text, ' ');
    text_append_double(text, status->unattributed_share);
    text_append_char(text, '\n');
}

/* Outside a pause no time would be true, so the family is absent. */
static void append_pause_end(struct text *text, const struct exporter_status *status)
{
    static const char name[] = "pmu_exporter_pause_end_timestamp_seconds";

    if (!status->paused)
        return;
    format_append_head(
        text, name,
        "Time at which the pause of hardware counting ends, in seconds since the epoch.",
        FAMILY_GAUGE);
    text_append_string(text, name);
    append_value(text, status->pause_end_realtime_ns, NUMBER_SECONDS);
}

/*
 * One sample for each reason, also if its number is 0: rate() sees the first increase only if there
 * was a sample before it.
 */
static void append_by_reason(struct text *text, const char *name, const char *const *reasons,
                             const uint64_t *numbers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct label label = {"reason", reasons[i]};

        append_labelled(text, name, &label, 1, numbers[i]);
    }
}

static const char *const closings[HTTP_CLOSINGS_] = {
    [HTTP_CLOSED_IDLE] = "idle", [HTTP_CLOSED_SLOW] = "slow", [HTTP_CLOSED_ROOM] = "room"};
static const char *const refusals[HTTP_REFUSALS_] = {[HTTP_REFUSED_BUSY] = "busy",
                                                     [HTTP_REFUSED_NO_DESCRIPTORS] =
                                                         "no_descriptors",
                                                     [HTTP_REFUSED_NO_MEMORY] = "no_memory"};

static void append_http(struct text *text, const struct http_status *http)
{
    static const char closed[] = "pmu_exporter_http_connections_closed_total";
    static const char refused[] = "pmu_exporter_http_connections_refused_total";
    static const struct own_number numbers[] = {
        {"pmu_exporter_http_connections",
         "Number of HTTP connections that are open now, on all addresses.", FAMILY_GAUGE,
         NUMBER_COUNT, offsetof(struct http_status, connections)},
        {"pmu_exporter_http_connections_accepted_total",
         "Number of HTTP connections that were accepted since the start.", FAMILY_COUNTER,
         NUMBER_COUNT, offsetof(struct http_status, accepted)},
    };

    append_numbers(text, numbers, ARRAY_SIZE(numbers), http);
    format_append_head(text, closed,
                       "Number of HTTP connections that the exporter has closed, by reason: idle "
                       "for too long, slow to ask or to take an answer, or closed to make room "
                       "for a new connection.",
                       FAMILY_COUNTER);
    append_by_reason(text, closed, closings, http->closed, ARRAY_SIZE(closings));
    format_append_head(text, refused,
                       "Number of HTTP connections that were refused, by reason: all others were "
                       "busy, no descriptor was left (the client waits, and each attempt counts), "
                       "or no memory.",
                       FAMILY_COUNTER);
    append_by_reason(text, refused, refusals, http->refused, ARRAY_SIZE(refusals));
}

void own_families_append(struct text *text, const struct snapshot *snapshot,
                         const struct exposition_facts *facts)
{
    const struct catalogue *catalogue = snapshot->roster->catalogue;

    append_build_info(text, facts);
    append_event_info(text, catalogue);
    append_event_supported(text, catalogue);
    append_mechanism(text, &snapshot->status);
    append_targets(text, &snapshot->status);
    append_pmu_counters(text, &snapshot->status);
    append_hidden(text, &snapshot->status);
    append_age(text, facts->age_ns);
    append_numbers(text, status_numbers, ARRAY_SIZE(status_numbers), &snapshot->status);
    append_doubt(text, &snapshot->status);
    append_pause_end(text, &snapshot->status);
    if (facts->http)
        append_http(text, facts->http);
    if (facts->self)
        append_numbers(text, self_numbers, ARRAY_SIZE(self_numbers), facts->self);
}
