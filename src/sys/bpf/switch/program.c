/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/switch/program.h"

#include <assert.h>
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/loading.h"
#include "sys/bpf/switch/layout.h"
#include "sys/bpf/tracepoint.h"
#include "sys/bpf/values.h"

#include <switch.skel.h>

static_assert(SWITCH_PROGRAM_EVENTS == SWITCH_EVENTS_MAX, "as many events as its interface says");
static_assert(SWITCH_PROGRAM_REST == SWITCH_SLOT_REST, "the slot is its interface's");
static_assert(SWITCH_PROGRAM_NO_CGROUPS == SWITCH_SLOT_NO_CGROUPS, "the slot is its interface's");
static_assert(SWITCH_PROGRAM_NO_PROCESSES == SWITCH_SLOT_NO_PROCESSES,
              "the slot is its interface's");
static_assert(SWITCH_PROGRAM_OWN_LANES == SWITCH_OWN_LANES, "the lanes are its interface's");

static_assert(offsetof(struct switch_bpf__bss, control) == 0, "others share it as a map");

static_assert(SWITCH_PROGRAM_DISTRIBUTIONS == SWITCH_DISTRIBUTIONS, "as its interface says");
static_assert(SWITCH_PROGRAM_TALLIES == SWITCH_TALLIES, "as its interface says");
static_assert(sizeof(struct switch_program_latency) == sizeof(struct switch_latency) &&
                  offsetof(struct switch_program_latency, buckets) ==
                      offsetof(struct switch_latency, buckets) &&
                  offsetof(struct switch_program_latency, tallies) ==
                      offsetof(struct switch_latency, tallies) &&
                  offsetof(struct switch_program_latency, changes) ==
                      offsetof(struct switch_latency, changes),
              "the same memory");
static_assert(SWITCH_PROGRAM_AWAY_PLACE_BYTES == sizeof(struct switch_away), "as it says");

/*
 * How often a refresh is tried. While a CPU changes its state with interrupts enabled, for about a
 * microsecond, it cannot be refreshed.
 */
#define MOST_REFRESHES 10

/* How often the map of watched processes is walked until it has none of a slot any more. */
#define MOST_WALKS 100

struct switch_program {
    struct switch_program_size size;
    struct switch_bpf *skeleton;
    struct switch_cpu *cpus;                  /* mapped; NULL: not yet */
    uint64_t *cells;                          /* mapped; NULL: not yet */
    struct switch_program_latency *latencies; /* mapped; NULL: not wanted */
};

static int set_sizes(struct switch_bpf *skeleton, const struct switch_program_size *size)
{
    uint32_t n_cpus = (uint32_t)size->n_cpus, n_slots = (uint32_t)size->n_slots;
    int r;

    skeleton->rodata->n_slots = n_slots;
    skeleton->rodata->n_lanes = (uint32_t)size->n_lanes;
    skeleton->rodata->is_v1 = size->v1;
    r = bpf_map__set_max_entries(skeleton->maps.events, n_cpus * SWITCH_EVENTS_MAX);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.cpus, n_cpus);
    if (r >= 0)
        r = bpf_map__set_value_size(skeleton->maps.cells,
                                    (uint32_t)(switch_program_lanes(size) * sizeof(uint64_t)));
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.cells, n_cpus * n_slots);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.slots, n_slots);
    if (r >= 0 && size->n_watched > 0)
        r = bpf_map__set_max_entries(skeleton->maps.watched, (uint32_t)size->n_watched);
    return r;
}

/* Has the program count latencies: other programs are loaded for it. 0 or -errno. */
static int set_latencies(struct switch_bpf *skeleton, const struct switch_program_size *size)
{
    const uint32_t away_bits = switch_program_away_bits(size);
    int r;

    skeleton->rodata->n_latency_slots = (uint32_t)size->n_latency_slots;
    skeleton->rodata->away_bits = away_bits;
    /* the state of the task that goes, behind `preempt` and both tasks */
    skeleton->rodata->tells_state = bpf_tracepoint_arguments("sched_switch") >= 4;
    r = bpf_map__set_max_entries(skeleton->maps.latencies,
                                 (uint32_t)(size->n_cpus * size->n_latency_slots));
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.away, UINT32_C(1) << away_bits);
    if (r >= 0)
        r = bpf_map__set_max_entries(skeleton->maps.cpu_places, (uint32_t)size->n_cpus);
    return r;
}

