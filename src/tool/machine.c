/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "config/config_error.h"
#include "tool/command.h"

enum { KEY_SYSFS = 0x1100 };

static error_t parse_sysfs(int key, char *argument, struct argp_state *state)
{
    if (key != KEY_SYSFS)
        return ARGP_ERR_UNKNOWN;
    if (!*argument)
        command_refuse("--path.sysfs is \"\"; expected a path");
    *(const char **)state->input = argument;
    return 0;
}

static const struct argp_option sysfs_options[] = {
    {.name = "path.sysfs", .key = KEY_SYSFS, .arg = "PATH", .doc = "Where sysfs is mounted."},
    {0},
};

const struct argp machine_argp = {.options = sysfs_options, .parser = parse_sysfs};

int machine_open(const char *sysfs, struct machine *ret_machine)
{
    struct machine machine = {.sysfs_fd = -1};
    int r;

    machine.sysfs_fd = open(sysfs, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    r = machine.sysfs_fd < 0 ? -errno : event_resolver_new(machine.sysfs_fd, &machine.resolver);
    if (r >= 0)
        event_resolver_encode_absent(machine.resolver);
    if (r >= 0 && cpu_list_read_online(machine.sysfs_fd, &machine.online) < 0)
        r = cpu_list_parse("", &machine.online);
    if (r >= 0 && pmu_list_read(machine.sysfs_fd, &machine.pmus) == -ENOMEM)
        r = -ENOMEM;
    if (r < 0) {
        (void)fprintf(stderr, PROGRAM ": %s: %s\n", SHOWN(sysfs), strerror(-r));
        machine_close(&machine);
        return r;
    }
    *ret_machine = machine;
    return 0;
}

void machine_close(struct machine *machine)
{
    (void)event_resolver_free(machine->resolver);
    (void)pmu_list_free(machine->pmus);
    (void)cpu_list_free(machine->online);
    cleanup_close(&machine->sysfs_fd);
}

struct event_trial machine_try(const struct machine *machine, const struct event *event)
{
    const struct pmu *pmu = machine->pmus ? pmu_list_find_name(machine->pmus, event->pmu) : NULL;

    return event_try(&perf_ops_kernel, event, pmu && pmu->cpus ? pmu->cpus : machine->online);
}
