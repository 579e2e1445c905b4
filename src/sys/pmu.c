/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A core PMU is recognized as the perf tool does it: by its name, where the architecture has one
 * kind of core; else by its file `cpus`. Other PMUs have a file `cpumask`, which says on which CPUs
 * to open them.
 */
#include "sys/pmu.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "sys/small_file.h"

#define DEVICES    "bus/event_source/devices"
#define FILE_LIMIT 4097 /* sysfs writes at most a page */

static const char *const core_names[] = {"cpu", "cpum_cf"};

static int read_attribute(int devices_fd, const char *pmu, const char *attribute, char *ret_text,
                          size_t size)
{
    char path[512];
    int length = snprintf(path, sizeof(path), "%s/%s", pmu, attribute);

    if (length < 0 || (size_t)length >= sizeof(path))
        return -ENAMETOOLONG;
    return small_file_read(devices_fd, path, ret_text, size);
}

static int read_type(int devices_fd, const char *name, uint32_t *ret_type)
{
    char text[32];
    uint64_t type;
    int r = read_attribute(devices_fd, name, "type", text, sizeof(text));

    if (r < 0)
        return r;
    text[strcspn(text, "\n")] = '\0';
    r = parse_u64(text, &type);
    if (r < 0 || type > UINT32_MAX)
        return -EINVAL;
    *ret_type = (uint32_t)type;
    return 0;
}

/* Reads a list of CPUs. 0, or -errno, of which only -ENOMEM matters to the caller. */
static int read_cpus(int devices_fd, const char *name, const char *attribute,
                     struct cpu_list **ret_cpus)
{
    char text[FILE_LIMIT];
    int r = read_attribute(devices_fd, name, attribute, text, sizeof(text));

    return r < 0 ? r : cpu_list_parse(text, ret_cpus);
}

static bool is_core_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(core_names); i++)
        if (strcmp(name, core_names[i]) == 0)
            return true;
    return false;
}

static void pmu_done(struct pmu *pmu)
{
    free(pmu->name);
    pmu->cpus = cpu_list_free(pmu->cpus);
}

/* Reads a PMU. 1; 0: it is none that can count; -ENOMEM. */
static int pmu_read(int devices_fd, const char *name, struct pmu *ret_pmu)
{
    struct pmu pmu = {.is_core = is_core_name(name)};
    int r = read_type(devices_fd, name, &pmu.type);

    if (r < 0)
        return 0;
    r = read_cpus(devices_fd, name, "cpus", &pmu.cpus);
    if (r == 0)
        pmu.is_core = true;
    else if (r != -ENOMEM)
        r = read_cpus(devices_fd, name, "cpumask", &pmu.cpus);
    pmu.name = strdup(name);
    if (r == -ENOMEM || !pmu.name) {
        pmu_done(&pmu);
        return -ENOMEM;
    }
    *ret_pmu = pmu;
    return 1;
}

static int compare_types(const void *a, const void *b)
{
    const struct pmu *left = a, *right = b;

    if (left->type != right->type)
        return left->type < right->type ? -1 : 1;
    return strverscmp(left->name, right->name);
}

static int append_pmu(struct pmu_list *list, int devices_fd, const char *name)
{
    struct pmu *pmus = reallocarray(list->pmus, list->n + 1, sizeof(*pmus));
    int r;

    if (!pmus)
        return -ENOMEM;
    list->pmus = pmus;
    r = pmu_read(devices_fd, name, &pmus[list->n]);
    if (r > 0)
        list->n++;
    return r < 0 ? r : 0;
}

int pmu_list_read(int sysfs_fd, struct pmu_list **ret_list)
{
    AUTO(directory) DIR *directory = small_file_list(sysfs_fd, DEVICES);
    AUTO(pmu_list) struct pmu_list *list = NULL;
    const struct dirent *entry;

    if (!directory)
        return -errno;
    list = calloc(1, sizeof(*list));
    if (!list)
        return -ENOMEM;
    for (errno = 0; (entry = readdir(directory)); errno = 0) {
        int r;

        if (entry->d_name[0] == '.')
            continue;
        r = append_pmu(list, dirfd(directory), entry->d_name);
        if (r < 0)
            return r;
    }
    if (errno != 0)
        return -errno;
    if (list->n > 0)
        qsort(list->pmus, list->n, sizeof(list->pmus[0]), compare_types);
    *ret_list = TAKE(list);
    return 0;
}

struct pmu_list *pmu_list_free(struct pmu_list *list)
{
    if (!list)
        return NULL;
    for (size_t i = 0; i < list->n; i++)
        pmu_done(&list->pmus[i]);
    free(list->pmus);
    free(list);
    return NULL;
}

bool pmu_is_instance(const struct pmu *pmu, const char *name)
{
    const size_t n = strlen(name);
    const char *rest = pmu->name + n, *number = rest + 1;

    if (strncmp(pmu->name, name, n) != 0)
        return false;
    return !*rest || (*rest == '_' && *number && number[strspn(number, "0123456789")] == '\0');
}

const struct pmu *pmu_list_find_name(const struct pmu_list *list, const char *name)
{
    const struct pmu *instance = NULL;

    for (size_t i = 0; i < list->n; i++) {
        const struct pmu *pmu = &list->pmus[i];

        if (strcmp(pmu->name, name) == 0)
            return pmu;
        if (!instance && pmu_is_instance(pmu, name))
            instance = pmu;
    }
    return instance;
}

const struct pmu *pmu_list_find_type(const struct pmu_list *list, uint32_t type)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->pmus[i].type == type)
            return &list->pmus[i];
    return NULL;
}

const struct pmu *pmu_list_nth_core(const struct pmu_list *list, size_t index)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->pmus[i].is_core && index-- == 0)
            return &list->pmus[i];
    return NULL;
}

const struct pmu *pmu_list_core(const struct pmu_list *list)
{
    return pmu_list_nth_core(list, 0);
}

size_t pmu_list_n_cores(const struct pmu_list *list)
{
    size_t n = 0;

    for (size_t i = 0; i < list->n; i++)
        n += list->pmus[i].is_core;
    return n;
}

const struct pmu_list *pmu_list_if_hybrid(const struct pmu_list *list)
{
    return list && pmu_list_n_cores(list) > 1 ? list : NULL;
}

const struct pmu *pmu_list_core_of(const struct pmu_list *list, struct cpu_number cpu)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct pmu *pmu = &list->pmus[i];

        if (pmu->is_core && (!pmu->cpus || cpu_list_contains(pmu->cpus, cpu)))
            return pmu;
    }
    return NULL;
}
