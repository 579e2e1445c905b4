/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A list is parsed into a set of bits first, so that ranges may overlap and come in any order. Then
 * the list is made of the set, in ascending order.
 */
#include "sys/cpu_list.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "sys/small_file.h"

#define CPU_LIMIT  8192 /* the kernel's largest NR_CPUS */
#define FILE_LIMIT 4097 /* sysfs writes at most a page */

struct cpu_set {
    uint64_t words[CPU_LIMIT / 64];
};

static void set_add(struct cpu_set *set, unsigned cpu)
{
    set->words[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

static bool set_has(const struct cpu_set *set, unsigned cpu)
{
    return set->words[cpu / 64] >> (cpu % 64) & 1;
}

static int list_from_set(const struct cpu_set *set, struct cpu_list **ret_list)
{
    struct cpu_list *list;
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(set->words); i++)
        n += (size_t)__builtin_popcountll(set->words[i]);
    list = malloc(sizeof(*list) + n * sizeof(list->cpus[0]));
    if (!list)
        return -ENOMEM;
    list->n = 0;
    for (unsigned cpu = 0; cpu < CPU_LIMIT; cpu++)
        if (set_has(set, cpu))
            list->cpus[list->n++].value = (int)cpu;
    *ret_list = list;
    return 0;
}

struct cpu_list *cpu_list_free(struct cpu_list *list)
{
    free(list);
    return NULL;
}

static int take_cpu(const char **text, unsigned *ret_cpu)
{
    const char *cursor = *text;
    unsigned value = 0;

    for (; *cursor >= '0' && *cursor <= '9'; cursor++)
        if (value < CPU_LIMIT) /* more digits keep it too large */
            value = value * 10 + (unsigned)(*cursor - '0');
    if (cursor == *text)
        return -EINVAL;
    if (value >= CPU_LIMIT)
        return -ERANGE;
    *text = cursor;
    *ret_cpu = value;
    return 0;
}

static int take_range(const char **text, struct cpu_set *set)
{
    unsigned first, last;
    int r = take_cpu(text, &first);

    if (r < 0)
        return r;
    last = first;
    if (**text == '-') {
        (*text)++;
        r = take_cpu(text, &last);
        if (r < 0)
            return r;
    }
    if (last < first)
        return -EINVAL;
    for (unsigned cpu = first; cpu <= last; cpu++)
        set_add(set, cpu);
    return 0;
}

static bool at_end(const char *text)
{
    return strcmp(text, "") == 0 || strcmp(text, "\n") == 0;
}

int cpu_list_parse(const char *text, struct cpu_list **ret_list)
{
    struct cpu_set set = {0};

    while (!at_end(text)) {
        int r = take_range(&text, &set);

        if (r < 0)
            return r;
        if (at_end(text))
            break;
        if (*text++ != ',' || at_end(text))
            return -EINVAL;
    }
    return list_from_set(&set, ret_list);
}

int cpu_list_read_online(int sysfs_fd, struct cpu_list **ret_list)
{
    char text[FILE_LIMIT];
    int r = small_file_read(sysfs_fd, "devices/system/cpu/online", text, sizeof(text));

    return r < 0 ? r : cpu_list_parse(text, ret_list);
}

int cpu_list_read_possible(int sysfs_fd, struct cpu_list **ret_list)
{
    char text[FILE_LIMIT];
    int r = small_file_read(sysfs_fd, "devices/system/cpu/possible", text, sizeof(text));

    return r < 0 ? r : cpu_list_parse(text, ret_list);
}

int cpu_list_read_nohz_full(int sysfs_fd, struct cpu_list **ret_list)
{
    char text[FILE_LIMIT];
    int r = small_file_read(sysfs_fd, "devices/system/cpu/nohz_full", text, sizeof(text));

    /* A kernel that has nohz_full, but was started without it, prints its null pointer. */
    if (r == -ENOENT || (r == 0 && strstr(text, "(null)")))
        return cpu_list_parse("", ret_list);
    return r < 0 ? r : cpu_list_parse(text, ret_list);
}

bool cpu_list_contains(const struct cpu_list *list, struct cpu_number cpu)
{
    size_t low = 0, high = list->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (list->cpus[middle].value == cpu.value)
            return true;
        if (list->cpus[middle].value < cpu.value)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

bool cpu_list_equal(const struct cpu_list *a, const struct cpu_list *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->cpus[i].value != b->cpus[i].value)
            return false;
    return true;
}

int cpu_list_unite(const struct cpu_list *a, const struct cpu_list *b, struct cpu_list **ret_list)
{
    struct cpu_set set = {0};

    for (size_t i = 0; i < a->n; i++)
        set_add(&set, (unsigned)a->cpus[i].value);
    for (size_t i = 0; i < b->n; i++)
        set_add(&set, (unsigned)b->cpus[i].value);
    return list_from_set(&set, ret_list);
}

int cpu_list_subtract(const struct cpu_list *list, const struct cpu_list *without,
                      struct cpu_list **ret_list)
{
    struct cpu_set set = {0};

    for (size_t i = 0; i < list->n; i++)
        if (!cpu_list_contains(without, list->cpus[i]))
            set_add(&set, (unsigned)list->cpus[i].value);
    return list_from_set(&set, ret_list);
}
