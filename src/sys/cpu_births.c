/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cpu_births.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static uint64_t read_birth(int sysfs_fd, struct cpu_number cpu)
{
    struct stat status;
    char path[64];

    (void)snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology", cpu.value);
    return fstatat(sysfs_fd, path, &status, 0) < 0 ? 0 : status.st_ino;
}

int cpu_births_read(int sysfs_fd, struct cpu_births **ret_births)
{
    AUTO(cpu_births) struct cpu_births *births = calloc(1, sizeof(*births));
    int r;

    if (!births)
        return -ENOMEM;
    r = cpu_list_read_online(sysfs_fd, &births->online);
    if (r < 0)
        return r;
    births->births = calloc(births->online->n + 1, sizeof(*births->births));
    if (!births->births)
        return -ENOMEM;
    for (size_t i = 0; i < births->online->n; i++)
        births->births[i] = read_birth(sysfs_fd, births->online->cpus[i]);
    *ret_births = TAKE(births);
    return 0;
}

struct cpu_births *cpu_births_free(struct cpu_births *births)
{
    if (!births)
        return NULL;
    (void)cpu_list_free(births->online);
    free(births->births);
    free(births);
    return NULL;
}

bool cpu_births_equal(const struct cpu_births *a, const struct cpu_births *b)
{
    return cpu_list_equal(a->online, b->online) &&
           memcmp(a->births, b->births, a->online->n * sizeof(*a->births)) == 0;
}

static bool has_birth(const struct cpu_births *births, struct cpu_number cpu, uint64_t birth)
{
    for (size_t i = 0; i < births->online->n; i++)
        if (births->online->cpus[i].value == cpu.value)
            return births->births[i] == birth;
    return false;
}

int cpu_births_common(const struct cpu_births *a, const struct cpu_births *b,
                      struct cpu_list **ret_cpus)
{
    size_t most = a->online->n;
    struct cpu_list *cpus = malloc(sizeof(*cpus) + most * sizeof(cpus->cpus[0]));

    if (!cpus)
        return -ENOMEM;
    cpus->n = 0;
    for (size_t i = 0; i < most; i++)
        if (has_birth(b, a->online->cpus[i], a->births[i]))
            cpus->cpus[cpus->n++] = a->online->cpus[i];
    *ret_cpus = cpus;
    return 0;
}
