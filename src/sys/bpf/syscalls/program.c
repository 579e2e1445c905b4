/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/syscalls/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"
#include "sys/system_call.h"
#include "sys/thread_limit.h"

#include <syscalls.skel.h>

#define LEAST_CALLING_BITS 8
#define MOST_CALLING_BITS  15

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

/*
 * There are 2^n sets of places for threads, which are two places for each thread that there may be,
 * within bounds: 24 KiB to 3 MiB.
 */
static uint32_t calling_bits(void)
{
    AUTO_CLOSE int procfs_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    const uint64_t sets = thread_limit_read(procfs_fd) / 2;
    uint32_t bits = LEAST_CALLING_BITS;

    while (bits < MOST_CALLING_BITS && UINT64_C(1) << bits < sets)
        bits++;
    return bits;
}

static int set_sizes(struct keyed_object *object, struct syscalls_bpf *skeleton)
{
    const int n_cpus = libbpf_num_possible_cpus();
    int r = n_cpus;

    if (r >= 0)
        r = bpf_prepare_keyed(skeleton->obj, object->of, object->program.table,
                              &skeleton->rodata->is_v1);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.last, (uint32_t)n_cpus);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.places, (uint32_t)n_cpus);
    if (r >= 0)
        r = bpf_set_places(skeleton->maps.callings, calling_bits(),
                           &skeleton->rodata->calling_bits);
    return r;
}

/* What times is loaded with it, and attached only when it is wanted. */
static int open_one(struct keyed_object *object, bool times)
{
    struct syscalls_bpf *skeleton = syscalls_bpf__open();

    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    set_forks((uint8_t *)skeleton->rodata->returns_twice);
    (void)bpf_program__set_autoload(skeleton->progs.on_call, times);
    bpf_program__set_autoattach(skeleton->progs.on_call, false);
    return set_sizes(object, skeleton);
}

static int open_whole(struct keyed_object *object)
{
    return open_one(object, true);
}

static int open_without_times(struct keyed_object *object)
{
    return open_one(object, false);
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

static bool has_hooks_to_time(void)
{
    return bpf_tracepoint_arguments("sys_enter") == 2 && has_hooks();
}

static struct keyed_object *object_of(struct keyed_program *program)
{
    return (struct keyed_object *)program;
}

/* Where what times is refused, calls are counted without it, and why is remembered. */
int syscalls_program_load(const struct switch_program *of, size_t entries,
                          struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loaders[] = {
        {open_whole, map_places, unmap_places, has_hooks_to_time},
        {open_without_times, map_places, unmap_places, has_hooks},
    };
    enum bpf_refusal refusal = BPF_REFUSAL_NONE; /* of the first */
    int r = keyed_object_load(&loaders[0], of, entries, ret_program, &refusal);

    if (r >= 0)
        return r;
    r = keyed_object_load(&loaders[1], of, entries, ret_program, ret_refusal);
    if (r >= 0)
        object_of(*ret_program)->left_out = refusal;
    return r;
}

/* Attaches what times, if it is not. */
static int attach(void *loaded)
{
    struct syscalls_bpf *skeleton = loaded;

    if (!skeleton->links.on_call)
        skeleton->links.on_call = bpf_program__attach(skeleton->progs.on_call);
    return skeleton->links.on_call ? 0 : -errno;
}

static int begin_timing(struct keyed_object *object, enum bpf_refusal *ret_refusal)
{
    if (object->left_out == BPF_REFUSAL_NONE)
        return bpf_load_quietly(attach, object->skeleton, ret_refusal);
    *ret_refusal = object->left_out;
    return -EOPNOTSUPP;
}

static void end_timing(struct syscalls_bpf *skeleton)
{
    (void)bpf_link__destroy(skeleton->links.on_call);
    skeleton->links.on_call = NULL;
}

/* Calls that come in get a value that those of before had not. */
static void set_timing(struct syscalls_bpf *skeleton, const struct syscalls_timing *timing)
{
    struct syscalls_timing *in_use = &skeleton->bss->timing;
    const uint8_t value = skeleton->bss->last_value % UINT8_MAX + 1;

    skeleton->bss->last_value = value;
    in_use->one_in = timing->one_in;
    for (size_t i = 0; i < SYSCALLS_NUMBERS; i++)
        if (!timing->calls[i])
            in_use->calls[i] = 0;
        else if (!in_use->calls[i])
            in_use->calls[i] = value;
}

int syscalls_program_time(struct keyed_program *program, const struct syscalls_timing *timing,
                          enum bpf_refusal *ret_refusal)
{
    static const struct syscalls_timing none = {.one_in = 1};
    struct syscalls_bpf *skeleton = object_of(program)->skeleton;
    const bool any = memchr(timing->calls, 1, sizeof(timing->calls));
    int r = any ? begin_timing(object_of(program), ret_refusal) : 0;

    set_timing(skeleton, r < 0 ? &none : timing);
    if (r < 0 || !any)
        end_timing(skeleton);
    return r;
}
