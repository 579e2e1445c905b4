/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What `pmutool check config` and `pmu_exporter --config.check` print. */

#include <stdbool.h>

#include "check/output.h"
#include "check/profiles.h"
#include "config/config.h"
#include "resolve/latency_choice.h"
#include "resolve/resolution_budget.h"

/* The exit status for a configuration, or a command line, that is not valid. */
#define EXIT_BAD_CONFIG 2

/* Prints config_describe_failure() on stderr. */
void check_print_failure(const char *path, int r, const struct config_error *error);

/* What a configuration comes to on this machine. All of it is borrowed. */
struct check_result {
    const struct check_output *output; /* its problems and matches */
    const struct config *config;
    const struct resolution *resolution;
    const struct mechanism_choice *choice;
    const struct latency_choice *latency;
    struct check_profiles profiles;
    const struct pmu_share *share;
    int sysfs_fd;  /* its root, as the request names it */
    int undecided; /* -errno: the kernel could not be asked what it lets us count; else 0 */
};

struct check_request {
    const char *path;   /* of the configuration */
    bool may_be_absent; /* Where there is no such file the built-in default is looked at. */
    const char *sysfs;  /* where that is mounted */
    bool prints;        /* The report is printed as text. */

    /* What else becomes of the result; 0 or -errno. NULL: nothing. */
    int (*finish)(void *object, const struct check_result *result);

    /* Told of a configuration that is not valid or cannot be read; NULL: check_print_failure(). */
    void (*fail)(void *object, const char *path, int r, const struct config_error *error);
    void *object;
};

/*
 * Reads the file and finds out what it comes to on this machine: each event, what the rules match,
 * by which mechanism is counted, with which share of the PMU, and what is left out and why. Errors
 * go to stderr as FILE:LINE:COLUMN: message. Returns the exit status: 0, or 2 for a configuration
 * that is not valid or cannot be read.
 */
int check_report(const struct check_request *request);
