/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The command line of pmu_exporter, in the conventions of Prometheus' exporters. */

#include <stdbool.h>
#include <stddef.h>

#include "log/log.h"
#include "service/flags.h"

#define DEFAULT_PORT        "10138"
#define DEFAULT_CONFIG_FILE "/etc/pmu_exporter/pmu_exporter.yml"

/* The Unix socket on which reload and pause may be asked for. */
#define DEFAULT_CONTROL_SOCKET "/run/pmu_exporter/control"

struct options {
    const char **listen_addresses; /* as given: ":10138", "127.0.0.1:10138", "[::1]:10138" */
    size_t n_listen_addresses;     /* 1 (":" DEFAULT_PORT) if none was given */
    bool systemd_socket;           /* Sockets of systemd are used; then there is no address. */
    const char *telemetry_path;    /* "/metrics" */
    bool enable_lifecycle;         /* Reload and pause may be asked for over TCP too. */
    const char *control_socket;    /* DEFAULT_CONTROL_SOCKET */
    const char *config_file;
    bool config_file_given; /* The file was named by the user, so it must exist. */
    bool config_check;
    const char *web_config_file; /* NULL: neither TLS nor users */
    unsigned max_requests;       /* parallel scrapes; 0: no limit */
    enum log_level log_level;
    enum log_format log_format;
    const char *storage_path;   /* NULL: $STATE_DIRECTORY, or none */
    const char *procfs, *sysfs; /* "/proc", "/sys" */
    const char *rootfs;         /* "/" */
    const char *cgroupfs;       /* NULL: found by the list of mounts */
};

/* What holds where no flag is given; but it has no addresses, as their list is on the heap. */
extern const struct options options_default;

/* What --help prints, and what a mistyped flag is compared with. */
#define N_OPTIONS_FLAGS 18
extern const struct flag options_flags[N_OPTIONS_FLAGS];

/*
 * Parses the command line. Strings are borrowed from argv; options_done() frees the list of
 * addresses. Returns an enum flags_outcome, or -ENOMEM.
 */
int options_parse(int argc, char **argv, struct options *ret_options);
void options_done(struct options *options);
