/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/cpu_topology.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "sys/cpu_list.h"
#include "sys/small_file.h"

/* The kernel writes -1 for what it does not know, which is no number for parse_u64() either. */
static int parse_id(const char *text)
{
    uint64_t value;

    return parse_u64(text, &value) < 0 || value > INT_MAX ? -1 : (int)value;
}

static int read_id(int sysfs_fd, struct cpu_number cpu, const char *name)
{
    char path[96], text[32];

    (void)snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/topology/%s", cpu.value, name);
    if (small_file_read(sysfs_fd, path, text, sizeof(text)) < 0)
        return -1;
    text[strcspn(text, "\n")] = '\0';
    return parse_id(text);
}

/* The directory of a CPU has a link to its NUMA node ("node0"). */
static int find_node(int sysfs_fd, struct cpu_number cpu)
{
    static const char prefix[] = "node";
    char path[64];
    const struct dirent *entry;

    (void)snprintf(path, sizeof(path), "devices/system/cpu/cpu%d", cpu.value);
    AUTO(directory) DIR *directory = small_file_list(sysfs_fd, path);
    if (!directory)
        return -1;
    while ((entry = readdir(directory))) {
        int node;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        node = parse_id(entry->d_name + strlen(prefix));
        if (node >= 0)
            return node;
    }
    return -1;
}

struct cpu_topology cpu_topology_read(int sysfs_fd, struct cpu_number cpu)
{
    return (struct cpu_topology){
        .core = read_id(sysfs_fd, cpu, "core_id"),
        .socket = read_id(sysfs_fd, cpu, "physical_package_id"),
        .node = find_node(sysfs_fd, cpu),
    };
}

/* The first CPU of a list in a file below the CPU's directory, which is in ascending order; or -1.
 */
static int read_first(int sysfs_fd, struct cpu_number cpu, const char *name)
{
    AUTO(cpu_list) struct cpu_list *list = NULL;
    char path[96], text[1024];

    (void)snprintf(path, sizeof(path), "devices/system/cpu/cpu%d/%s", cpu.value, name);
    if (small_file_read(sysfs_fd, path, text, sizeof(text)) < 0 || cpu_list_parse(text, &list) < 0)
        return -1;
    return list->n > 0 ? list->cpus[0].value : -1;
}

/* Caches are numbered from the nearest one on: the last one is the one that most share. */
#define MOST_CACHES 8

static int find_cache(int sysfs_fd, struct cpu_number cpu)
{
    int last = -1;

    for (int i = 0; i < MOST_CACHES; i++) {
        char name[48];
        int first;

        (void)snprintf(name, sizeof(name), "cache/index%d/shared_cpu_list", i);
        first = read_first(sysfs_fd, cpu, name);
        if (first < 0)
            break;
        last = first;
    }
    return last;
}

struct cpu_sharing cpu_sharing_read(int sysfs_fd, struct cpu_number cpu)
{
    struct cpu_sharing sharing = {.core =
                                      read_first(sysfs_fd, cpu, "topology/thread_siblings_list"),
                                  .cache = find_cache(sysfs_fd, cpu),
                                  .node = find_node(sysfs_fd, cpu)};

    if (sharing.core < 0)
        sharing.core = cpu.value;
    if (sharing.cache < 0)
        sharing.cache = read_first(sysfs_fd, cpu, "topology/core_siblings_list");
    if (sharing.cache < 0)
        sharing.cache = cpu.value;
    if (sharing.node < 0)
        sharing.node = 0;
    return sharing;
}
