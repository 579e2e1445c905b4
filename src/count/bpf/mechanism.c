/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bpf mechanism. The groups that targets want are open once on each CPU, for all of them. At
 * each switch a program in the kernel adds what they have counted to the slot of the cgroup that
 * ran, and to the slot of the process that ran, if that is watched.
 *
 * For a cell of a counter set (a target, a CPU and a group) nothing is opened. Its reading is the
 * sum of the target's slot and of the slots that are nested in it. It grows as a reading of the
 * kernel does, and so everything that is made of readings is the same code as for direct. The
 * system has no slot: its readings are those of the groups themselves.
 *
 * What a CPU is running now is charged at its next switch, or when the CPU is refreshed. That is
 * done before each round of readings.
 */
#include "count/bpf/mechanism.h"

#include <errno.h>
#include <stdlib.h>

#include "count/bpf/cells.h"
#include "count/bpf/open.h"
#include "count/counter_cells.h"
#include "count/perf_group.h"
#include "sys/cpu_topology.h"

static struct bpf *bpf_of(struct mechanism *mechanism)
{
    return (struct bpf *)mechanism;
}

static int bpf_open(struct mechanism *mechanism, struct counter_set **sets, size_t n_sets)
{
    struct bpf *bpf = bpf_of(mechanism);

    for (size_t i = 0; i < n_sets; i++)
        bpf_open_set(bpf, sets[i]);
    bpf_update_open_counters(bpf);
    return 0;
}

/*
 * The times are read before the values, since a CPU may charge the slot in between. The values are
 * then ahead of the times, and the next delta has the rest. The other way round, counts whose time
 * was taken already would be held back until the target runs again: a reading whose time enabled
 * has not advanced counts as idle.
 */
static int read_slot(const struct bpf *bpf, const struct bpf_cell *cell, size_t n_values,
                     struct group_reading *ret_reading)
{
    const size_t cpu = (size_t)cell->user.cpu.value;
    const size_t first = bpf_groups_first_lane(bpf->groups, cell->user.group);

    ret_reading->n_values = n_values;
    ret_reading->enabled = bpf_slots_sum(bpf->slots, cell->slot, cpu, first + n_values);
    ret_reading->running = bpf_slots_sum(bpf->slots, cell->slot, cpu, first + n_values + 1);
    for (size_t i = 0; i < n_values; i++) {
        ret_reading->values[i].value = bpf_slots_sum(bpf->slots, cell->slot, cpu, first + i);
        ret_reading->values[i].id = i;
    }
    return 0;
}

static int bpf_read(struct mechanism *mechanism, const struct counter_set *set, size_t place,
                    size_t group, struct group_reading *ret_reading)
{
    const struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = bpf_cell_of(bpf, counter_cell(set, place, group)->handle);
    const size_t n_values = set->groups->groups[group].n_opened;

    if (cell.slot != BPF_SLOT_OF_SYSTEM)
        return read_slot(bpf, &cell, n_values, ret_reading);
    return perf_group_read(bpf->ops, bpf_groups_leader(bpf->groups, &cell.user), n_values,
                           ret_reading);
}

static void give_up_slot(void *observers, size_t slot)
{
    observers_give_up(observers, slot);
}

/*
 * Folds the slots without users: since the refresh nobody charges them. What is counted by key is
 * read since then.
 */
static void fold_slots(struct bpf *bpf)
{
    struct observers *observers = bpf->observers;

    if (observers)
        observers_read(observers);
    if (!bpf_slots_any_unused(bpf->slots))
        return;
    bpf_slots_fold(bpf->slots, observers ? give_up_slot : NULL, observers);
    if (observers)
        observers_forget(observers);
}

static void bpf_refresh(struct mechanism *mechanism)
{
    struct bpf *bpf = bpf_of(mechanism);

    bpf_refresh_cpus(bpf);
    fold_slots(bpf);
    bpf_slots_note_refresh(bpf->slots);
    mechanism->unfollowed = switch_program_unfollowed(bpf->program);
    bpf_update_open_counters(bpf);
    mechanism->doubt = switch_program_doubt(bpf->program);
    mechanism->unknown_latencies = switch_program_unknown_latencies(bpf->program) +
                                   (bpf->observers ? observers_lost(bpf->observers) : 0);
}