/* Which programs are loaded: one of the two for switches, and what only latencies take. */
static int choose_programs(struct switch_bpf *skeleton, const struct switch_program_size *size)
{
    const bool with_latencies = size->n_latency_slots > 0;

    (void)bpf_program__set_autoload(skeleton->progs.on_switch, !with_latencies);
    (void)bpf_program__set_autoload(skeleton->progs.on_timed_switch, with_latencies);
    (void)bpf_program__set_autoload(skeleton->progs.on_migrate, with_latencies);
    (void)bpf_program__set_autoload(skeleton->progs.on_ask_latencies, with_latencies);
    bpf_program__set_autoattach(skeleton->progs.on_refresh, false);
    bpf_program__set_autoattach(skeleton->progs.on_ask, false);
    bpf_program__set_autoattach(skeleton->progs.on_ask_latencies, false);
    return with_latencies ? set_latencies(skeleton, size) : 0;
}

/* No process is watched yet, on any CPU. */
static void forget_processes(struct switch_program *program)
{
    for (size_t cpu = 0; cpu < program->size.n_cpus; cpu++)
        program->cpus[cpu].runner.watched = program->cpus[cpu].runner.timed = SWITCH_SLOT_NONE;
}

static int map_memory(struct switch_program *program)
{
    const struct switch_bpf *skeleton = program->skeleton;

    program->cpus = bpf_values_map(skeleton->maps.cpus);
    program->cells = program->cpus ? bpf_values_map(skeleton->maps.cells) : NULL;
    if (program->cells && program->size.n_latency_slots > 0)
        program->latencies = bpf_values_map(skeleton->maps.latencies);
    return program->cells && (program->latencies || program->size.n_latency_slots == 0) ? 0
                                                                                        : -errno;
}

static int load(void *loaded)
{
    struct switch_program *program = loaded;
    int r;

    program->skeleton = switch_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = set_sizes(program->skeleton, &program->size);
    if (r >= 0)
        r = choose_programs(program->skeleton, &program->size);
    if (r >= 0)
        r = switch_bpf__load(program->skeleton);
    if (r >= 0)
        r = map_memory(program);
    if (r < 0)
        return r;
    forget_processes(program);
    return switch_bpf__attach(program->skeleton);
}

int switch_program_load(const struct switch_program_size *size, struct switch_program **ret_program,
                        enum bpf_refusal *ret_refusal)
{
    AUTO(switch_program) struct switch_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->size = *size;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0)
        return r;
    *ret_program = TAKE(program);
    return 0;
}

struct switch_program *switch_program_free(struct switch_program *program)
{
    if (!program)
        return NULL;
    bpf_values_unmap(program->skeleton->maps.cpus, program->cpus);
    bpf_values_unmap(program->skeleton->maps.cells, program->cells);
    bpf_values_unmap(program->skeleton->maps.latencies, program->latencies);
    switch_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

/* The old one goes first. 0 or -errno. */
static int attach_anew(const struct bpf_program *program, struct bpf_link **link)
{
    (void)bpf_link__destroy(*link);
    *link = bpf_program__attach(program);
    return *link ? 0 : -errno;
}

/*
 * Two of on_switch at one switch would take the second for a hidden one, so the old one goes first.
 * Of on_exit none may be missed, and a second one does nothing.
 */
int switch_program_attach_last(struct switch_program *program)
{
    struct switch_bpf *skeleton = program->skeleton;
    struct bpf_link *on_exit = bpf_program__attach(skeleton->progs.on_exit);

    if (on_exit) { /* before Linux 6.10 a program can be attached once only, and stays as it is */
        (void)bpf_link__destroy(skeleton->links.on_exit);
        skeleton->links.on_exit = on_exit;
    }
    if (program->size.n_latency_slots > 0)
        return attach_anew(skeleton->progs.on_timed_switch, &skeleton->links.on_timed_switch);
    return attach_anew(skeleton->progs.on_switch, &skeleton->links.on_switch);
}

void switch_program_place_cpu(struct switch_program *program, size_t cpu, unsigned core,
                              unsigned llc, unsigned node)
{
    const struct switch_cpu_place place = {.core = core, .llc = llc, .node = node};
    const uint32_t key = (uint32_t)cpu;

    (void)bpf_map_update_elem(bpf_map__fd(program->skeleton->maps.cpu_places), &key, &place,
                              BPF_ANY);
}

bool switch_program_has_latencies(const struct switch_program *program)
{
    LIBBPF_OPTS(bpf_test_run_opts, options);

    return program->latencies &&
           bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_ask_latencies),
                                  &options) >= 0 &&
           options.retval;
}

