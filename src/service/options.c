/* SPDX-License-Identifier: Apache-2.0 */
#include "service/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "service/flags.h"
#include "service/pages.h"
#include "service/version.h"
#include "web/server.h"

#define PROGRAM "pmu_exporter"

static int print_help(const struct flag *flag, const char *value, void *object,
                      const char **ret_expected)
{
    (void)flag, (void)value, (void)object, (void)ret_expected;
    (void)puts("usage: pmu_exporter [<flags>]\n\n"
               "Counts performance events of machine, cgroups and processes, for Prometheus.\n\n"
               "Flags:");
    flags_print(options_flags, N_OPTIONS_FLAGS);
    return FLAGS_DONE;
}

static int print_version(const struct flag *flag, const char *value, void *object,
                         const char **ret_expected)
{
    (void)flag, (void)value, (void)object, (void)ret_expected;
    version_print(PROGRAM);
    return FLAGS_DONE;
}

static int add_address(struct options *options, const char *address)
{
    const char **addresses = reallocarray(options->listen_addresses,
                                          options->n_listen_addresses + 1, sizeof(*addresses));

    if (!addresses)
        return -ENOMEM;
    addresses[options->n_listen_addresses++] = address;
    options->listen_addresses = addresses;
    return FLAGS_RUN;
}

static int take_address(const struct flag *flag, const char *value, void *object,
                        const char **ret_expected)
{
    (void)flag;
    *ret_expected = server_listen_check(value);
    return *ret_expected ? FLAGS_BAD : add_address(object, value);
}

/* The path is compared with what stands in a request line, and shown as a link. */
static int take_telemetry_path(const struct flag *flag, const char *value, void *object,
                               const char **ret_expected)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789/-._~";
    struct options *options = object;

    (void)flag;
    if (value[0] != '/' || value[strspn(value, plain)])
        *ret_expected = "a path that begins with / and holds letters, digits and /-._~";
    else if (pages_has_path(value))
        *ret_expected = "a path that is not taken";
    else
        options->telemetry_path = value;
    return *ret_expected ? FLAGS_BAD : FLAGS_RUN;
}

static int take_config_file(const struct flag *flag, const char *value, void *object,
                            const char **ret_expected)
{
    struct options *options = object;

    options->config_file_given = true;
    return flag_take_path(flag, value, object, ret_expected);
}

static int take_max_requests(const struct flag *flag, const char *value, void *object,
                             const char **ret_expected)
{
    struct options *options = object;
    uint64_t number;

    (void)flag;
    *ret_expected = "a number from 0, which is no limit, to 512";
    if (parse_u64(value, &number) < 0 || number > 512)
        return FLAGS_BAD;
    options->max_requests = (unsigned)number;
    return FLAGS_RUN;
}

static int take_log_level(const struct flag *flag, const char *value, void *object,
                          const char **ret_expected)
{
    struct options *options = object;

    (void)flag;
    *ret_expected = "debug, info, warn or error";
    return log_level_parse(value, &options->log_level) == 0 ? FLAGS_RUN : FLAGS_BAD;
}

static int take_log_format(const struct flag *flag, const char *value, void *object,
                           const char **ret_expected)
{
    struct options *options = object;

    (void)flag;
    *ret_expected = "logfmt or json";
    return log_format_parse(value, &options->log_format) == 0 ? FLAGS_RUN : FLAGS_BAD;
}

#define MEMBER(name) offsetof(struct options, name)

const struct flag options_flags[N_OPTIONS_FLAGS] = {
    {"help", NULL, false, "Show this help.", print_help, 0},
    {"web.listen-address", ":" DEFAULT_PORT, true,
     "Address to answer HTTP on: HOST:PORT, :PORT or [IPV6]:PORT. Repeatable.", take_address, 0},
    {"web.systemd-socket", NULL, false,
     "Answer on the sockets that systemd passes, and on no address.", flag_take_presence,
     MEMBER(systemd_socket)},
    {"web.telemetry-path", "/metrics", false, "Path of the metrics.", take_telemetry_path, 0},
    {"web.enable-lifecycle", NULL, false,
     "Allow reload, pause, marks and runs wherever HTTP is answered, not on the control socket "
     "alone.",
     flag_take_presence, MEMBER(enable_lifecycle)},
    {"web.config.file", "PATH", false,
     "TLS and users, as for Prometheus' exporters. Followed while the service runs.",
     flag_take_path, MEMBER(web_config_file)},
    {"web.max-requests", "0", false, "Most parallel scrapes; 0 is no limit.", take_max_requests, 0},
    {"control.socket", DEFAULT_CONTROL_SOCKET, false,
     "Unix socket for pmutool: reload, pause, marks and runs. Only root and this user can open it.",
     flag_take_path, MEMBER(control_socket)},
    {"config.file", DEFAULT_CONFIG_FILE, false,
     "The configuration. If this file is not given and does not exist, a built-in default runs.",
     take_config_file, MEMBER(config_file)},
    {"config.check", NULL, false,
     "Check the configuration, say what it would count here, and exit.", flag_take_presence,
     MEMBER(config_check)},
    {"storage.path", "DIRECTORY", false,
     "Where history and runs are kept. If it is not given, $STATE_DIRECTORY, or memory.",
     flag_take_path, MEMBER(storage_path)},
    {"path.procfs", "/proc", false, "Where procfs is mounted.", flag_take_path, MEMBER(procfs)},
    {"path.sysfs", "/sys", false, "Where sysfs is mounted.", flag_take_path, MEMBER(sysfs)},
    {"path.cgroupfs", "PATH", false,
     "Where the cgroup hierarchy with perf_event is mounted. If it is not given, it is looked for.",
     flag_take_path, MEMBER(cgroupfs)},
    {"path.rootfs", "/", false,
     "Where the root of the host is mounted, for files of container runtimes and others that tell "
     "names.",
     flag_take_path, MEMBER(rootfs)},
    {"log.level", "info", false,
     "Only log messages of this level or above: debug, info, warn, error.", take_log_level, 0},
    {"log.format", "logfmt", false, "Format of log messages: logfmt or json.", take_log_format, 0},
    {"version", NULL, false, "Show the version.", print_version, 0},
};

/*
 * An address that is given beside the sockets would be ignored: somebody who asked for
 * loopback could be answering to the world.
 */
static int complete_addresses(struct options *options)
{
    if (options->systemd_socket && options->n_listen_addresses > 0)
        return flags_refuse(PROGRAM, "--web.systemd-socket and --web.listen-address are given "
                                     "together; the address stands in the .socket unit");
    if (options->systemd_socket || options->n_listen_addresses > 0)
        return FLAGS_RUN;
    return add_address(options, ":" DEFAULT_PORT);
}

int options_parse(int argc, char **argv, struct options *ret_options)
{
    static const struct flag_table table = {
        .program = PROGRAM, .flags = options_flags, .n = N_OPTIONS_FLAGS};
    struct options options = options_default;
    bool given[N_OPTIONS_FLAGS];
    int r = flags_parse(&table, argc, argv, &options, given);

    if (r == FLAGS_RUN)
        r = complete_addresses(&options);
    if (r != FLAGS_RUN) {
        options_done(&options);
        return r;
    }
    *ret_options = options;
    return FLAGS_RUN;
}

void options_done(struct options *options)
{
    free(options->listen_addresses);
    options->listen_addresses = NULL;
    options->n_listen_addresses = 0;
}
