/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A turn. First all samples are taken out of the ring, and then what the kernel has told of new
 * mappings, so that for each sample it is known whether its process had changed by then. Processes
 * that have changed, or that were sampled before anything was known of them, are looked at. Then
 * samples become stacks of functions. Those that need a file that was not read yet wait for it, for
 * some seconds at most. At last the next file is given to be read.
 */
#include "profile/sampler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "profile/changed_processes.h"
#include "profile/sample_list.h"
#include "profile/stack.h"
#include "profile/unwind_pool.h"

/* Room for the samples of a second of all CPUs, as long as they may be. */
#define RING_LEAST ((size_t)256 * 1024)
#define RING_MOST  ((size_t)64 * 1024 * 1024)

#define RULES           8192
#define FILES           8192
#define MAPPINGS        32768
#define PROCESSES       16384
#define PAGE_SHARE      128 /* a page takes 8 bytes, and its rows some kilobytes */
#define WAITING_BYTES   ((size_t)2 * 1024 * 1024)
#define PATIENCE_NS     (10 * NS_PER_SECOND)
#define SWEEP_NS        (10 * NS_PER_SECOND)
#define LOOK_AT_ALL_NS  NS_PER_SECOND /* no more often */
#define LOOKS_OF_A_TURN 64

struct sampler {
    struct sampler_setup setup;
    struct profile_program *program;
    struct profile_arrays arrays;
    struct unwind_pool *pool;
    struct known_files *files;
    struct address_spaces *spaces;
    struct jit_maps *jit;
    struct kernel_names *kernel;
    struct stack_names names;
    struct changed_processes *changed;
    struct sample_list taken;   /* of this turn */
    struct sample_list waiting; /* for files */
    bool reads;                 /* a job is under way */
    bool reads_map;             /* it is a perf map */
    bool has_news;              /* something was read since those that wait were tried */
    bool looks_at_all;          /* this kernel cannot show one process */
    uint64_t sweep_ns, look_at_all_ns;
    uint64_t samples;
    uint64_t stacks[PROFILE_OUTCOME_COUNT_];
};

static size_t ring_bytes(const struct sampler_setup *setup)
{
    const size_t wanted = setup->n_cpus * setup->rate_hz *
                          (sizeof(struct profile_sample) + PROFILE_FRAMES_MOST * sizeof(uint64_t));
    size_t bytes = RING_LEAST;

    while (bytes < wanted && bytes < RING_MOST)
        bytes *= 2;
    return bytes;
}

static int load(struct sampler *sampler, enum bpf_refusal *ret_refusal)
{
    const struct sampler_setup *setup = &sampler->setup;
    const struct unwind_pool_size pool = {.rows = setup->table_bytes / sizeof(struct unwind_row),
                                          .pages = setup->table_bytes / PAGE_SHARE /
                                                   sizeof(struct profile_page),
                                          .rules = RULES};
    const struct profile_program_size size = {.n_cpus = setup->n_cpus,
                                              .rows = pool.rows,
                                              .rules = pool.rules,
                                              .pages = pool.pages,
                                              .files = FILES,
                                              .mappings = MAPPINGS,
                                              .processes = PROCESSES,
                                              .cgroups = setup->cgroups,
                                              .watched = setup->processes,
                                              .ring_bytes = ring_bytes(setup),
                                              .is_v1 = setup->is_v1};
    int r = profile_program_load(&size, &sampler->program, ret_refusal);

    if (r < 0)
        return r;
    sampler->arrays = profile_program_arrays(sampler->program);
    sampler->pool = unwind_pool_new(&sampler->arrays, &pool);
    return sampler->pool ? 0 : -ENOMEM;
}

static int make_parts(struct sampler *sampler)
{
    const struct sampler_setup *setup = &sampler->setup;
    const struct known_files_setup files = {.arrays = &sampler->arrays,
                                            .pool = sampler->pool,
                                            .store = setup->store,
                                            .n = FILES,
                                            .procfs_fd = setup->procfs_fd};

    sampler->files = known_files_new(&files);
    if (!sampler->files)
        return -ENOMEM;
    sampler->spaces =
        address_spaces_new(sampler->program, sampler->files, MAPPINGS, setup->procfs_fd);
    sampler->jit = jit_maps_new(setup->store, setup->procfs_fd);
    sampler->kernel = kernel_names_new(sampler->program, setup->store);
    sampler->changed = changed_processes_new();
    if (!sampler->spaces || !sampler->jit || !sampler->kernel || !sampler->changed)
        return -ENOMEM;
    sampler->names = (struct stack_names){.store = setup->store,
                                          .files = sampler->files,
                                          .spaces = sampler->spaces,
                                          .jit = sampler->jit,
                                          .kernel = sampler->kernel};
    return 0;
}

