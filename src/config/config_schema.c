/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_schema.h"

#include <assert.h>

#include "base/clock.h"
#include "count/breakdown.h"
#include "count/event_group.h"
#include "sys/bpf/spans/program.h"
#include "sys/bpf/syscalls/counts.h"

#define KIB    UINT64_C(1024)
#define MIB    (1024 * KIB)
#define GIB    (1024 * MIB)
#define DAY_NS (UINT64_C(24) * 3600 * NS_PER_SECOND)

/* Bounds that keep a mistake, or a hostile file, from costing more than its reading. */
#define LONGEST_EVENT   256
#define LONGEST_FORMULA 1024
#define LONGEST_PLACE   4607 /* of a probe: a path, and the names behind it */
#define LONGEST_FILTER  1024
#define LONGEST_FILE    4095
#define MOST_EVENTS     EVENT_GROUP_MAX
#define MOST_PROBES     256
#define LONGEST_SPAN    (BREAKDOWN_LABEL_BYTES - 1)
#define MOST_RENAMES    1024
#define MOST_RATIOS     128

static_assert(sizeof(enum config_counting) == sizeof(unsigned), "read_choice() stores an unsigned");

static const char *const counting_choices[] = {[CONFIG_COUNTING_AUTO] = "auto",
                                               [CONFIG_COUNTING_DIRECT] = "direct",
                                               [CONFIG_COUNTING_BPF] = "bpf",
                                               NULL};

static const struct schema_key event_keys[] = {
    {.name = "event",
     .type = SCHEMA_WORD,
     .expected = "the name of an event, such as cycles",
     .offset = offsetof(struct config_event, event),
     .required = true,
     .maximum = LONGEST_EVENT},
    {.name = "filter",
     .type = SCHEMA_WORD,
     .expected = "a condition in quotes, such as \"prev_prio < 100\"",
     .offset = offsetof(struct config_event, filter),
     .maximum = LONGEST_FILTER},
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a metric name without prefix, as urgent_switches",
     .offset = offsetof(struct config_event, name),
     .maximum = LONGEST_NAME},
};

static const struct schema event_schema = {"an event", event_keys, SCHEMA_N_KEYS(event_keys)};

static const struct schema_key group_keys[] = {
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a name of letters, digits, \"_\", \"-\" and \".\"",
     .offset = offsetof(struct config_group, name),
     .required = true,
     .maximum = LONGEST_NAME},
    {.name = "events",
     .type = SCHEMA_LIST,
     .expected = "a list of events, such as [cycles, instructions], or of mappings",
     .offset = offsetof(struct config_group, events),
     .required = true,
     .minimum = 1,
     .maximum = MOST_EVENTS,
     .inner = &event_schema,
     .takes_words = true,
     .count_offset = offsetof(struct config_group, n_events),
     .element_size = sizeof(struct config_event)},
};

static const struct schema_key probe_keys[] = {
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a name of letters, digits and \"_\", by which a group lists it as probe:NAME",
     .offset = offsetof(struct config_probe, name),
     .required = true,
     .maximum = LONGEST_NAME},
    {.name = "kernel",
     .type = SCHEMA_WORD,
     .expected = "a function of the kernel, such as vfs_read",
     .offset = offsetof(struct config_probe, kernel),
     .selects = true,
     .maximum = LONGEST_PLACE},
    {.name = "user",
     .type = SCHEMA_WORD,
     .expected = "an absolute path and a function, such as /usr/bin/bash:readline",
     .offset = offsetof(struct config_probe, user),
     .selects = true,
     .maximum = LONGEST_PLACE},
    {.name = "usdt",
     .type = SCHEMA_WORD,
     .expected = "an absolute path, a provider and a name, such as /usr/lib/libc.so.6:libc:setjmp",
     .offset = offsetof(struct config_probe, usdt),
     .selects = true,
     .maximum = LONGEST_PLACE},
};

static const struct schema_key span_keys[] = {
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a name of letters, digits, \"_\", \"-\" and \".\"",
     .offset = offsetof(struct config_span, name),
     .required = true,
     .maximum = LONGEST_SPAN},
    {.name = "begin",
     .type = SCHEMA_WORD,
     .expected = "a tracepoint or probe, such as ext4:ext4_sync_file_enter",
     .offset = offsetof(struct config_span, begin),
     .required = true,
     .maximum = LONGEST_EVENT},
    {.name = "end",
     .type = SCHEMA_WORD,
     .expected = "a tracepoint or probe, such as ext4:ext4_sync_file_exit",
     .offset = offsetof(struct config_span, end),
     .required = true,
     .maximum = LONGEST_EVENT},
    {.name = "key",
     .type = SCHEMA_WORD,
     .expected = "thread, or a field of the tracepoints",
     .offset = offsetof(struct config_span, key),
     .maximum = LONGEST_NAME},
    {.name = "end_key",
     .type = SCHEMA_WORD,
     .expected = "thread, or a field of the tracepoint that ends the span",
     .offset = offsetof(struct config_span, end_key),
     .maximum = LONGEST_NAME},
};

