/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/syscalls/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"
#include "sys/system_call.h"

#include <syscalls.skel.h>

/* Notes which calls return twice: in the process that has made a new one, and in the new one. */
static void set_forks(uint8_t returns_twice[SYSCALLS_NUMBERS])
{
    static const char *const forks[] = {"fork", "vfork", "clone", "clone3"};

    for (unsigned number = 0; number < SYSCALLS_NUMBERS; number++) {
        const char *name = system_call_name(number);

        for (size_t i = 0; name && i < ARRAY_SIZE(forks); i++)
            if (strcmp(name, forks[i]) == 0)
                returns_twice[number] = 1;
    }
}

static int set_sizes(struct keyed_object *object, struct syscalls_bpf *skeleton)
{
    const int n_cpus = libbpf_num_possible_cpus();
    bool v1;
    int r = n_cpus;

    if (r >= 0)
        r = bpf_prepare_keyed(skeleton->obj, object->of, object->entries, &v1);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.last, (uint32_t)n_cpus);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.places, (uint32_t)n_cpus);
    if (r >= 0)
        skeleton->rodata->is_v1 = v1;
    return r;
}

static int open_syscalls(struct keyed_object *object)
{
    struct syscalls_bpf *skeleton = syscalls_bpf__open();

    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    set_forks((uint8_t *)skeleton->rodata->returns_twice);
    return set_sizes(object, skeleton);
}

static int map_places(struct keyed_object *object)
{
    const struct syscalls_bpf *skeleton = object->skeleton;
    const size_t n_cpus = bpf_map__max_entries(skeleton->maps.places);

    object->places = bpf_values_map(skeleton->maps.places);
    if (!object->places)
        return -errno;
    return keyed_table_add_places(object->program.table, object->places, n_cpus * KEYED_PLACES);
}

static void unmap_places(struct keyed_object *object)
{
    const struct syscalls_bpf *skeleton = object->skeleton;

    bpf_values_unmap(skeleton->maps.places, object->places);
}

static bool has_hooks(void)
{
    return bpf_tracepoint_arguments("sys_exit") == 2;
}

int syscalls_program_load(const struct switch_program *of, size_t entries,
                          struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loader = {.open = open_syscalls,
                                               .connect = map_places,
                                               .disconnect = unmap_places,
                                               .has_hooks = has_hooks};

    return keyed_object_load(&loader, of, entries, ret_program, ret_refusal);
}
