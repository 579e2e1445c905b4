/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/profile/program.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/profile/parts.h"
#include "sys/bpf/switch/layout.h"
#include "sys/bpf/values.h"

#include <profile.skel.h>

static int set_sizes(const struct profile_program *program)
{
    const struct profile_bpf *skeleton = program->skeleton;
    const struct profile_program_size *size = &program->size;
    const struct {
        struct bpf_map *map;
        size_t n;
    } maps[] = {
        {skeleton->maps.rows, (size->rows + 1) / 2}, {skeleton->maps.rules, size->rules},
        {skeleton->maps.pages, size->pages},         {skeleton->maps.files, size->files},
        {skeleton->maps.mappings, size->mappings},   {skeleton->maps.processes, size->processes},
        {skeleton->maps.slots, size->cgroups},       {skeleton->maps.watched, size->watched},
        {skeleton->maps.ring, size->ring_bytes},
    };

    for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
        int r = bpf_map__set_max_entries(maps[i].map, (uint32_t)(maps[i].n ? maps[i].n : 1));

        if (r < 0)
            return r;
    }
    skeleton->rodata->is_v1 = size->is_v1;
    skeleton->rodata->page_shift = (uint32_t)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
    return 0;
}

/* Only what follows processes is attached here; events call the others. */
static void choose_links(const struct profile_bpf *skeleton)
{
    bpf_program__set_autoattach(skeleton->progs.on_sample, false);
    bpf_program__set_autoattach(skeleton->progs.on_record, false);
    bpf_program__set_autoattach(skeleton->progs.on_record_software, false);
    bpf_program__set_autoattach(skeleton->progs.on_vma, false);
    bpf_program__set_autoattach(skeleton->progs.on_lock, false);
    bpf_program__set_autoattach(skeleton->progs.on_ask, false);
}

static int take_sample(void *context, void *data, size_t size)
{
    const struct profile_program *program = context;
    const struct profile_sample *sample = data;

    if (size < sizeof(*sample) ||
        (size - sizeof(*sample)) / sizeof(uint64_t) < (size_t)sample->n_kernel + sample->n_user)
        return 0; /* the program writes no such record */
    return program->take(program->context, sample);
}

static int open_memory(struct profile_program *program)
{
    const struct profile_bpf *skeleton = program->skeleton;
    struct profile_arrays *arrays = &program->arrays;

    arrays->rows = bpf_values_map(skeleton->maps.rows);
    arrays->rules = bpf_values_map(skeleton->maps.rules);
    arrays->pages = bpf_values_map(skeleton->maps.pages);
    arrays->files = bpf_values_map(skeleton->maps.files);
    arrays->mappings = bpf_values_map(skeleton->maps.mappings);
    if (!arrays->rows || !arrays->rules || !arrays->pages || !arrays->files || !arrays->mappings)
        return -errno;
    program->ring = ring_buffer__new(bpf_map__fd(skeleton->maps.ring), take_sample, program, NULL);
    return program->ring ? 0 : -errno;
}

static void unload(struct profile_program *program)
{
    const struct profile_bpf *skeleton = program->skeleton;

    ring_buffer__free(program->ring);
    if (skeleton) {
        bpf_values_unmap(skeleton->maps.rows, program->arrays.rows);
        bpf_values_unmap(skeleton->maps.rules, program->arrays.rules);
        bpf_values_unmap(skeleton->maps.pages, program->arrays.pages);
        bpf_values_unmap(skeleton->maps.files, program->arrays.files);
        bpf_values_unmap(skeleton->maps.mappings, program->arrays.mappings);
    }
    profile_bpf__destroy(program->skeleton);
    program->skeleton = NULL;
    program->ring = NULL;
}

static int load(void *loaded)
{
    struct profile_program *program = loaded;
    int r;

    program->skeleton = profile_bpf__open();
    if (!program->skeleton)
        return -errno;
    choose_links(program->skeleton);
    r = set_sizes(program);
    if (r >= 0)
        r = profile_bpf__load(program->skeleton);
    if (r >= 0)
        r = open_memory(program);
    return r >= 0 ? profile_bpf__attach(program->skeleton) : r;
}

int profile_program_load(const struct profile_program_size *size,
                         struct profile_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(profile_program) struct profile_program *program = calloc(1, sizeof(*program));
    int r;

    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
    if (!program)
        return -ENOMEM;
    program->size = *size;
    program->events = calloc(size->n_cpus, sizeof(*program->events));
    if (!program->events)
        return -ENOMEM;
    for (size_t cpu = 0; cpu < size->n_cpus; cpu++)
        program->events[cpu].fd = -1;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0)
        return r;
    *ret_program = TAKE(program);
    return 0;
}

