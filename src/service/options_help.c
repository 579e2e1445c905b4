/* SPDX-License-Identifier: Apache-2.0 */
#include "service/options_help.h"

#include <stdio.h>
#include <string.h>

#include "service/options.h"

#define HELP_COLUMN 29
#define LINE_WIDTH  80

const struct flag flags[FLAG_COUNT_] = {
    [FLAG_HELP] = {"help", NULL, false, "Show this help."},
    [FLAG_LISTEN_ADDRESS] = {"web.listen-address", ":" DEFAULT_PORT, true,
                             "Address to answer HTTP on: HOST:PORT, :PORT or [IPV6]:PORT. "
                             "Repeatable."},
    [FLAG_SYSTEMD_SOCKET] = {"web.systemd-socket", NULL, false,
                             "Answer on the sockets that systemd passes, and on no address."},
    [FLAG_TELEMETRY_PATH] = {"web.telemetry-path", "/metrics", false,
                             "Path under which the metrics stand."},
    [FLAG_ENABLE_LIFECYCLE] = {"web.enable-lifecycle", NULL, false,
                               "Allow reload and pause over HTTP from wherever it is answered, "
                               "not on the control socket alone."},
    [FLAG_CONTROL_SOCKET] = {"control.socket", DEFAULT_CONTROL_SOCKET, false,
                             "Unix socket for reload and pause, for this user alone."},
    [FLAG_CONFIG_FILE] = {"config.file", DEFAULT_CONFIG_FILE, false,
                          "The configuration. Where this file is not given and does not exist, "
                          "a built-in default runs."},
    [FLAG_CONFIG_CHECK] = {"config.check", NULL, false,
                           "Check the configuration, say what it would count here, and exit."},
    [FLAG_PROCFS] = {"path.procfs", "/proc", false, "Where procfs is mounted."},
    [FLAG_SYSFS] = {"path.sysfs", "/sys", false, "Where sysfs is mounted."},
    [FLAG_CGROUPFS] = {"path.cgroupfs", "PATH", false,
                       "Where the cgroup hierarchy with perf_event is mounted. Found by itself "
                       "where not given."},
    [FLAG_LOG_LEVEL] = {"log.level", "info", false,
                        "Only log messages of this level or above: debug, info, warn, error."},
    [FLAG_LOG_FORMAT] = {"log.format", "logfmt", false, "Format of log messages: logfmt or json."},
    [FLAG_VERSION] = {"version", NULL, false, "Show the version."},
};

/* Begins new lines at HELP_COLUMN; the first stands at `column`. */
static void print_wrapped(const char *text, int column)
{
    for (size_t length; *text; text += length) {
        length = strcspn(text, " ");
        if (column > HELP_COLUMN && column + 1 + (int)length > LINE_WIDTH) {
            (void)printf("\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
        }
        if (column > HELP_COLUMN) {
            (void)putchar(' ');
            column++;
        }
        (void)printf("%.*s", (int)length, text);
        column += (int)length;
        length += strspn(text + length, " ");
    }
    (void)putchar('\n');
}

static void print_flag(const struct flag *flag, bool has_letter)
{
    int column = printf("  %s --%s", has_letter ? "-h," : "   ", flag->name);

    if (flag->placeholder)
        column += printf("=%s", flag->placeholder);
    if (flag->repeatable)
        column += printf(" ...");
    if (column + 2 > HELP_COLUMN)
        (void)printf("\n%*s", HELP_COLUMN, "");
    else
        (void)printf("%*s", HELP_COLUMN - column, "");
    print_wrapped(flag->help, HELP_COLUMN);
}

void options_print_help(void)
{
    (void)puts("usage: pmu_exporter [<flags>]\n\n"
               "Counts performance events of machine, cgroups and processes, for Prometheus.\n\n"
               "Flags:");
    for (size_t i = 0; i < FLAG_COUNT_; i++)
        print_flag(&flags[i], i == FLAG_HELP);
}