int sampler_new(const struct sampler_setup *setup, struct sampler **ret_sampler,
                enum bpf_refusal *ret_refusal)
{
    AUTO(sampler) struct sampler *sampler = calloc(1, sizeof(*sampler));
    int r;

    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
    if (!sampler)
        return -ENOMEM;
    sampler->setup = *setup;
    r = load(sampler, ret_refusal);
    if (r >= 0)
        r = make_parts(sampler);
    if (r < 0)
        return r;
    profile_targets_attach(setup->targets, sampler->program, clock_monotonic_ns());
    (void)address_spaces_look_at_all(sampler->spaces); /* what finds no room is looked at later */
    *ret_sampler = TAKE(sampler);
    return 0;
}

struct sampler *sampler_free(struct sampler *sampler)
{
    if (!sampler)
        return NULL;
    if (sampler->program)
        profile_targets_attach(sampler->setup.targets, NULL, 0);
    sample_list_done(&sampler->taken);
    sample_list_done(&sampler->waiting);
    (void)changed_processes_free(sampler->changed);
    (void)kernel_names_free(sampler->kernel);
    (void)jit_maps_free(sampler->jit);
    (void)address_spaces_free(sampler->spaces);
    (void)known_files_free(sampler->files);
    (void)unwind_pool_free(sampler->pool);
    (void)profile_program_free(sampler->program);
    free(sampler);
    return NULL;
}

static bool has_cpu(const struct cpu_list *cpus, size_t cpu)
{
    for (size_t i = 0; i < cpus->n; i++)
        if ((size_t)cpus->cpus[i].value == cpu)
            return true;
    return false;
}

int sampler_set_cpus(struct sampler *sampler, const struct cpu_list *cpus)
{
    const uint64_t apart_ns = NS_PER_SECOND / sampler->setup.rate_hz / (cpus->n ? cpus->n : 1);
    const struct timespec apart = {.tv_sec = (time_t)(apart_ns / NS_PER_SECOND),
                                   .tv_nsec = (long)(apart_ns % NS_PER_SECOND)};
    int result = 0;

    for (size_t cpu = 0; cpu < sampler->setup.n_cpus; cpu++) {
        int r;

        if (!has_cpu(cpus, cpu)) {
            profile_program_end_cpu(sampler->program, cpu);
            continue;
        }
        r = profile_program_begin_cpu(sampler->program, cpu, sampler->setup.rate_hz);
        result = r < 0 ? r : result;
        (void)nanosleep(&apart, NULL);
    }
    return result;
}

static int take(void *context, const struct profile_sample *sample)
{
    struct sampler *sampler = context;

    return sample_list_add(&sampler->taken, sample);
}

/* Notes which processes the kernel says to have mapped something. */
static void note_mapped(struct sampler *sampler)
{
    struct profile_mapped mapped;
    bool is_lost = false;

    while (profile_program_next_mapped(sampler->program, &mapped, &is_lost))
        changed_processes_note(sampler->changed, mapped.pid, mapped.time_ns);
    if (is_lost)
        for (size_t at = 0; at < sampler->taken.n_bytes;) {
            const struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

            changed_processes_note(sampler->changed, (pid_t)sample->pid, 0);
        }
}

/* Notes which processes were sampled though not all was known that they had mapped. */
static void note_unknown(struct sampler *sampler)
{
    for (size_t at = 0; at < sampler->taken.n_bytes;) {
        const struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

        if (sample->outcome == PROFILE_YOUNG || sample->outcome == PROFILE_NO_MAPPING)
            changed_processes_note(sampler->changed, (pid_t)sample->pid, UINT64_MAX);
    }
}

static void look(struct sampler *sampler, uint64_t now_ns)
{
    struct changed_process *process = NULL;
    int n = 0;

    while (!sampler->looks_at_all && n++ < LOOKS_OF_A_TURN &&
           (process = changed_processes_next(sampler->changed))) {
        int r = address_spaces_look(sampler->spaces, process->pid, &process->change);

        process->was_looked_at = true;
        sampler->looks_at_all = r == -EOPNOTSUPP;
    }
    if (!sampler->looks_at_all || !changed_processes_next(sampler->changed) ||
        now_ns < sampler->look_at_all_ns)
        return;
    (void)address_spaces_look_at_all(sampler->spaces);
    changed_processes_note_all(sampler->changed);
    sampler->look_at_all_ns = now_ns + LOOK_AT_ALL_NS;
}