static const char *const sampling_choices[] = {
    [CONFIG_EACH_CALL] = "1", [CONFIG_ONE_IN_17] = "17", NULL};

static const struct schema_key system_calls_keys[] = {
    {.name = "timed",
     .type = SCHEMA_WORDS,
     .expected = "a list of system calls, such as [read, fsync]",
     .offset = offsetof(struct config_system_calls, timed),
     .maximum = LONGEST_NAME,
     .most = SYSCALLS_MOST_TIMED},
    {.name = "one_in",
     .type = SCHEMA_CHOICE,
     .offset = offsetof(struct config_system_calls, one_in),
     .choices = sampling_choices},
};

static const struct schema_key rename_keys[] = {
    {.name = "event",
     .type = SCHEMA_WORD,
     .expected = "the name of an event that a group lists",
     .offset = offsetof(struct config_rename, event),
     .required = true,
     .maximum = LONGEST_EVENT},
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a metric name without prefix and unit, as instructions_retired",
     .offset = offsetof(struct config_rename, name),
     .required = true,
     .maximum = LONGEST_NAME},
};

static const struct schema_key ratio_keys[] = {
    {.name = "name",
     .type = SCHEMA_WORD,
     .expected = "a metric name without prefix, as instructions_per_cycle",
     .offset = offsetof(struct config_ratio, name),
     .required = true,
     .maximum = LONGEST_NAME},
    {.name = "formula",
     .type = SCHEMA_WORD,
     .expected = "a formula over the events of one group, as instructions / cycles",
     .offset = offsetof(struct config_ratio, formula),
     .required = true,
     .maximum = LONGEST_FORMULA},
};

static const struct schema_key expose_keys[] = {
    {.name = "rates",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config, expose_rates)},
    {.name = "ratios",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config, expose_ratios)},
};

static const struct schema_key limits_keys[] = {
    {.name = "cgroups",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, cgroups),
     .minimum = 1,
     .maximum = 100000},
    {.name = "processes",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, processes),
     .minimum = 1,
     .maximum = 100000},
    {.name = "threads",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, threads),
     .minimum = 1,
     .maximum = 1000000},
    {.name = "series",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, series),
     .minimum = 1,
     .maximum = 10000000},
    {.name = "body",
     .type = SCHEMA_BYTES,
     .expected = "a size from 4KiB to 1GiB, such as 8MiB",
     .offset = offsetof(struct config_limits, body),
     .minimum = 4 * KIB,
     .maximum = GIB},
    {.name = "descriptors",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, descriptors),
     .minimum = 16,
     .maximum = 100000000,
     .takes_auto = true},
    {.name = "pmu_counters",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_limits, pmu_counters),
     .minimum = 1,
     .maximum = 1000,
     .takes_auto = true,
     .takes_all = true},
    {.name = "schedule_ring",
     .type = SCHEMA_BYTES,
     .expected = "a size from 64KiB to 1GiB, such as 16MiB",
     .offset = offsetof(struct config_limits, schedule_ring),
     .minimum = 64 * KIB,
     .maximum = GIB},
};

static const struct schema group_schema = {"a group", group_keys, SCHEMA_N_KEYS(group_keys)};
static const struct schema probe_schema = {"a probe", probe_keys, SCHEMA_N_KEYS(probe_keys)};
static const struct schema span_schema = {"a span", span_keys, SCHEMA_N_KEYS(span_keys)};
static const struct schema system_calls_schema = {"system_calls", system_calls_keys,
                                                  SCHEMA_N_KEYS(system_calls_keys)};
static const struct schema rename_schema = {"a rename", rename_keys, SCHEMA_N_KEYS(rename_keys)};
static const struct schema ratio_schema = {"a ratio", ratio_keys, SCHEMA_N_KEYS(ratio_keys)};
static const struct schema expose_schema = {"expose", expose_keys, SCHEMA_N_KEYS(expose_keys)};
static const struct schema limits_schema = {"limits", limits_keys, SCHEMA_N_KEYS(limits_keys)};

static const struct schema_key history_keys[] = {
    {.name = "enabled",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_history, enabled)},
    {.name = "full",
     .type = SCHEMA_DURATION,
     .expected = "a duration from 1m to 7d, such as 1h",
     .offset = offsetof(struct config_history, full_ns),
     .minimum = 60 * NS_PER_SECOND,
     .maximum = 7 * DAY_NS},
    {.name = "ten_seconds",
     .type = SCHEMA_DURATION,
     .expected = "a duration from 1m to 90d, such as 1d",
     .offset = offsetof(struct config_history, ten_seconds_ns),
     .minimum = 60 * NS_PER_SECOND,
     .maximum = 90 * DAY_NS},
    {.name = "minutes",
     .type = SCHEMA_DURATION,
     .expected = "a duration from 1m to 400d, such as 7d",
     .offset = offsetof(struct config_history, minutes_ns),
     .minimum = 60 * NS_PER_SECOND,
     .maximum = 400 * DAY_NS},
    {.name = "bytes",
     .type = SCHEMA_BYTES,
     .expected = "a size from 1MiB to 1024GiB, such as 512MiB",
     .offset = offsetof(struct config_history, bytes),
     .minimum = KIB * KIB,
     .maximum = 1024 * GIB},
};