struct switch_program_latency *switch_program_latencies(const struct switch_program *program)
{
    return program->latencies;
}

uint64_t switch_program_unknown_latencies(const struct switch_program *program)
{
    uint64_t n = 0;

    for (size_t cpu = 0; cpu < program->size.n_cpus; cpu++)
        n += __atomic_load_n(&program->cpus[cpu].n_unknown, __ATOMIC_RELAXED);
    return n;
}

uint64_t *switch_program_cell(const struct switch_program *program, size_t cpu, size_t slot)
{
    return program->cells +
           (cpu * program->size.n_slots + slot) * switch_program_lanes(&program->size);
}

void switch_program_place_event(struct switch_program *program, size_t event, size_t value,
                                size_t times, enum switch_event_kind kind)
{
    struct switch_event *place = &program->skeleton->bss->control.events[event];

    place->value = (uint32_t)value;
    place->counts_switches = kind == SWITCH_EVENT_SWITCHES;
    place->is_clock = kind == SWITCH_EVENT_CLOCK;
    place->times = times == SWITCH_PROGRAM_NO_TIMES ? SWITCH_NO_TIMES : (uint32_t)times;
}

void switch_program_set_n_events(struct switch_program *program, size_t n_events)
{
    __atomic_store_n(&program->skeleton->bss->control.n_events, (uint32_t)n_events,
                     __ATOMIC_RELEASE);
}

int switch_program_set_event(struct switch_program *program, size_t cpu, size_t event, int fd,
                             const struct switch_program_reading *base)
{
    int map = bpf_map__fd(program->skeleton->maps.events);
    uint32_t key = (uint32_t)(cpu * SWITCH_EVENTS_MAX + event);
    int r = bpf_map_delete_elem(map, &key);

    if (r < 0 && r != -ENOENT)
        return r;
    if (fd < 0)
        return 0;
    if (r == 0) /* after a refresh nobody on that CPU is still reading the old event */
        (void)switch_program_refresh(program, cpu);
    program->cpus[cpu].last[event] =
        (struct switch_reading){base->value, base->enabled, base->running};
    return bpf_map_update_elem(map, &key, &fd, BPF_ANY);
}

/* Makes the slots that CPUs have cached invalid. */
static void begin_generation(struct switch_program *program)
{
    (void)__atomic_add_fetch(&program->skeleton->bss->control.generation, 1, __ATOMIC_SEQ_CST);
}

int switch_program_set_slot(struct switch_program *program, uint64_t cgroup, size_t slot)
{
    uint32_t value = (uint32_t)slot;
    int r =
        bpf_map_update_elem(bpf_map__fd(program->skeleton->maps.slots), &cgroup, &value, BPF_ANY);

    begin_generation(program);
    return r;
}

int switch_program_clear_slot(struct switch_program *program, uint64_t cgroup)
{
    int r = bpf_map_delete_elem(bpf_map__fd(program->skeleton->maps.slots), &cgroup);

    begin_generation(program);
    return r == -ENOENT ? 0 : r;
}

