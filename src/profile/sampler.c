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
#include "profile/sampler_parts.h"

/* Room for the samples of a second of all CPUs, as long as they may be. */
#define RING_LEAST ((size_t)256 * 1024)
#define RING_MOST  ((size_t)64 * 1024 * 1024)

#define RULES      8192
#define FILES      8192
#define MAPPINGS   32768
#define PROCESSES  16384
#define PAGE_SHARE 128 /* a page takes 8 bytes, and its rows some kilobytes */
#define SWEEP_NS   (10 * NS_PER_SECOND)

/* Beside the tables: where a function starts takes 4 bytes, and its rows some more. */
#define STARTS_SHARE 4

/* A CPU's ring has room for 400 mappings that the kernel tells of. */
#define MANY_MAPPED   100
#define TURN_NS       (NS_PER_SECOND / 5)
#define SHORT_TURN_NS (NS_PER_SECOND / 20)

/* While something is recorded: of a process that has just begun only the leaves are known. */
#define RECORDING_TURN_NS (NS_PER_SECOND / 100)

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
                                            .starts_bytes = setup->table_bytes / STARTS_SHARE,
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
    code_desk_done(&sampler->desk);
    (void)recorded_free(sampler->recording.recorded);
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

int sampler_set_cpus(struct sampler *sampler, const struct cpu_list *cpus)
{
    const uint64_t apart_ns = NS_PER_SECOND / sampler->setup.rate_hz / (cpus->n ? cpus->n : 1);
    const struct timespec apart = {.tv_sec = (time_t)(apart_ns / NS_PER_SECOND),
                                   .tv_nsec = (long)(apart_ns % NS_PER_SECOND)};
    int result = 0;

    for (size_t cpu = 0; cpu < sampler->setup.n_cpus; cpu++) {
        int r;

        if (!cpu_list_contains(cpus, (struct cpu_number){(int)cpu})) {
            sampler->has_lost_records |= profile_program_samples_cpu(sampler->program, cpu);
            profile_program_end_cpu(sampler->program, cpu);
            continue;
        }
        if (profile_program_samples_cpu(sampler->program, cpu))
            continue;
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
    sampler->reader_cpu_ns += result.cpu_ns;
    if (sampler->reads_for == SAMPLER_READS_FILE) {
        known_files_take(sampler->files, &result, now_ns);
        return 0;
    }
    sampler->other_jobs[result.outcome]++;
    if (sampler->reads_for == SAMPLER_READS_MAP)
        jit_maps_take(sampler->jit, &result, now_ns);
    else
        code_desk_take(&sampler->desk, sampler->files, &result);
    return 0;
}

/* The next one for whom it reads now. */
static bool next_job_of(struct sampler *sampler, uint64_t now_ns, struct object_job *job)
{
    switch (sampler->reads_for) {
    case SAMPLER_READS_MAP:
        return jit_maps_next_job(sampler->jit, now_ns, job);
    case SAMPLER_READS_CODE:
        return code_desk_next_job(&sampler->desk, sampler->files, job);
    default:
        return known_files_next_job(sampler->files, now_ns, job);
    }
}

/* Maps, code that somebody waits for, and files take turns: none of them can hold up the others. */
static bool next_job(struct sampler *sampler, uint64_t now_ns, struct object_job *job)
{
    const enum sampler_read last = sampler->reads_for;

    for (unsigned i = 1; i <= SAMPLER_READS_COUNT_; i++) {
        sampler->reads_for = (enum sampler_read)((last + i) % SAMPLER_READS_COUNT_);
        if (next_job_of(sampler, now_ns, job))
            return true;
    }
    return false;
}

static int begin_job(struct sampler *sampler, uint64_t now_ns)
{
    struct object_job job;
    int r;

    if (sampler->reads || !next_job(sampler, now_ns, &job))
        return 0;
    r = object_reader_begin(sampler->setup.reader, &job);
    close_job(&job);
    sampler->reads = r == 0;
    return r;
}

/* A process is to be looked at, though nothing of it has changed. If there is no room for that the
 * next sweep tells it again. */
static void look_again(void *context, pid_t pid)
{
    struct sampler *sampler = context;

    (void)changed_processes_note(sampler->changed, pid, UINT64_MAX);
}

static void sweep(struct sampler *sampler, uint64_t now_ns)
{
    const struct space_sweep sweep = {look_again, sampler, now_ns};

    if (now_ns < sampler->sweep_ns)
        return;
    address_spaces_sweep(sampler->spaces, &sweep);
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
    sampler->read_ns = now_ns;
    r = profile_program_read(sampler->program, take, sampler);
    sampler_look(sampler, now_ns);
    read = finish_job(sampler, now_ns);
    sampler_process(sampler, now_ns);
    profile_store_tick(sampler->setup.store, clock_realtime_ns());
    if (read == 0)
        read = begin_job(sampler, now_ns);
    return r < 0 ? r : read;
}

uint64_t sampler_wait_ns(const struct sampler *sampler)
{
    if (sampler->recording.recorded)
        return RECORDING_TURN_NS;
    return sampler->n_mapped > MANY_MAPPED ? SHORT_TURN_NS : TURN_NS;
}

int sampler_fd(const struct sampler *sampler)
{
    return sampler->reads ? object_reader_fd(sampler->setup.reader) : -1;
}

/* The addresses of places within the function, which have the order of the places. */
static size_t find_addresses(const struct sampler *sampler, const struct profile_places *places,
                             const struct known_code *code, struct annotation_address *addresses)
{
    size_t n = 0;

    for (size_t i = 0; i < places->n; i++) {
        const struct profile_place *place = &places->places[i];
        uint32_t address;

        if (known_files_address(sampler->files, code->file, place->place, &address) &&
            address >= code->start && address < code->end)
            addresses[n++] = (struct annotation_address){address, place->samples};
    }
    return n;
}

int sampler_annotate(struct sampler *sampler, const struct profile_places *places,
                     struct annotation **ret_annotation)
{
    AUTO_FREE struct annotation_address *addresses = calloc(places->n + 1, sizeof(*addresses));
    const struct code_listing *listing;
    struct known_code code;
    int r;

    if (!addresses)
        return -ENOMEM;
    if (!known_files_locate(sampler->files, places->function, &code))
        return -ENXIO;
    r = code_desk_ask(&sampler->desk, &code, &listing);
    if (r < 0)
        return r;
    if (!listing->can_disassemble)
        return -EOPNOTSUPP;
    *ret_annotation =
        annotation_new(listing, addresses, find_addresses(sampler, places, &code, addresses));
    return *ret_annotation ? 0 : -ENOMEM;
}

char *sampler_take_refused(struct sampler *sampler, enum object_outcome *ret_outcome)
{
    return known_files_take_refused(sampler->files, ret_outcome);
}

void sampler_figures(const struct sampler *sampler, struct sampler_figures *ret_figures)
{
    const struct profile_program_figures program = profile_program_figures(sampler->program);
    struct known_files_figures files;
    struct address_spaces_figures spaces;

    known_files_figures(sampler->files, &files);
    address_spaces_figures(sampler->spaces, &spaces);
    *ret_figures = (struct sampler_figures){
        .samples = sampler->samples,
        .lost = program.lost,
        .waiting = sampler->waiting.n,
        .program_ns = program.time_ns,
        .reader_cpu_ns = sampler->reader_cpu_ns,
        .files_read = files.n[FILE_READ],
        .files_awaited = files.n[FILE_WANTED],
        .files_refused = files.n[FILE_REFUSED],
        .files_missing = files.n[FILE_MISSING],
        .files_kept = files.n[FILE_KEPT],
        .processes = spaces.processes,
        .mappings = spaces.mappings,
        .processes_without_room = spaces.without_room,
        .files_without_room = files.without_number,
        .tables_without_room = files.without_room,
        .maps_without_room = jit_maps_without_room(sampler->jit),
        .table_bytes = unwind_pool_bytes(sampler->pool),
        .bytes = files.bytes + jit_maps_bytes(sampler->jit) + sampler->waiting.n_bytes};
    memcpy(ret_figures->stacks, sampler->stacks, sizeof(sampler->stacks));
    for (enum object_outcome i = 0; i < OBJECT_OUTCOME_COUNT_; i++)
        ret_figures->jobs[i] = files.outcomes[i] + sampler->other_jobs[i];
}

const char *profile_outcome_name(enum profile_outcome outcome)
{
    static const char *const names[PROFILE_OUTCOME_COUNT_] = {
        [PROFILE_COMPLETE] = "complete",
        [PROFILE_TRUNCATED] = "truncated",
        [PROFILE_YOUNG] = "young",
        [PROFILE_NO_MAPPING] = "no_mapping",
        [PROFILE_NO_TABLE] = "no_table",
        [PROFILE_NO_RULE] = "no_rule",
        [PROFILE_UNREADABLE] = "unreadable",
        [PROFILE_BROKEN] = "broken",
        [PROFILE_CHANGED] = "changed",
        [PROFILE_NOT_LOOKED_AT] = "not_looked_at",
        [PROFILE_LOST] = "lost",
    };

    return names[outcome];
}