/* What ended the walk in a file whose tables are not there asks for them. */
static void want_table(struct sampler *sampler, const struct profile_sample *sample,
                       uint64_t now_ns)
{
    const uint64_t *frames = (const uint64_t *)(sample + 1);
    const size_t n = (size_t)sample->n_kernel + sample->n_user;

    if (sample->outcome == PROFILE_NO_TABLE && sample->n_user > 0)
        known_files_want(sampler->files, (uint32_t)(frames[n - 1] >> 32), now_ns);
}

/* Whose sample it is, and its stack, by numbers of the store. */
struct placed_sample {
    uint32_t cgroup, group;
    struct stack stack;
};

static bool place(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                  uint64_t now_ns, struct placed_sample *ret_placed)
{
    profile_targets_find(sampler->setup.targets, sampler->setup.store, sample->cgroup,
                         sample->process, &ret_placed->cgroup, &ret_placed->group);
    return stack_make(&sampler->names, sample, is_last, now_ns, &ret_placed->stack);
}

static void add(struct profile_store *store, uint32_t target, uint64_t time_ns,
                const struct stack *stack)
{
    profile_store_add(store, target, time_ns, stack->functions, stack->n);
}

/*
 * Adds a sample to the store. False: it has to wait. The store may give numbers to others to make
 * room: then they are found anew.
 */
static bool keep(struct sampler *sampler, const struct profile_sample *sample, bool is_last,
                 uint64_t now_ns, uint64_t time_ns)
{
    struct profile_store *store = sampler->setup.store;
    const uint64_t generation = profile_store_generation(store);
    struct placed_sample placed;

    if (!place(sampler, sample, is_last, now_ns, &placed))
        return false;
    add(store, placed.cgroup, time_ns, &placed.stack);
    if (generation != profile_store_generation(store))
        (void)place(sampler, sample, true, now_ns, &placed);
    if (placed.group != UINT32_MAX)
        add(store, placed.group, time_ns, &placed.stack);
    profile_targets_count(sampler->setup.targets, sample->cgroup, sample->process);
    sampler->samples++;
    sampler->stacks[sample->outcome]++;
    return true;
}

/* Cuts stacks at what their processes had mapped in doubtful times. */
static void cut_doubtful(struct sampler *sampler)
{
    for (size_t at = 0; at < sampler->taken.n_bytes;) {
        struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

        stack_cut(sample,
                  changed_processes_change(sampler->changed, (pid_t)sample->pid, sample->time_ns));
    }
}

/* Makes stacks of samples; those that need something first stay in the list `later`. */
static void process(struct sampler *sampler, const struct sample_list *list,
                    struct sample_list *later, uint64_t now_ns)
{
    const uint64_t offset_ns = clock_realtime_ns() - clock_monotonic_ns();

    for (size_t at = 0; at < list->n_bytes;) {
        const struct profile_sample *sample = sample_list_next(list, &at);
        const bool is_last =
            now_ns > sample->time_ns + PATIENCE_NS || later->n_bytes > WAITING_BYTES;
        const uint64_t time_ns = sample->time_ns + offset_ns;

        want_table(sampler, sample, now_ns);
        if (!keep(sampler, sample, is_last, now_ns, time_ns) && sample_list_add(later, sample) < 0)
            (void)keep(sampler, sample, true, now_ns, time_ns);
    }
}

static bool is_late(const struct sampler *sampler, uint64_t now_ns)
{
    size_t at = 0;

    return sampler->waiting.n_bytes > 0 &&
           now_ns > sample_list_next(&sampler->waiting, &at)->time_ns + PATIENCE_NS;
}

/* Tries again those that wait, when something was read. */
static void process_waiting(struct sampler *sampler, uint64_t now_ns)
{
    struct sample_list before = sampler->waiting;

    if (!sampler->has_news && !is_late(sampler, now_ns))
        return;
    sampler->has_news = false;
    sampler->waiting = (struct sample_list){0};
    process(sampler, &before, &sampler->waiting, now_ns);
    sample_list_done(&before);
}

static void close_job(const struct object_job *job)
{
    if (job->fd >= 0)
        (void)close(job->fd);
    if (job->debug_fd >= 0)
        (void)close(job->debug_fd);
}