void switch_program_set_watching(struct switch_program *program, bool watching)
{
    __atomic_store_n(&program->skeleton->bss->control.watches, watching, __ATOMIC_SEQ_CST);
}

static int watched_map(const struct switch_program *program)
{
    return bpf_map__fd(program->skeleton->maps.watched);
}

int switch_program_watch(struct switch_program *program, pid_t process, size_t slot, bool children)
{
    const struct switch_watched entry = {.slot = (uint32_t)slot, .children = children};
    const uint32_t key = (uint32_t)process;

    return bpf_map_update_elem(watched_map(program), &key, &entry, BPF_ANY);
}

void switch_program_unwatch(struct switch_program *program, pid_t process, size_t slot)
{
    const uint32_t key = (uint32_t)process;
    struct switch_watched entry;

    if (bpf_map_lookup_elem(watched_map(program), &key, &entry) == 0 && entry.slot == slot)
        (void)bpf_map_delete_elem(watched_map(program), &key);
}

/* Removes the watched processes of a slot. Returns how many there were. */
static size_t unwatch_all(struct switch_program *program, size_t slot)
{
    uint32_t key, next;
    size_t n = 0;
    int r = bpf_map_get_next_key(watched_map(program), NULL, &key);

    for (size_t i = 0; r == 0 && i < program->size.n_watched; i++, key = next) {
        struct switch_watched entry;
        bool ours =
            bpf_map_lookup_elem(watched_map(program), &key, &entry) == 0 && entry.slot == slot;

        /* before the key is deleted: from a key that is not there the walk would begin anew */
        r = bpf_map_get_next_key(watched_map(program), &key, &next);
        if (ours)
            (void)bpf_map_delete_elem(watched_map(program), &key);
        n += ours;
    }
    return n;
}

/*
 * It is repeated until nothing is found: a child that was just being started when its parent was
 * removed may be entered after the walk has passed.
 */
void switch_program_unwatch_slot(struct switch_program *program, size_t slot)
{
    for (int i = 0; i < MOST_WALKS && unwatch_all(program, slot) > 0; i++)
        ;
}

uint64_t switch_program_unfollowed(const struct switch_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->control.unfollowed, __ATOMIC_RELAXED);
}

pid_t switch_program_own_number(const struct switch_program *program)
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    int r = bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_ask), &options);

    return r < 0 ? r : (pid_t)options.retval;
}

int switch_program_refresh(struct switch_program *program, size_t cpu)
{
    int r = 0;

    for (int tries = 0; tries < MOST_REFRESHES && r >= 0; tries++) {
        LIBBPF_OPTS(bpf_test_run_opts, options, .flags = BPF_F_TEST_RUN_ON_CPU,
                    .cpu = (uint32_t)cpu);

        r = bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_refresh), &options);
        if (options.retval == 0)
            break;
    }
    return r;
}

void switch_program_begin_cpu(struct switch_program *program, size_t cpu)
{
    __atomic_store_n(&program->cpus[cpu].switches, 0, __ATOMIC_RELAXED);
    (void)switch_program_refresh(program, cpu);
}

struct switch_doubt switch_program_doubt(const struct switch_program *program)
{
    struct switch_doubt doubt = {0};

    for (size_t cpu = 0; cpu < program->size.n_cpus; cpu++) {
        const struct switch_cpu *state = &program->cpus[cpu];

        doubt.untold_switches += __atomic_load_n(&state->n_hidden, __ATOMIC_RELAXED);
        doubt.unattributed_ns += __atomic_load_n(&state->unattributed_ns, __ATOMIC_RELAXED);
    }
    return doubt;
}

int switch_program_maps(const struct switch_program *program, struct switch_program_maps *ret_maps)
{
    *ret_maps = (struct switch_program_maps){
        .slots = bpf_map__fd(program->skeleton->maps.slots),
        .watched = bpf_map__fd(program->skeleton->maps.watched),
        .control = bpf_map__fd(program->skeleton->maps.bss),
        .v1 = program->size.v1,
    };
    return 0;
}