struct profile_program *profile_program_free(struct profile_program *program)
{
    if (!program)
        return NULL;
    for (size_t cpu = 0; program->events && cpu < program->size.n_cpus; cpu++)
        profile_program_end_cpu(program, cpu);
    unload(program);
    free(program->events);
    free(program->reading);
    free(program);
    return NULL;
}

struct profile_arrays profile_program_arrays(const struct profile_program *program)
{
    return program->arrays;
}

static int set(const struct bpf_map *map, const void *key, const void *value)
{
    return bpf_map_update_elem(bpf_map__fd(map), key, value, BPF_ANY) < 0 ? -errno : 0;
}

static void clear(const struct bpf_map *map, const void *key)
{
    (void)bpf_map_delete_elem(bpf_map__fd(map), key);
}

int profile_program_set_process(struct profile_program *program, pid_t pid,
                                const struct profile_process *process)
{
    return set(program->skeleton->maps.processes, &pid, process);
}

void profile_program_clear_process(struct profile_program *program, pid_t pid)
{
    clear(program->skeleton->maps.processes, &pid);
}

bool profile_program_find_process(const struct profile_program *program, pid_t pid,
                                  struct profile_process *ret_process)
{
    return bpf_map_lookup_elem(bpf_map__fd(program->skeleton->maps.processes), &pid, ret_process) ==
           0;
}

int profile_program_visit(struct profile_program *program,
                          void (*visit)(void *context, pid_t pid,
                                        const struct profile_process *process),
                          void *context)
{
    const int fd = bpf_map__fd(program->skeleton->maps.processes);
    struct profile_process process;
    pid_t pid, next;
    int r = bpf_map_get_next_key(fd, NULL, &next);

    /* an entry that goes while we stand there sends us to the beginning: hence the bound */
    for (size_t i = 0; r == 0 && i < 2 * program->size.processes; i++) {
        pid = next;
        if (bpf_map_lookup_elem(fd, &pid, &process) == 0)
            visit(context, pid, &process);
        r = bpf_map_get_next_key(fd, &pid, &next);
    }
    return r == 0 || errno == ENOENT ? 0 : -errno;
}

int profile_program_set_cgroup(struct profile_program *program, uint64_t cgroup, uint32_t number)
{
    return set(program->skeleton->maps.slots, &cgroup, &number);
}

void profile_program_clear_cgroup(struct profile_program *program, uint64_t cgroup)
{
    clear(program->skeleton->maps.slots, &cgroup);
}

int profile_program_watch(struct profile_program *program, pid_t pid, uint32_t number,
                          bool children)
{
    const struct switch_watched entry = {.slot = number, .children = children};

    return set(program->skeleton->maps.watched, &pid, &entry);
}

void profile_program_unwatch(struct profile_program *program, pid_t pid, uint32_t number)
{
    struct switch_watched entry;

    if (bpf_map_lookup_elem(bpf_map__fd(program->skeleton->maps.watched), &pid, &entry) == 0 &&
        entry.slot == number)
        clear(program->skeleton->maps.watched, &pid);
}

int profile_program_read(struct profile_program *program,
                         int (*take)(void *context, const struct profile_sample *sample),
                         void *context)
{
    int r;

    program->take = take;
    program->context = context;
    r = ring_buffer__consume(program->ring);
    return r < 0 ? r : 0;
}

void profile_program_begin_recording(struct profile_program *program,
                                     const struct profile_recording *recording)
{
    struct profile_bpf__bss *bss = program->skeleton->bss;

    bss->recording.interval_ns = NS_PER_SECOND / recording->rate_hz;
    bss->recording.of_threads = recording->is_of_threads;
    bss->recording.number++;
}

int profile_program_recorder_fd(const struct profile_program *program, bool is_of_software)
{
    return bpf_program__fd(is_of_software ? program->skeleton->progs.on_record_software
                                          : program->skeleton->progs.on_record);
}

struct profile_program_figures profile_program_figures(const struct profile_program *program)
{
    const struct profile_bpf__bss *bss = program->skeleton->bss;

    return (struct profile_program_figures){
        .samples = __atomic_load_n(&bss->n_samples, __ATOMIC_RELAXED),
        .lost = __atomic_load_n(&bss->n_lost, __ATOMIC_RELAXED),
        .recorded_lost = __atomic_load_n(&bss->n_recorded_lost, __ATOMIC_RELAXED),
        .time_ns = __atomic_load_n(&bss->n_ns, __ATOMIC_RELAXED)};
}