/* Takes what was read. 0 or -errno: the reader has ended. */
static int finish_job(struct sampler *sampler, uint64_t now_ns)
{
    struct object_result result;
    int r = sampler->reads ? object_reader_finish(sampler->setup.reader, &result) : -EAGAIN;

    if (r < 0)
        return r == -EAGAIN ? 0 : r;
    sampler->reads = false;
    sampler->has_news = true;
    if (sampler->reads_map)
        jit_maps_take(sampler->jit, &result, now_ns);
    else
        known_files_take(sampler->files, &result, now_ns);
    return 0;
}

static int begin_job(struct sampler *sampler, uint64_t now_ns)
{
    struct object_job job;
    int r;

    if (sampler->reads)
        return 0;
    sampler->reads_map = jit_maps_next_job(sampler->jit, now_ns, &job);
    if (!sampler->reads_map && !known_files_next_job(sampler->files, now_ns, &job))
        return 0;
    r = object_reader_begin(sampler->setup.reader, &job);
    close_job(&job);
    sampler->reads = r == 0;
    return r;
}

static void sweep(struct sampler *sampler, uint64_t now_ns)
{
    if (now_ns < sampler->sweep_ns)
        return;
    address_spaces_sweep(sampler->spaces);
    jit_maps_sweep(sampler->jit, now_ns);
    sampler->sweep_ns = now_ns + SWEEP_NS;
}

int sampler_turn(struct sampler *sampler)
{
    const uint64_t now_ns = clock_monotonic_ns();
    int r, read;

    known_files_settle(sampler->files);
    sweep(sampler, now_ns);
    sample_list_clear(&sampler->taken);
    r = profile_program_read(sampler->program, take, sampler);
    note_mapped(sampler);
    note_unknown(sampler);
    look(sampler, now_ns);
    cut_doubtful(sampler);
    read = finish_job(sampler, now_ns);
    process_waiting(sampler, now_ns);
    process(sampler, &sampler->taken, &sampler->waiting, now_ns);
    changed_processes_forget(sampler->changed);
    profile_store_tick(sampler->setup.store, clock_realtime_ns());
    if (read == 0)
        read = begin_job(sampler, now_ns);
    return r < 0 ? r : read;
}

int sampler_fd(const struct sampler *sampler)
{
    return object_reader_fd(sampler->setup.reader);
}

void sampler_figures(const struct sampler *sampler, struct sampler_figures *ret_figures)
{
    const struct profile_program_figures program = profile_program_figures(sampler->program);
    struct known_files_figures files;
    struct address_spaces_figures spaces;

    known_files_figures(sampler->files, &files);
    address_spaces_figures(sampler->spaces, &spaces);
    *ret_figures = (struct sampler_figures){.samples = sampler->samples,
                                            .lost = program.lost,
                                            .waiting = sampler->waiting.n,
                                            .program_ns = program.time_ns,
                                            .reader_cpu_ns = files.reader_cpu_ns,
                                            .files_read = files.n[FILE_READ],
                                            .files_awaited = files.n[FILE_WANTED],
                                            .files_refused = files.n[FILE_REFUSED],
                                            .files_missing = files.n[FILE_MISSING],
                                            .processes = spaces.processes,
                                            .mappings = spaces.mappings,
                                            .without_room = spaces.without_room,
                                            .table_bytes = unwind_pool_bytes(sampler->pool),
                                            .bytes = files.bytes + jit_maps_bytes(sampler->jit) +
                                                     sampler->waiting.n_bytes};
    memcpy(ret_figures->stacks, sampler->stacks, sizeof(sampler->stacks));
    memcpy(ret_figures->jobs, files.outcomes, sizeof(files.outcomes));
}

const char *profile_outcome_name(enum profile_outcome outcome)
{
    static const char *const names[PROFILE_OUTCOME_COUNT_] = {
        [PROFILE_COMPLETE] = "complete",     [PROFILE_TRUNCATED] = "truncated",
        [PROFILE_YOUNG] = "young",           [PROFILE_NO_MAPPING] = "no_mapping",
        [PROFILE_NO_TABLE] = "no_table",     [PROFILE_NO_RULE] = "no_rule",
        [PROFILE_UNREADABLE] = "unreadable", [PROFILE_BROKEN] = "broken",
        [PROFILE_CHANGED] = "changed",
    };

    return names[outcome];
}
