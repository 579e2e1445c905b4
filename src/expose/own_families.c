/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The families about the exporter itself. A family that is one number is a line of a table, with
 * the place of the number in its struct. Those with labels are in own_labelled.c.
 */
#include "expose/own_families.h"

#include <math.h>
#include <stddef.h>

#include "expose/own_labelled.h"
#include "metric/exporter_status.h"
#include "metric/http_status.h"

/*
 * A number of its own family. The field at `offset` of the struct that is given is a uint64_t, or a
 * double for NUMBER_REAL.
 */
struct own_number {
    const char *name;
    const char *help;
    enum family_type type;
    enum number_form form;
    size_t offset;
};

#define STATUS(field)  offsetof(struct exporter_status, field)
#define SELF(field)    offsetof(struct self_stats, field)
#define HTTP(field)    offsetof(struct http_status, field)
#define HISTORY(field) offsetof(struct history_status, field)
#define FACT(field)    offsetof(struct exposition_facts, field)

static const struct own_number fact_numbers[] = {
    {"pmu_exporter_snapshot_age_seconds", "Age of the numbers when this page was written.",
     FAMILY_GAUGE, NUMBER_SECONDS, FACT(age_ns)},
};

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
    {"pmu_exporter_latency_targets_uncounted",
     "Number of targets that have no distributions of latency although the configuration asks for "
     "them, for want of memory for so many.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(latency_without_room)},
    {"pmu_exporter_latency_unknown_total",
     "Number of times that a thread waited for a CPU, or was blocked, for a time that could not be "
     "told, and of requests and other events for which there was no room. They are in no "
     "distribution, or in that of the machine alone.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(latency_unknown)},
    {"pmu_exporter_paused", "1 while hardware counting is paused on request, else 0.", FAMILY_GAUGE,
     NUMBER_COUNT, STATUS(paused)},
    {"pmu_exporter_config_last_reload_successful",
     "1 if the configuration that was read last is good, else 0.", FAMILY_GAUGE, NUMBER_COUNT,
     STATUS(config_reload_good)},
    {"pmu_exporter_config_last_reload_success_timestamp_seconds",
     "Time at which the configuration in use was read, in seconds since the epoch.", FAMILY_GAUGE,
     NUMBER_SECONDS, STATUS(config_reload_realtime_ns)},
    /* Without rules for processes nobody has looked whether /proc hides some. */
    {"pmu_exporter_processes_hidden",
     "1 if /proc hides processes of other users from the exporter (hidepid), so that no rule takes "
     "them, else 0. CAP_SYS_PTRACE lets the exporter see them.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(processes_hidden)},
    /* It is known only if bpf counts, which it does at switches, and after the first minute. */
    {"pmu_exporter_unattributed_ratio",
     "Share of the CPUs' time in the last whole minute that may have been another's, because the "
     "kernel did not show a switch. If it is above 0.005 twice in a row, the exporter counts by "
     "direct, unless bpf is configured.",
     FAMILY_GAUGE, NUMBER_REAL, STATUS(unattributed_share)},
};

/* They are absent where nothing is sampled. */
static const struct own_number profile_numbers[] = {
    {"pmu_exporter_profile_rate_hertz",
     "Number of stacks that are sampled in a second of each CPU that is not idle.", FAMILY_GAUGE,
     NUMBER_REAL, STATUS(profile.rate_hz)},
    {"pmu_exporter_profile_samples_total", "Number of stacks that were sampled.", FAMILY_COUNTER,
     NUMBER_COUNT, STATUS(profile.samples)},
    {"pmu_exporter_profile_samples_lost_total",
     "Number of samples that found no room on their way from the kernel. In profiles they stand as "
     "[sample lost].",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(profile.lost)},
    {"pmu_exporter_profile_processes",
     "Number of processes of which is known now what they have mapped.", FAMILY_GAUGE, NUMBER_COUNT,
     STATUS(profile.processes)},
    {"pmu_exporter_profile_table_bytes",
     "Bytes in use of the tables by which the kernel unwinds stacks.", FAMILY_GAUGE, NUMBER_COUNT,
     STATUS(profile.table_bytes)},
    {"pmu_exporter_profile_kept_bytes",
     "Bytes that samples, names of functions, files and processes take in the exporter.",
     FAMILY_GAUGE, NUMBER_COUNT, STATUS(profile.kept_bytes)},
    {"pmu_exporter_profile_folded_samples_total",
     "Number of samples whose last functions were folded into their callers, for want of room.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(profile.folded_samples)},
    {"pmu_exporter_profile_dropped_slices_total",
     "Number of minutes and hours of targets that were dropped before their time, for want of "
     "room.",
     FAMILY_COUNTER, NUMBER_COUNT, STATUS(profile.dropped_slices)},
};

/* Outside a pause no time would be true, so the family is absent. */
static const struct own_number pause_numbers[] = {
    {"pmu_exporter_pause_end_timestamp_seconds",
     "Time at which the pause of hardware counting ends, in seconds since the epoch.", FAMILY_GAUGE,
     NUMBER_SECONDS, STATUS(pause_end_realtime_ns)},
};

static const struct own_number http_numbers[] = {
    {"pmu_exporter_http_connections",
     "Number of HTTP connections that are open now, on all addresses.", FAMILY_GAUGE, NUMBER_COUNT,
     HTTP(connections)},
    {"pmu_exporter_http_connections_accepted_total",
     "Number of HTTP connections that were accepted since the start.", FAMILY_COUNTER, NUMBER_COUNT,
     HTTP(accepted)},
    {"pmu_exporter_web_password_hashes_total",
     "Number of passwords that were hashed; one that was right before is not hashed again.",
     FAMILY_COUNTER, NUMBER_COUNT, HTTP(password_hashes)},
    {"pmu_exporter_web_unauthorized_total",
     "Number of requests that were refused for want of a user with the right password.",
     FAMILY_COUNTER, NUMBER_COUNT, HTTP(unauthorized)},
    {"pmu_exporter_web_rate_limited_total",
     "Number of requests that were refused by rate_limit of the web configuration.", FAMILY_COUNTER,
     NUMBER_COUNT, HTTP(rate_limited)},
    {"pmu_exporter_web_config_last_reload_successful",
     "1 if the web configuration that was read last is good, else 0.", FAMILY_GAUGE, NUMBER_COUNT,
     HTTP(web_config_good)},
    {"pmu_exporter_web_config_last_reload_success_timestamp_seconds",
     "Time at which the web configuration in force was read, in seconds since the epoch.",
     FAMILY_GAUGE, NUMBER_SECONDS, HTTP(web_config_realtime_ns)},
};

static const struct own_number history_numbers[] = {
    {"pmu_exporter_history_bytes", "Bytes that the history takes, on disk or in memory.",
     FAMILY_GAUGE, NUMBER_COUNT, HISTORY(bytes)},
    {"pmu_exporter_history_limit_bytes",
     "Bytes that the history may take before its oldest part is thinned out.", FAMILY_GAUGE,
     NUMBER_COUNT, HISTORY(limit_bytes)},
    {"pmu_exporter_history_targets", "Number of targets that the history knows, also gone ones.",
     FAMILY_GAUGE, NUMBER_COUNT, HISTORY(targets)},
    {"pmu_exporter_history_samples_total", "Number of totals that the history has recorded.",
     FAMILY_COUNTER, NUMBER_COUNT, HISTORY(samples)},
    {"pmu_exporter_history_dropped_total",
     "Number of cycles that the history did not record, because it was too busy.", FAMILY_COUNTER,
     NUMBER_COUNT, HISTORY(dropped)},
    {"pmu_exporter_history_write_errors_total",
     "Number of times that the history could not be written or read.", FAMILY_COUNTER, NUMBER_COUNT,
     HISTORY(write_errors)},
    {"pmu_exporter_history_set_aside_total",
     "Number of databases that were renamed, because they were damaged or not ours.",
     FAMILY_COUNTER, NUMBER_COUNT, HISTORY(set_aside)},
    {"pmu_exporter_history_damaged_total",
     "Number of pieces of the history that could not be read.", FAMILY_COUNTER, NUMBER_COUNT,
     HISTORY(damaged)},
    {"pmu_exporter_history_in_memory",
     "1 if the history is in memory only and ends with the exporter, else 0.", FAMILY_GAUGE,
     NUMBER_COUNT, HISTORY(in_memory)},
};

/* It is absent as long as there is nothing. */
static const struct own_number oldest_numbers[] = {
    {"pmu_exporter_history_oldest_timestamp_seconds",
     "Time of the oldest that the history has, in seconds since the epoch.", FAMILY_GAUGE,
     NUMBER_SECONDS, HISTORY(oldest_realtime_ns)},
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

/* Unknown is absent: it has no line, and then neither has its family. */
static bool is_absent(union number number, enum number_form form)
{
    return form == NUMBER_REAL ? isnan(number.real) : number.count == NUMBER_ABSENT_COUNT;
}

static void append_value(struct text *text, union number number, enum number_form form)
{
    if (form == NUMBER_SECONDS)
        text_append_seconds(text, number.count);
    else if (form == NUMBER_REAL)
        text_append_double(text, number.real);
    else
        text_append_u64(text, number.count);
}

static void append_number(struct page *page, const struct own_number *own, const void *object)
{
    const struct family_name name = {own->name, own->type};
    union number number;

    if (!page_wants(page, name) || !object)
        return;
    memcpy(&number, (const char *)object + own->offset, sizeof(number));
    if (is_absent(number, own->form))
        return;
    page_append_head(page, name, own->help);
    text_append_string(page->text, own->name);
    text_append_char(page->text, ' ');
    append_value(page->text, number, own->form);
    text_append_char(page->text, '\n');
}

/* Without an object the families are absent, and their names are known. */
static void append_numbers(struct page *page, const struct own_number *numbers, size_t n,
                           const void *object)
{
    for (size_t i = 0; i < n; i++)
        append_number(page, &numbers[i], object);
}

void own_families_append(struct page *page, const struct snapshot *snapshot,
                         const struct exposition_facts *facts)
{
    const struct exporter_status *const status = &snapshot->status;
    const struct history_status *const history = facts->history;

    own_labelled_append(page, snapshot, facts);
    append_numbers(page, fact_numbers, ARRAY_SIZE(fact_numbers), facts);
    append_numbers(page, status_numbers, ARRAY_SIZE(status_numbers), status);
    append_numbers(page, pause_numbers, ARRAY_SIZE(pause_numbers), status->paused ? status : NULL);
    append_numbers(page, profile_numbers, ARRAY_SIZE(profile_numbers),
                   status->profile.wanted && !status->profile.reason ? status : NULL);
    append_numbers(page, http_numbers, ARRAY_SIZE(http_numbers), facts->http);
    append_numbers(page, history_numbers, ARRAY_SIZE(history_numbers), history);
    append_numbers(page, oldest_numbers, ARRAY_SIZE(oldest_numbers),
                   history && history->oldest_realtime_ns != NUMBER_ABSENT_COUNT ? history : NULL);
    append_numbers(page, self_numbers, ARRAY_SIZE(self_numbers), facts->self);
}