static const struct schema history_schema = {"history", history_keys, SCHEMA_N_KEYS(history_keys)};

static const struct schema_key profiles_keys[] = {
    {.name = "enabled",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_profiles, enabled)},
    {.name = "rate",
     .type = SCHEMA_NUMBER,
     .offset = offsetof(struct config_profiles, rate_hz),
     .minimum = 1,
     .maximum = 999},
    {.name = "memory",
     .type = SCHEMA_BYTES,
     .expected = "a size from 4MiB to 1GiB, such as 16MiB",
     .offset = offsetof(struct config_profiles, bytes),
     .minimum = 4 * MIB,
     .maximum = GIB},
};

static const struct schema profiles_schema = {"profiles", profiles_keys,
                                              SCHEMA_N_KEYS(profiles_keys)};

static const struct schema_key names_keys[] = {
    {.name = "kubernetes",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_names, kubernetes)},
    {.name = "containers",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_names, containers)},
    {.name = "machines",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_names, machines)},
    {.name = "batch",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = offsetof(struct config_names, batch)},
    {.name = "file",
     .type = SCHEMA_WORD,
     .expected = "the path of a CSV file, such as /etc/pmu_exporter/names.csv",
     .offset = offsetof(struct config_names, file),
     .maximum = LONGEST_FILE},
};

static const struct schema names_schema = {"names", names_keys, SCHEMA_N_KEYS(names_keys)};

static const struct schema_key config_keys[] = {
    {.name = "interval",
     .type = SCHEMA_DURATION,
     .expected = "a duration from 1s to 60s, such as 5s",
     .offset = offsetof(struct config, interval_ns),
     .minimum = NS_PER_SECOND,
     .maximum = 60 * NS_PER_SECOND},
    {.name = "counting",
     .type = SCHEMA_CHOICE,
     .offset = offsetof(struct config, counting),
     .choices = counting_choices},
    {.name = "linger",
     .type = SCHEMA_DURATION,
     .expected = "a duration from 0s to 1d, such as 60s",
     .offset = offsetof(struct config, linger_ns),
     .maximum = UINT64_C(24) * 3600 * NS_PER_SECOND},
    {.name = "groups",
     .type = SCHEMA_LIST,
     .expected = "a list of groups",
     .offset = offsetof(struct config, groups),
     .given_offset = offsetof(struct config, own_groups),
     .maximum = MOST_GROUPS,
     .inner = &group_schema,
     .count_offset = offsetof(struct config, n_groups),
     .element_size = sizeof(struct config_group)},
    {.name = "probes",
     .type = SCHEMA_LIST,
     .expected = "a list of probes",
     .offset = offsetof(struct config, probes),
     .maximum = MOST_PROBES,
     .inner = &probe_schema,
     .count_offset = offsetof(struct config, n_probes),
     .element_size = sizeof(struct config_probe)},
    {.name = "spans",
     .type = SCHEMA_LIST,
     .expected = "a list of spans",
     .offset = offsetof(struct config, spans),
     .maximum = SPANS_MOST,
     .inner = &span_schema,
     .count_offset = offsetof(struct config, n_spans),
     .element_size = sizeof(struct config_span)},
    {.name = "system_calls",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, system_calls),
     .inner = &system_calls_schema},
    {.name = "rename",
     .type = SCHEMA_LIST,
     .expected = "a list of renames",
     .offset = offsetof(struct config, renames),
     .maximum = MOST_RENAMES,
     .inner = &rename_schema,
     .count_offset = offsetof(struct config, n_renames),
     .element_size = sizeof(struct config_rename)},
    {.name = "ratios",
     .type = SCHEMA_LIST,
     .expected = "a list of ratios",
     .offset = offsetof(struct config, ratios),
     .maximum = MOST_RATIOS,
     .inner = &ratio_schema,
     .count_offset = offsetof(struct config, n_ratios),
     .element_size = sizeof(struct config_ratio)},
    {.name = "targets",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .given_offset = offsetof(struct config, own_targets),
     .inner = &config_targets_schema},
    {.name = "expose", .type = SCHEMA_MAPPING, .expected = "a mapping", .inner = &expose_schema},
    {.name = "limits",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, limits),
     .inner = &limits_schema},
    {.name = "history",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, history),
     .inner = &history_schema},
    {.name = "profiles",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, profiles),
     .inner = &profiles_schema},
    {.name = "names",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = offsetof(struct config, names),
     .inner = &names_schema},
};

const struct schema config_schema = {"the configuration", config_keys, SCHEMA_N_KEYS(config_keys)};
