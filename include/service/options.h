/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of pmu_exporter, in the conventions of Prometheus' exporters. */

#include <stdbool.h>
#include <stddef.h>

#include "log/log.h"
#include "service/flags.h"

#define DEFAULT_PORT        "10138"
#define DEFAULT_CONFIG_FILE "/etc/pmu_exporter/pmu_exporter.yml"

/* Where the service answers what may ask for reload and pause. */
#define DEFAULT_CONTROL_SOCKET "/run/pmu_exporter/control"

struct options {
    const char **listen_addresses; /* as given: ":10138", "127.0.0.1:10138", "[::1]:10138" */
    size_t n_listen_addresses;     /* 1 (":" DEFAULT_PORT) where none was given */
    bool systemd_socket;           /* sockets of systemd; then there is no address */
    const char *telemetry_path;    /* "/metrics" */
    bool enable_lifecycle;         /* reload and pause may be asked for over TCP too */
    const char *control_socket;    /* DEFAULT_CONTROL_SOCKET */
    const char *config_file;
    bool config_file_given; /* then it must exist */
    bool config_check;
    enum log_level log_level;
    enum log_format log_format;
    const char *procfs, *sysfs; /* "/proc", "/sys" */
    const char *cgroupfs;       /* NULL: found by the list of mounts */
};

/* What --help prints, and what a mistyped flag is compared with. */
#define N_OPTIONS_FLAGS 14
extern const struct flag options_flags[N_OPTIONS_FLAGS];

/*
 * Parses the command line. Strings are borrowed from argv; options_done() frees the list of
 * addresses. Returns an enum flags_outcome, or -ENOMEM.
 */
int options_parse(int argc, char **argv, struct options *ret_options);
void options_done(struct options *options);
