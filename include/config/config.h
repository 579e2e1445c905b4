/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The configuration: strict YAML (man page pmu_exporter.yml(5)), or the built-in
 * default. Plain data once parsed; config_free() ends all of it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/shared_text.h"
#include "base/text.h"
#include "config/config_reader.h"

/* Where something stands in the file, counted from 1. Line 0: in no file, but in the default. */
struct config_place {
    unsigned line;
    unsigned column;
};

/* A word of the file, and where it begins. */
struct config_word {
    char *text;
    struct config_place place;
};

struct config_words {
    struct config_word *words;
    size_t n;
};

struct config_numbers {
    uint64_t *numbers;
    size_t n;
};

/* An event of a group. The file may have the name of the event alone in the place of a mapping. */
struct config_event {
    struct config_word event;  /* what is counted, as perf names it: "sched:sched_switch" */
    struct config_word filter; /* of a tracepoint or probe; its text is NULL: there is none */
    struct config_word name;   /* its part of the names of metrics; its text is NULL: not given */
};

struct config_group {
    struct config_word name;
    struct config_event *events;
    size_t n_events;
};

struct config_rename {
    struct config_word event;
    struct config_word name;
};

struct config_ratio {
    struct config_word name;
    struct config_word formula;
};

/* A probe has one of the three places; the texts of the others are NULL. */
struct config_probe {
    struct config_word name;
    struct config_word kernel;
    struct config_word user;
    struct config_word usdt;
};

/* The time from one event to another one of the same key: tracepoints, or probes. */
struct config_span {
    struct config_word name;
    struct config_word begin;
    struct config_word end;
    struct config_word key;     /* a field, or CONFIG_KEY_THREAD; its text is NULL for that, too */
    struct config_word end_key; /* the same of the end; its text is NULL: it is as `key` */
};

#define CONFIG_KEY_THREAD "thread"

/* How many of the calls that are timed are: each, or of each thread the 17th, the 34th and so on.
 */
enum config_sampling { CONFIG_EACH_CALL, CONFIG_ONE_IN_17 };

struct config_system_calls {
    struct config_words timed; /* names of calls, each of which exists and returns */
    enum config_sampling one_in;
};

/* One in how many calls that is. */
static inline unsigned config_one_in(const struct config_system_calls *system_calls)
{
    return system_calls->one_in == CONFIG_ONE_IN_17 ? 17 : 1;
}

enum config_counting { CONFIG_COUNTING_AUTO, CONFIG_COUNTING_DIRECT, CONFIG_COUNTING_BPF };
/* Whether a target is one sum, or what it had on each CPU or NUMA node is shown too. */
enum config_by { CONFIG_BY_ALL, CONFIG_BY_CPU, CONFIG_BY_NODE, CONFIG_BYS_ };

struct config_cgroup_rule {
    struct config_words include;
    struct config_words exclude;
    struct config_words groups; /* names of groups, each of which exists */
    unsigned latency;           /* set of enum latency_kind */
    enum config_by by;
};

/*
 * At least one of the selectors comm, exe, cmdline and pid has an entry; what they mean stands in
 * target/process_rules.h.
 */
struct config_process_rule {
    struct config_word name; /* a template; its text is NULL for the built-in template */
    struct config_words comm;
    struct config_words exe;
    struct config_words cmdline; /* regular expressions, each of which compiles */
    struct config_numbers pid;
    bool children;
    struct config_words groups; /* names of groups, each of which exists */
    unsigned latency;           /* set of enum latency_kind */
    enum config_by by;
};

struct config_system {
    bool enabled; /* the configuration has targets.system */
    struct config_words groups;
    unsigned latency; /* set of enum latency_kind */
    enum config_by by;
    struct config_word cpus; /* a list of CPUs; its text is NULL for all but nohz_full ones */
};

#define CONFIG_ALL_COUNTERS UINT64_MAX

struct config_limits {
    uint64_t cgroups;
    uint64_t processes;
    uint64_t threads;
    uint64_t series;
    uint64_t body;          /* bytes of the text of /metrics */
    uint64_t descriptors;   /* 0: as many as the limit of open files allows */
    uint64_t pmu_counters;  /* how many may be active at once on a CPU; 0: half of those that are
                               free; or CONFIG_ALL_COUNTERS */
    uint64_t schedule_ring; /* bytes of the ring of a run that records the scheduler */
};

/* How much of the past is kept (history/history.h). */
struct config_history {
    bool enabled;
    uint64_t full_ns, ten_seconds_ns, minutes_ns;
    uint64_t bytes;
};

