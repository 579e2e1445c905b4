/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The bpf mechanism: the groups of all cgroups are open once on each CPU, and a program in
 * the kernel adds what they count to the slot of the cgroup that runs, and to that of the
 * process, which stands among the others as one that contains none. A cell of a counter
 * set is a slot, a CPU and a group: nothing is opened for it. A reading is the sum of the
 * target's slot and those nested in it, and grows as one of the kernel's does, so that all
 * that is made of readings is the same code as in direct. The system's are the readings of
 * the groups themselves.
 *
 * What a CPU is running is charged at its next switch, or when it is refreshed, which is
 * done before each round of readings.
 */
#include <errno.h>
#include <limits.h>

#include "base/clock.h"
#include "count/bpf/groups.h"
#include "count/bpf/mechanism.h"
#include "count/bpf/slots.h"
#include "count/bpf/watched_processes.h"
#include "count/counter_cells.h"
#include "count/counter_settle.h"
#include "count/perf_group.h"

struct bpf {
    struct mechanism mechanism;
    struct switch_program_size size;
    const struct perf_ops *ops;
    struct switch_program *program;
    struct bpf_groups *groups;
    struct bpf_slots *slots;
    struct watched_processes *watched; /* of the slots that are processes' */
};

/* The slot that no target has stands for the system: what it is charged is no reading. */
#define SLOT_OF_SYSTEM SWITCH_PROGRAM_REST

/* That a handle can tell apart. */
#define MOST_PLACES ((size_t)INT_MAX / BPF_BIRTHS / BPF_GROUPS_MAX)

/*
 * The id of a process among those of cgroups, which the kernel counts up from 0: they never get
 * as far as the first bit. With its children it is another one.
 */
#define PROCESS_ID  (UINT64_C(1) << 63)
#define CHILDREN_ID (UINT64_C(1) << 62)

/* What a handle stands for. */
struct bpf_cell {
    size_t slot;
    struct bpf_user user;
};

static struct bpf *bpf_of(struct mechanism *mechanism)
{
    return (struct bpf *)mechanism;
}

static int handle_of(const struct bpf *bpf, const struct bpf_cell *cell)
{
    const size_t place = cell->slot * bpf->size.n_cpus + (size_t)cell->user.cpu.value;

    return (int)((place * BPF_BIRTHS + cell->user.birth) * BPF_GROUPS_MAX + cell->user.group);
}

static struct bpf_cell cell_of(const struct bpf *bpf, int handle)
{
    const size_t birth = (size_t)handle / BPF_GROUPS_MAX, place = birth / BPF_BIRTHS;
    const size_t slot = place / bpf->size.n_cpus;

    return (struct bpf_cell){.slot = slot,
                             .user = {.group = (size_t)handle % BPF_GROUPS_MAX,
                                      .cpu = {(int)(place % bpf->size.n_cpus)},
                                      .birth = (unsigned)(birth % BPF_BIRTHS),
                                      .charged = slot != SLOT_OF_SYSTEM}};
}

/* The times first: what is charged while we read may be in the values and not in them. */
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

static int bpf_read(struct mechanism *mechanism, int handle, size_t n_values,
                    struct group_reading *ret_reading)
{
    const struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = cell_of(bpf, handle);

    if (cell.slot != SLOT_OF_SYSTEM)
        return read_slot(bpf, &cell, n_values, ret_reading);
    return perf_group_read(bpf->ops, bpf_groups_leader(bpf->groups, &cell.user), n_values,
                           ret_reading);
}

/* What each CPU is running is charged, and to the right slot from here on. */
static void refresh_cpus(struct bpf *bpf)
{
    for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++)
        if (bpf_groups_are_open(bpf->groups, cpu))
            (void)switch_program_refresh(bpf->program, cpu); /* offline: nothing runs there */
}

static void tell_open_counters(struct bpf *bpf)
{
    bpf->mechanism.open_counters = bpf_groups_open_counters(bpf->groups);
}

static void bpf_refresh(struct mechanism *mechanism)
{
    struct bpf *bpf = bpf_of(mechanism);

    refresh_cpus(bpf);
    if (bpf_slots_any_left(bpf->slots))
        bpf_slots_fold(bpf->slots);
    mechanism->unfollowed = switch_program_unfollowed(bpf->program);
    tell_open_counters(bpf);
    mechanism->doubt = switch_program_doubt(bpf->program);
}

/* Nobody is charged in a slot that is left from the next refresh on. */
static void leave_slot(struct bpf *bpf, size_t slot)
{
    const uint64_t id = bpf_slots_id(bpf->slots, slot);

    if (!bpf_slots_leave(bpf->slots, slot))
        return;
    if (!(id & PROCESS_ID))
        (void)switch_program_clear_slot(bpf->program, id);
    else if (watched_processes_end(bpf->watched, slot))
        refresh_cpus(bpf);
}

static void clear_lanes(struct bpf *bpf, size_t group)
{
    refresh_cpus(bpf);
    bpf_slots_clear_lanes(bpf->slots, bpf_groups_first_lane(bpf->groups, group),
                          BPF_GROUP_LANES(bpf_groups_n_events(bpf->groups, group)));
}

