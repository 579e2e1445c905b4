/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The kernel takes the memory of all cells at once (struct switch_program_size has the sum). Room
 * for every possible CPU may be too much of it: a virtual machine may have hundreds of possible
 * CPUs, of which two are online.
 */
#include "resolve/mechanism_size.h"

#include <string.h>

#include "count/bpf/self_test.h"
#include "event/expansion.h"
#include "resolve/resolution_groups.h"
#include "sys/cpu_list.h"
#include "sys/thread_limit.h"

/* A program that would take more than this has room for the CPUs that are online only. */
#define CHEAP_BYTES (UINT64_C(16) << 20)

/*
 * How many processes are watched at once. limits.processes does not bound them: with `children`,
 * all that a process starts belongs to it. Each takes 80 bytes.
 */
#define MOST_WATCHED 16384

/*
 * Lanes are the values of one cell. Their number is rounded up to a cache line, which also leaves
 * room for a group that comes with the next configuration.
 */
#define LANES_STEP 8

static bool is_listed(const struct config_words *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->words[i].text, name) == 0)
            return true;
    return false;
}

/* Whether some cgroup or process is counted by the group, so that the program charges it. */
static bool is_charged(const struct config *config, const char *group)
{
    for (size_t i = 0; i < config->n_cgroups; i++)
        if (is_listed(&config->cgroups[i].groups, group))
            return true;
    for (size_t i = 0; i < config->n_processes; i++)
        if (is_listed(&config->processes[i].groups, group))
            return true;
    return false;
}

static size_t larger_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

/*
 * How many parts of a group have room. The first ones have the events that are charged, so that
 * there are more only where most of what wildcards stand for cannot be counted.
 */
#define MOST_CHARGED_PARTS (EVENT_WILDCARD_MAX / EVENT_GROUP_MAX + 1)

/*
 * The most lanes of a group. A wildcard may stand for more events than are charged, and for more
 * parts: the events of all parts are no more than a CPU has, but each part has times of its own.
 */
static size_t most_lanes(const struct config_group *group)
{
    const size_t n_parts = config_group_most_parts(group);
    const size_t n_events = n_parts > 1 ? SWITCH_PROGRAM_EVENTS : group->n_events;
    const size_t n_charged = n_parts < MOST_CHARGED_PARTS ? n_parts : MOST_CHARGED_PARTS;

    return n_events + n_charged * BPF_GROUP_LANES(0);
}

/*
 * Each group counts twice: when a reload changes it, the group as it was stays open until the
 * successor has taken over.
 */
static size_t lanes_of(const struct config *config)
{
    size_t n = 0;

    for (size_t i = 0; i < config->n_groups; i++)
        if (is_charged(config, config->groups[i].name.text))
            n += 2 * most_lanes(&config->groups[i]);
    return (larger_of(n, SELF_TEST_LANES) + LANES_STEP - 1) / LANES_STEP * LANES_STEP;
}

/* The most targets there can be. A limit counts only where there are rules for that kind. */
static size_t targets_of(const struct config *config)
{
    return (config->n_cgroups > 0 ? (size_t)config->limits.cgroups : 0) +
           (config->n_processes > 0 ? (size_t)config->limits.processes : 0);
}

/* CPUs are found by their numbers, which may have gaps: room for the largest, and for 0. */
static size_t room_for(const struct cpu_list *cpus)
{
    return cpus->n > 0 ? (size_t)cpus->cpus[cpus->n - 1].value + 1 : 1;
}

unsigned latency_wanted(const struct config *config)
{
    unsigned kinds = config->system.enabled ? config->system.latency : 0;

    for (size_t i = 0; i < config->n_cgroups; i++)
        kinds |= config->cgroups[i].latency;
    for (size_t i = 0; i < config->n_processes; i++)
        kinds |= config->processes[i].latency;
    return kinds;
}

/* As many slots as there are, if their latencies do not take too much memory. */
static size_t latency_slots_of(const struct switch_program_size *size)
{
    const struct switch_program_size one = {.n_cpus = size->n_cpus, .n_latency_slots = 1};
    const uint64_t most = SWITCH_PROGRAM_MOST_LATENCY_BYTES / switch_program_latency_bytes(&one);

    return size->n_slots < most ? size->n_slots : (size_t)most;
}

int mechanism_size_for(const struct config *config, int sysfs_fd, int procfs_fd, bool v1,
                       struct switch_program_size *ret_size)
{
    AUTO(cpu_list) struct cpu_list *online = NULL, *possible = NULL;
    struct switch_program_size size = {
        /* in one cycle all targets may end, and as many begin before their sums are read */
        .n_slots = 2 * larger_of(targets_of(config), SELF_TEST_SLOTS) + SWITCH_PROGRAM_FIRST,
        .n_lanes = lanes_of(config),
        .n_watched = config->n_processes > 0 ? MOST_WATCHED : SELF_TEST_PROCESSES,
        .v1 = v1,
    };
    int r = cpu_list_read_online(sysfs_fd, &online);

    if (r >= 0)
        r = cpu_list_read_possible(sysfs_fd, &possible);
    if (r < 0)
        return r;
    size.n_cpus = room_for(possible);
    size.n_latency_slots = latency_wanted(config) ? size.n_slots : 0;
    size.n_threads = thread_limit_read(procfs_fd);
    if (switch_program_bytes(&size) + switch_program_latency_bytes(&size) > CHEAP_BYTES ||
        size.n_cpus < room_for(online))
        size.n_cpus = room_for(online);
    if (size.n_latency_slots > 0)
        size.n_latency_slots = latency_slots_of(&size);
    *ret_size = size;
    return 0;
}

bool mechanism_size_serves(const struct switch_program_size *size,
                           const struct switch_program_size *wanted)
{
    return size->n_cpus >= wanted->n_cpus && size->n_slots >= wanted->n_slots &&
           size->n_lanes >= wanted->n_lanes && size->n_watched >= wanted->n_watched &&
           size->n_latency_slots >= wanted->n_latency_slots &&
           (size->n_latency_slots > 0) == (wanted->n_latency_slots > 0) &&
           switch_program_away_bytes(size) >= switch_program_away_bytes(wanted) &&
           size->v1 == wanted->v1;
}