/* Whether stacks are sampled, and what that may cost (profile/sampler.h). */
struct config_profiles {
    bool enabled;
    uint64_t rate_hz; /* samples a second of each CPU, 1 to 999 */
    uint64_t bytes;   /* for everything that profiles take: tables in the kernel, names, counts */
};

/* Who names targets (target/target_names.h). */
struct config_names {
    bool kubernetes, containers, machines, batch;
    struct config_word file; /* the path of a CSV file; its text is NULL: there is none */
};

struct config {
    uint64_t interval_ns;
    uint64_t linger_ns;
    enum config_counting counting;
    struct config_group *groups;
    size_t n_groups;
    struct config_probe *probes;
    size_t n_probes;
    struct config_span *spans;
    size_t n_spans;
    struct config_system_calls system_calls;
    struct config_rename *renames;
    size_t n_renames;
    struct config_ratio *ratios;
    size_t n_ratios;
    struct config_system system;
    struct config_cgroup_rule *cgroups;
    size_t n_cgroups;
    struct config_process_rule *processes;
    size_t n_processes;
    bool expose_rates;
    bool expose_ratios;
    struct config_limits limits;
    struct config_history history;
    struct config_profiles profiles;
    struct config_names names;
    bool own_groups;   /* the text has the key "groups", else they are the built-in groups */
    bool own_targets;  /* the text has the key "targets", else they are the built-in targets */
    bool says_nothing; /* the text has no key at all */
    struct shared_text *text; /* as it was read, for people; NULL: the built-in default runs */
};

/* Takes NULL, and returns it. */
struct config *config_free(struct config *config);
DEFINE_AUTO(config, struct config *, config_free)

/* What is wrong with a configuration, for one line to the user: FILE:LINE:COLUMN: message. */
struct config_error {
    struct config_place place; /* line 0: the file as a whole */
    char message[512];         /* what stands there, what was expected, the nearest valid word */
    bool suggests;             /* the message asks "did you mean" */
};

/*
 * Appends a line that says why a configuration was not read. r: what config_read() returned;
 * -EINVAL: the error's place and message are given.
 */
void config_describe_failure(const char *path, int r, const struct config_error *error,
                             struct text *text);

/*
 * Parses a whole configuration of our own, in this process. A key that it leaves out at the top
 * level has the value of the built-in default. What depends on the machine, as whether an event
 * exists, is not looked at: `pmutool check config` does that. Returns 0; -EINVAL with *ret_error
 * filled: the text is not valid; -ENOMEM.
 */
int config_parse(const char *text, size_t length, struct config **ret_config,
                 struct config_error *ret_error);

/*
 * config_parse() for the text of a file. A process without rights takes it apart; `reader` NULL:
 * this one does. It has to be complete: it has a key, or {} for the
 * whole default, and it ends with the end of a line or is one pair of braces. The error for a text
 * that has no key of a configuration quotes nothing of it, because it may be somebody's secret, but
 * a word that is nearly a key.
 */
int config_parse_file(struct object_reader *reader, const char *text, size_t length,
                      struct config **ret_config, struct config_error *ret_error);

/*
 * Reads a file and parses it as config_parse_file() does. It has to be a regular file of at most
 * 1 MiB, reached without symbolic links of others than root and our own user. A file that is being
 * written is read again, for half a second at the most. 0; -EINVAL as above; another -errno: the
 * file cannot be read (-ENOENT: there is none).
 */
int config_read(struct object_reader *reader, const char *path, struct config **ret_config,
                struct config_error *ret_error);

/* Where a configuration has come from: a positive return value is no error. */
enum config_origin { CONFIG_FROM_FILE, CONFIG_IS_DEFAULT };

/* Who besides root and our own user may change a file, as "group 100 may write /etc/x.yml". */
struct config_writers {
    char phrase[160]; /* empty: nobody else may */
};

/*
 * Reads a file as config_read() does, and finds who may write it. Where no file exists, and none
 * has to (may_be_absent), takes the built-in default. Returns an enum config_origin, or an error as
 * config_read() does. Logs nothing: the caller says what the user should know of it.
 */
int config_load(struct object_reader *reader, const char *path, bool may_be_absent,
                struct config **ret_config, struct config_writers *ret_writers,
                struct config_error *ret_error);

/*
 * Whether a configuration may take the place of the one that runs. It may not where that one has
 * groups or targets of its own and the new one falls back to the built-in ones: a file that was
 * cut, or is gone for a moment, looks like that. 0, or -EINVAL with *ret_error filled.
 */
int config_may_follow(const struct config *running, const struct config *next,
                      struct config_error *ret_error);

/* The built-in default, which runs where no file exists: config_default_text. 0 or -ENOMEM. */
int config_default(struct config **ret_config);
extern const char config_default_text[];