static void bpf_close(struct mechanism *mechanism, struct counter_set *set, size_t place,
                      size_t group)
{
    struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = bpf_cell_of(bpf, counter_cell(set, place, group)->handle);

    if (cell.user.charged)
        bpf_leave_slot(bpf, cell.slot);
    if (bpf_groups_close(bpf->groups, &cell.user))
        bpf_clear_lanes(bpf, cell.user.group);
    bpf_update_open_counters(bpf);
}

static int bpf_set_enabled(struct mechanism *mechanism, const struct counter_set *set, size_t place,
                           size_t group, bool enabled)
{
    struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = bpf_cell_of(bpf, counter_cell(set, place, group)->handle);

    return bpf_groups_set_enabled(bpf->groups, &cell.user, enabled);
}

static void bpf_keep_cpus(struct mechanism *mechanism, const struct cpu_list *cpus)
{
    bpf_groups_keep_cpus(bpf_of(mechanism)->groups, cpus);
}

pid_t mechanism_bpf_own_number(const struct mechanism *mechanism)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;

    return bpf->size.n_watched > 0 ? switch_program_own_number(bpf->program) : -EOPNOTSUPP;
}

bool mechanism_bpf_has_latencies(const struct mechanism *mechanism)
{
    return slot_latencies_of(((const struct bpf *)mechanism)->latencies, SWITCH_PROGRAM_REST);
}

int mechanism_bpf_observe(struct mechanism *mechanism, unsigned kinds, int sysfs_fd)
{
    struct bpf *bpf = bpf_of(mechanism);

    if (!bpf->observers)
        bpf->observers = observers_new(&(struct observers_setup){.program = bpf->program,
                                                                 .slots = bpf->slots,
                                                                 .n_slots = bpf->size.n_slots,
                                                                 .sysfs_fd = sysfs_fd,
                                                                 .ops = bpf->ops});
    if (!bpf->observers)
        return -ENOMEM;
    observers_want(bpf->observers, kinds);
    return 0;
}

void mechanism_bpf_follow(struct mechanism *mechanism, const struct span *spans, size_t n_spans,
                          const struct cpu_list *cpus, const char **ret_reasons)
{
    observers_follow(bpf_of(mechanism)->observers, spans, n_spans, cpus, ret_reasons);
}

const char *mechanism_bpf_time_calls(struct mechanism *mechanism,
                                     const struct syscalls_timing *timing)
{
    return observers_time_calls(bpf_of(mechanism)->observers, timing);
}

const char *mechanism_bpf_unobserved(const struct mechanism *mechanism, enum latency_kind kind)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;

    return bpf->observers ? observers_reason(bpf->observers, kind) : NULL;
}

void mechanism_bpf_place_cpus(struct mechanism *mechanism, int sysfs_fd,
                              const struct cpu_list *cpus)
{
    struct switch_program *program = bpf_of(mechanism)->program;

    for (size_t i = 0; i < cpus->n; i++) {
        const struct cpu_sharing sharing = cpu_sharing_read(sysfs_fd, cpus->cpus[i]);

        switch_program_place_cpu(program, (size_t)cpus->cpus[i].value, (unsigned)sharing.core,
                                 (unsigned)sharing.cache, (unsigned)sharing.node);
    }
}

uint64_t mechanism_bpf_charged_to_nobody(const struct mechanism *mechanism, size_t slot,
                                         size_t lane)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;
    uint64_t sum = 0;

    for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++)
        sum += switch_program_cell(bpf->program, cpu, slot)[lane];
    return sum;
}

/* The first cell of a set that is open and charged; -1: there is none. */
static int any_charged_handle(const struct bpf *bpf, const struct counter_set *set)
{
    for (size_t i = 0; i < set->n_places * set->groups->n_groups; i++) {
        const int handle = set->cells[i].handle;

        if (handle >= 0 && bpf_cell_of(bpf, handle).user.charged)
            return handle;
    }
    return -1;
}