static void bpf_close(struct mechanism *mechanism, struct counter_set *set, size_t place,
                      size_t group)
{
    struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = cell_of(bpf, counter_cell(set, place, group)->handle);

    if (cell.user.charged)
        leave_slot(bpf, cell.slot);
    if (bpf_groups_close(bpf->groups, &cell.user))
        clear_lanes(bpf, cell.user.group);
    tell_open_counters(bpf);
}

static int bpf_set_enabled(struct mechanism *mechanism, int handle, bool enabled)
{
    struct bpf *bpf = bpf_of(mechanism);
    const struct bpf_cell cell = cell_of(bpf, handle);

    return bpf_groups_set_enabled(bpf->groups, &cell.user, enabled);
}

static void bpf_keep_cpus(struct mechanism *mechanism, const struct cpu_list *cpus)
{
    bpf_groups_keep_cpus(bpf_of(mechanism)->groups, cpus);
}

/* Why there is no slot or no group. */
static enum absence absence_of(int error, const struct scope *scope)
{
    if (error == -ENOSPC)
        return ABSENCE_OVER_LIMIT;
    if (error == -ENAMETOOLONG)
        return ABSENCE_NOT_SUPPORTED;
    if (error == -ENOENT || error == -ENODEV || error == -ESTALE)
        return ABSENCE_TARGET_GONE;
    return perf_group_absence(error, scope);
}

static void open_cell(struct bpf *bpf, struct counter_set *set, size_t place, size_t group,
                      struct bpf_cell *wanted)
{
    struct counter_cell *cell = counter_cell(set, place, group);
    const size_t open = bpf_groups_open_counters(bpf->groups);
    const size_t rest = bpf->mechanism.descriptors > open ? bpf->mechanism.descriptors - open : 0;
    enum absence absence;
    int r;

    wanted->user.cpu = set->scope.cpus->cpus[place];
    r = bpf_groups_open(bpf->groups, &wanted->user, !counter_group_is_paused(set, group), rest);
    if (r == 0) {
        if (wanted->user.charged)
            bpf_slots_share(bpf->slots, wanted->slot);
        counter_cell_opened(set, place, group, handle_of(bpf, wanted));
        return;
    }
    absence = perf_group_absence(r, &set->scope);
    cell->offline = absence == ABSENCE_CPU_OFFLINE;
    if (!cell->offline)
        set->absences[group] = absence;
}

static void open_group(struct bpf *bpf, struct counter_set *set, size_t group, size_t slot)
{
    struct bpf_cell cell = {.slot = slot, .user.charged = slot != SLOT_OF_SYSTEM};
    int r = bpf_groups_enter(bpf->groups, &set->groups->groups[group], cell.user.charged,
                             &cell.user.group);

    if (r < 0) {
        set->absences[group] = absence_of(r, &set->scope);
        return;
    }
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->handle < 0 && set->absences[group] == ABSENCE_NONE)
            open_cell(bpf, set, place, group, &cell);
    if (bpf_groups_leave(bpf->groups, cell.user.group, cell.user.charged))
        clear_lanes(bpf, cell.user.group); /* else its cells are its users now */
}

/* The slot of the set's cgroup, with us as one of its users. */
static int enter_cgroup(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    AUTO(cgroup_lineage) struct cgroup_lineage *lineage = NULL;
    bool new;
    int r = cgroup_lineage_read(scope->cgroup_fd, &lineage);

    if (r >= 0)
        r = bpf_slots_enter(bpf->slots, lineage, ret_slot, &new);
    if (r >= 0 && new)
        r = switch_program_set_slot(bpf->program, cgroup_lineage_id(lineage), *ret_slot);
    else
        return r;
    if (r < 0)
        leave_slot(bpf, *ret_slot);
    return r;
}

/* The same for a process. What is named anew is named in the one slot, whichever set has it. */
static int enter_process(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    AUTO(cgroup_lineage)
    struct cgroup_lineage *alone = malloc(sizeof(*alone) + sizeof(*alone->ids));
    bool new;
    int r;

    if (!alone)
        return -ENOMEM;
    alone->n = 1;
    alone->ids[0] = PROCESS_ID | scope->process;
    if (scope->inherit == INHERIT_CHILDREN)
        alone->ids[0] |= CHILDREN_ID;
    r = bpf_slots_enter(bpf->slots, alone, ret_slot, &new);
    if (r < 0)
        return r;
    r = watched_processes_set(bpf->watched, *ret_slot, scope);
    if (r < 0)
        leave_slot(bpf, *ret_slot);
    return r;
}

/* A slot of the set's, or the system's. */
static int enter_slot(struct bpf *bpf, const struct scope *scope, size_t *ret_slot)
{
    switch (scope->kind) {
    case SCOPE_SYSTEM:
        *ret_slot = SLOT_OF_SYSTEM;
        return 0;
    case SCOPE_CGROUP:
        return enter_cgroup(bpf, scope, ret_slot);
    default:
        return bpf->mechanism.counts_processes ? enter_process(bpf, scope, ret_slot) : -EOPNOTSUPP;
    }
}

