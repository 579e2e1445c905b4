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
#include "base/text.h"

/* Where something stands in the file; 1-based. Line 0: nowhere (the built-in default). */
struct config_place {
    unsigned line;
    unsigned column;
};

/* A word of the file, and where it stands. */
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

struct config_group {
    struct config_word name;
    struct config_words events;
};

struct config_rename {
    struct config_word event;
    struct config_word name;
};

struct config_ratio {
    struct config_word name;
    struct config_word formula;
};

enum config_counting { CONFIG_COUNTING_AUTO, CONFIG_COUNTING_DIRECT, CONFIG_COUNTING_BPF };
enum config_by { CONFIG_BY_ALL, CONFIG_BY_CPU };

struct config_cgroup_rule {
    struct config_words include;
    struct config_words exclude;
    struct config_words groups; /* names of groups, each of which exists */
};

/* At least one of comm, exe, cmdline, pid has an entry (target/process_rules.h). */
struct config_process_rule {
    struct config_word name; /* a template; text NULL: the built-in one */
    struct config_words comm;
    struct config_words exe;
    struct config_words cmdline; /* each compiles */
    struct config_numbers pid;
    bool children;
    struct config_words groups; /* names of groups, each of which exists */
};

struct config_system {
    bool enabled; /* targets.system is there */
    struct config_words groups;
    enum config_by by;
    struct config_word cpus; /* text NULL: auto (online but nohz_full); else a cpu list */
};

#define CONFIG_ALL_COUNTERS UINT64_MAX

struct config_limits {
    uint64_t cgroups;
    uint64_t processes;
    uint64_t threads;
    uint64_t series;
    uint64_t body;         /* bytes */
    uint64_t descriptors;  /* 0: auto */
    uint64_t pmu_counters; /* active at once on a CPU; 0: auto; CONFIG_ALL_COUNTERS */
};

struct config {
    uint64_t interval_ns;
    uint64_t linger_ns;
    enum config_counting counting;
    struct config_group *groups;
    size_t n_groups;
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
    bool own_groups;   /* the text has "groups": they are not the built-in ones … */
    bool own_targets;  /* … nor are these */
    bool says_nothing; /* it has no key at all */
};

struct config *config_free(struct config *config);
DEFINE_AUTO(config, struct config *, config_free)

/* What is wrong, for one line to the user: FILE:LINE:COLUMN: message. */
struct config_error {
    struct config_place place; /* line 0: the file as a whole */
    char message[512];         /* what it is, what was expected, the nearest valid word */
};

/*
 * Appends a line that says why a configuration was not read. r: what config_read() returned;
 * -EINVAL: the error's place and message are given.
 */
void config_describe_failure(const char *path, int r, const struct config_error *error,
                             struct text *text);

/*
 * Parses a whole configuration. What it leaves out at the top level is as in the
 * built-in default. Returns 0; -EINVAL with *ret_error filled if the text is not a valid
 * one; -ENOMEM. What only the machine can tell (whether an event exists here) is not
 * looked at; `pmutool check config` tells that.
 */
int config_parse(const char *text, size_t length, struct config **ret_config,
                 struct config_error *ret_error);

/*
 * The same for the text of a file, which has to be complete: it has a key, or {} for the whole
 * default, and ends with the end of a line, or is one pair of braces. An error quotes nothing of
 * one that has no key of a configuration: it may be somebody's secret.
 */
int config_parse_file(const char *text, size_t length, struct config **ret_config,
                      struct config_error *ret_error);

/*
 * Reads a file and parses it as above: a regular one of at most 1 MiB, reached without symbolic
 * links of others than root and our own user. One that is being written is read again, for half a
 * second at the most. 0; -EINVAL as above; -errno if it cannot be read (-ENOENT).
 */
int config_read(const char *path, struct config **ret_config, struct config_error *ret_error);

/* Where a configuration has come from: a positive return value is no error. */
enum config_origin { CONFIG_FROM_FILE, CONFIG_IS_DEFAULT };

/* Who besides root and our own user may change a file, as "group 100 may write /etc/x.yml". */
struct config_writers {
    char phrase[160]; /* empty: nobody else may */
};

/*
 * config_read(), and who may write that file. Where no file exists, and none needs to
 * (may_be_absent), the built-in default. Returns an enum config_origin, or an error as
 * config_read() does. Nothing is logged: the caller says what the user should know of it.
 */
int config_load(const char *path, bool may_be_absent, struct config **ret_config,
                struct config_writers *ret_writers, struct config_error *ret_error);

/*
 * Whether a configuration may take the place of one that runs: not where that has groups or
 * targets of its own and the new one falls back to the built-in, which is what a file that was
 * cut, or is gone for a moment, looks like. 0, or -EINVAL with *ret_error.
 */
int config_may_follow(const struct config *running, const struct config *next,
                      struct config_error *ret_error);

/* What runs where no file exists. 0 or -ENOMEM. The text is config_default_text. */
int config_default(struct config **ret_config);
extern const char config_default_text[];