/* All cells of a set have the same slot, and the doubt is the slot's: one of them will do. */
static struct sample_doubt bpf_doubt_of(const struct mechanism *mechanism,
                                        const struct counter_set *set)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;
    const int handle = any_charged_handle(bpf, set);
    struct sample_doubt doubt = {0};
    struct bpf_cell cell;
    size_t enabled;

    if (handle < 0)
        return doubt;
    cell = bpf_cell_of(bpf, handle);
    enabled = bpf_groups_first_lane(bpf->groups, cell.user.group) +
              bpf_groups_n_events(bpf->groups, cell.user.group);
    for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++) {
        doubt.doubtful_ns += bpf_slots_sum(bpf->slots, cell.slot, cpu, bpf->size.n_lanes);
        doubt.ran_ns += bpf_slots_sum(bpf->slots, cell.slot, cpu, enabled);
    }
    return doubt;
}

static struct mechanism *bpf_free(struct mechanism *mechanism)
{
    struct bpf *bpf = bpf_of(mechanism);

    (void)observers_free(bpf->observers);
    (void)bpf_groups_free(bpf->groups);
    (void)bpf_slots_free(bpf->slots);
    (void)slot_latencies_free(bpf->latencies);
    (void)watched_processes_free(bpf->watched);
    (void)switch_program_free(bpf->program);
    free(bpf);
    return NULL;
}

/* Loads the program and makes the parts that stand on it. 0 or -errno. */
static int load(struct bpf *bpf, enum bpf_refusal *ret_refusal)
{
    struct slot_cells cells = {.n_cpus = bpf->size.n_cpus,
                               .n_slots = bpf->size.n_slots,
                               .n_lanes = switch_program_lanes(&bpf->size),
                               .n_reserved = SWITCH_PROGRAM_FIRST};
    struct latency_memory latency_memory = {.n_cpus = bpf->size.n_cpus,
                                            .n_slots = bpf->size.n_latency_slots};
    int r = switch_program_load(&bpf->size, &bpf->program, ret_refusal);

    if (r < 0)
        return r;
    if (switch_program_has_latencies(bpf->program))
        latency_memory.cells = switch_program_latencies(bpf->program);
    cells.lanes = switch_program_cell(bpf->program, 0, 0);
    bpf->groups = bpf_groups_new(bpf->program, bpf->ops, &bpf->size);
    bpf->latencies = slot_latencies_new(&latency_memory);
    bpf->slots = bpf->latencies ? bpf_slots_new(&cells, bpf->latencies) : NULL;
    bpf->watched = watched_processes_new(bpf->program, bpf->size.n_slots);
    if (bpf->groups && bpf->slots && bpf->watched)
        return 0;
    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
    return -ENOMEM;
}

int mechanism_bpf_new(const struct perf_ops *ops, const struct switch_program_size *size,
                      struct mechanism **ret_mechanism, enum bpf_refusal *ret_refusal)
{
    struct bpf *bpf;
    int r;

    if (switch_program_bytes(size) > SWITCH_PROGRAM_MOST_BYTES ||
        switch_program_latency_bytes(size) > SWITCH_PROGRAM_MOST_LATENCY_BYTES ||
        !bpf_handles_suffice(size)) {
        *ret_refusal = BPF_REFUSAL_TOO_LARGE;
        return -E2BIG;
    }
    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
    bpf = malloc(sizeof(*bpf));
    if (!bpf)
        return -ENOMEM;
    *bpf = (struct bpf){
        .mechanism = {.name = "bpf",
                      .counts_processes = size->n_watched > 0,
                      .open = bpf_open,
                      .read = bpf_read,
                      .close = bpf_close,
                      .set_enabled = bpf_set_enabled,
                      .refresh = bpf_refresh,
                      .keep_cpus = bpf_keep_cpus,
                      .doubt_of = bpf_doubt_of,
                      .free = bpf_free},
        .ops = ops,
        .size = *size,
    };
    r = load(bpf, ret_refusal);
    if (r < 0) {
        (void)bpf_free(&bpf->mechanism);
        return r;
    }
    *ret_refusal = BPF_REFUSAL_NONE;
    *ret_mechanism = &bpf->mechanism;
    return 0;
}