static void open_set(struct bpf *bpf, struct counter_set *set)
{
    const struct event_groups *groups = set->groups;
    size_t slot = SLOT_OF_SYSTEM;
    int r = enter_slot(bpf, &set->scope, &slot);

    for (size_t group = 0; group < groups->n_groups; group++) {
        if (groups->groups[group].n_opened == 0 || counter_group_is_starved(set, group))
            continue;
        set->absences[group] = r < 0 ? absence_of(r, &set->scope) : ABSENCE_NONE;
        if (r >= 0)
            open_group(bpf, set, group, slot);
    }
    counter_set_settle(set, clock_monotonic_ns());
    if (r >= 0 && slot != SLOT_OF_SYSTEM)
        leave_slot(bpf, slot); /* its cells are its users now */
}

static int bpf_open(struct mechanism *mechanism, struct counter_set **sets, size_t n_sets)
{
    struct bpf *bpf = bpf_of(mechanism);

    for (size_t i = 0; i < n_sets; i++)
        open_set(bpf, sets[i]);
    tell_open_counters(bpf);
    return 0;
}

pid_t mechanism_bpf_own_number(const struct mechanism *mechanism)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;

    return bpf->size.n_watched > 0 ? switch_program_own_number(bpf->program) : -EOPNOTSUPP;
}

uint64_t mechanism_bpf_nobodys(const struct mechanism *mechanism, size_t slot, size_t lane)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;
    uint64_t sum = 0;

    for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++)
        sum += switch_program_cell(bpf->program, cpu, slot)[lane];
    return sum;
}

/* Of the first group of the set that is open: all of them have the same slot. */
static struct sample_doubt bpf_doubt_of(const struct mechanism *mechanism,
                                        const struct counter_set *set)
{
    const struct bpf *bpf = (const struct bpf *)mechanism;
    struct sample_doubt doubt = {0};

    for (size_t i = 0; i < set->n_places * set->groups->n_groups; i++) {
        const int handle = set->cells[i].handle;
        const struct bpf_cell cell = cell_of(bpf, handle < 0 ? 0 : handle);
        const size_t enabled = bpf_groups_first_lane(bpf->groups, cell.user.group) +
                               bpf_groups_n_events(bpf->groups, cell.user.group);

        if (handle < 0 || !cell.user.charged)
            continue;
        for (size_t cpu = 0; cpu < bpf->size.n_cpus; cpu++) {
            doubt.doubtful_ns += bpf_slots_sum(bpf->slots, cell.slot, cpu, bpf->size.n_lanes);
            doubt.ran_ns += bpf_slots_sum(bpf->slots, cell.slot, cpu, enabled);
        }
        break;
    }
    return doubt;
}

static struct mechanism *bpf_free(struct mechanism *mechanism)
{
    struct bpf *bpf = bpf_of(mechanism);

    (void)bpf_groups_free(bpf->groups);
    (void)bpf_slots_free(bpf->slots);
    (void)watched_processes_free(bpf->watched);
    (void)switch_program_free(bpf->program);
    free(bpf);
    return NULL;
}

/* The parts of it. 0 or -errno. */
static int fill(struct bpf *bpf, enum bpf_refusal *ret_refusal)
{
    struct slot_cells cells = {.n_cpus = bpf->size.n_cpus,
                               .n_slots = bpf->size.n_slots,
                               .n_lanes = switch_program_lanes(&bpf->size),
                               .n_reserved = SWITCH_PROGRAM_FIRST};
    int r = switch_program_load(&bpf->size, &bpf->program, ret_refusal);

    if (r < 0)
        return r;
    cells.lanes = switch_program_cell(bpf->program, 0, 0);
    bpf->groups = bpf_groups_new(bpf->program, bpf->ops, &bpf->size);
    bpf->slots = bpf_slots_new(&cells);
    bpf->watched = watched_processes_new(bpf->program, bpf->size.n_slots);
    if (bpf->groups && bpf->slots && bpf->watched)
        return 0;
    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
    return -ENOMEM;
}

int mechanism_bpf_new(const struct perf_ops *ops, const struct switch_program_size *size,
                      struct mechanism **ret_mechanism, enum bpf_refusal *ret_refusal)
{
    struct bpf *bpf = calloc(1, sizeof(*bpf));
    int r;

    *ret_refusal = BPF_REFUSAL_NO_MEMORY;
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
    if (switch_program_bytes(size) > SWITCH_PROGRAM_MOST_BYTES ||
        size->n_slots * size->n_cpus > MOST_PLACES) {
        *ret_refusal = BPF_REFUSAL_TOO_LARGE;
        r = -E2BIG;
    } else {
        r = fill(bpf, ret_refusal);
    }
    if (r < 0) {
        (void)bpf_free(&bpf->mechanism);
        return r;
    }
    *ret_refusal = BPF_REFUSAL_NONE;
    *ret_mechanism = &bpf->mechanism;
    return 0;
}
