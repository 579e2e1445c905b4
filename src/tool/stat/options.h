/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of `pmutool stat`. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/event_names.h"
#include "run/target.h"
#include "sys/cpu_list.h"

enum stat_format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON };

struct stat_options {
    struct event_name_list words; /* of -e, in the order given; empty: none was given */
    const char **group_names;     /* of -g */
    size_t n_group_names;
    const char *config_file; /* NULL: the service's own, or the built-in default */

    enum run_target_kind target;
    bool is_system_wide; /* -a was given */
    const char *cgroup;
    pid_t *tasks; /* processes of -p or threads of -t, in ascending order */
    size_t n_tasks;
    struct cpu_list *cpus; /* of -C; NULL: all that are online */
    bool is_per_cpu;       /* -A */

    uint64_t interval_ns; /* 0: figures are shown once, at the end */
    uint64_t duration_ns; /* 0: without a bound */
    uint64_t runs;        /* of -r; 1: the command runs once, and there is no error to show */

    enum stat_format format;
    const char *separator; /* between columns of FORMAT_CSV */
    const char *output;    /* the file of -o; NULL: stderr */
    bool appends;          /* the file of -o is not truncated */
    const char *run_title; /* of --run; NULL: nothing is kept */
    const char *socket;    /* of --socket, for that */

    char **command; /* NULL-terminated; NULL: none is started */
};

/* Does not return for a wrong command line or --help (tool/command.h). */
void stat_options_parse(int argc, char **argv, struct stat_options *ret_options);

/* Who is to be counted; command: the process of TARGET_COMMAND. Both are borrowed. */
struct run_wish stat_options_wish(const struct stat_options *options, const pid_t *command);

void stat_options_done(struct stat_options *options);
