/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A set holds a cell for each group in each place, which is a CPU or a thread: where
 * its readings come from, and the reading that the next one is compared with. Each
 * cell is judged by itself, since a target may run on one CPU, wait on another and be
 * multiplexed on a third; what is known is then added up.
 *
 * A cell whose delta is unknown keeps its base, so that nothing is lost: the next
 * delta covers both intervals, and its rate is taken over both.
 */
#include "count/counter_set.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "count/counter_cells.h"
#include "count/delta.h"

int counter_set_new(struct mechanism *mechanism, const struct event_groups *groups,
                    const struct scope *scope, struct counter_set **ret_set)
{
    size_t n_places = scope_n_places(scope);
    size_t n_cells = n_places * groups->n_groups;
    size_t n_bases = n_places * groups->n_events;
    struct counter_set *set;

    /* One block: a cycle walks over it from front to back. */
    set = calloc(1, sizeof(*set) + n_cells * sizeof(*set->cells) + n_bases * sizeof(*set->bases) +
                        n_bases * sizeof(*set->descriptors) +
                        groups->n_groups * (sizeof(*set->starvations) + sizeof(*set->absences)));
    if (!set)
        return -ENOMEM;
    set->mechanism = mechanism;
    set->groups = groups;
    set->scope = *scope;
    set->n_places = n_places;
    set->cells = (struct counter_cell *)(set + 1);
    set->starvations = (struct starvation *)(set->cells + n_cells);
    set->bases = (struct counter_base *)(set->starvations + groups->n_groups);
    set->descriptors = (int *)(set->bases + n_bases);
    set->absences = (enum absence *)(set->descriptors + n_bases);
    for (size_t i = 0; i < n_cells; i++) {
        set->cells[i].handle = -1;
        set->n_missing += groups->groups[i % groups->n_groups].n_opened > 0;
    }
    *ret_set = set;
    return 0;
}

const struct scope *counter_set_scope(const struct counter_set *set)
{
    return &set->scope;
}

void counter_set_name_tasks(struct counter_set *set, const pid_t *tasks, size_t n)
{
    set->scope.tasks = tasks;
    set->scope.n_tasks = n;
}

const struct mechanism *counter_set_mechanism(const struct counter_set *set)
{
    return set->mechanism;
}

struct counter_set *counter_set_free(struct counter_set *set)
{
    if (set)
        counter_set_close(set);
    free(set);
    return NULL;
}

void counter_cell_opened(struct counter_set *set, size_t place, size_t group, int handle)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    *cell =
        (struct counter_cell){.handle = handle, .interrupted = counter_group_is_paused(set, group)};
    set->n_missing--;
}

void counter_cell_ended(struct counter_set *set, size_t place, size_t group)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    *cell = (struct counter_cell){.handle = -1, .ended = true};
    set->n_missing--;
}

void counter_cell_close(struct counter_set *set, size_t place, size_t group)
{
    struct counter_cell *cell = counter_cell(set, place, group);

    if (cell->handle >= 0) {
        set->mechanism->close(set->mechanism, set, place, group);
        set->n_missing++;
    }
    cell->handle = -1;
    cell->based = false;
}

void counter_set_close(struct counter_set *set)
{
    for (size_t place = 0; place < set->n_places; place++)
        for (size_t group = 0; group < set->groups->n_groups; group++)
            counter_cell_close(set, place, group);
}

bool counter_set_is_open(const struct counter_set *set, size_t group)
{
    for (size_t place = 0; place < set->n_places; place++)
        if (counter_cell(set, place, group)->handle >= 0)
            return true;
    return false;
}

bool counter_set_is_incomplete(const struct counter_set *set)
{
    return set->n_missing > 0;
}

bool counter_set_wants_open(const struct counter_set *set, uint64_t now_ns)
{
    return set->n_missing > 0 && now_ns >= set->retry_at_ns;
}

static enum absence members_absence(const struct event_group *group)
{
    enum absence absence = ABSENCE_NONE;

    for (size_t i = 0; i < group->n_members; i++)
        absence = absence_foremost(absence, group->members[i].absence);
    return absence;
}

/* Why a group is not counted as a whole; none where it is, or where others are instead of it. */
static enum absence group_absence(const struct counter_set *set, size_t index)
{
    const struct event_group *group = &set->groups->groups[index];

    if (group->n_opened > 0)
        return set->absences[index] != ABSENCE_NONE ? set->absences[index]
                                                    : set->starvations[index].absence;
    return set->groups->n_opened == 0 ? members_absence(group) : ABSENCE_NONE;
}

enum absence counter_set_absence(const struct counter_set *set)
{
    enum absence absence = ABSENCE_NONE;

    for (size_t group = 0; group < set->groups->n_groups; group++)
        absence = absence_foremost(absence, group_absence(set, group));
    return absence;
}

/* Learns the ids of a first reading, or finds that the reading is of other events. */
static bool ids_agree(const struct counter_cell *cell, struct counter_base *bases, size_t n,
                      const struct group_reading *reading)
{
    bool agree = true;

    for (size_t i = 0; i < n; i++) {
        if (!cell->based)
            bases[i].id = reading->values[i].id;
        agree &= bases[i].id == reading->values[i].id;
    }
    return agree;
}

static void take_base(struct counter_cell *cell, struct counter_base *bases, size_t n,
                      const struct group_reading *reading, uint64_t now_ns)
{
    cell->based = true;
    cell->base_ns = now_ns;
    cell->enabled = reading->enabled;
    cell->running = reading->running;
    for (size_t i = 0; i < n; i++)
        bases[i].value = reading->values[i].value;
}

/* Moves on to the times of this reading; adds what passed since the last one. */
static void take_times(struct counter_cell *cell, const struct group_reading *reading,
                       struct group_sample *times)
{
    bool forward = reading->enabled >= cell->last_enabled && reading->running >= cell->last_running;

    if (times && forward) {
        times->enabled += reading->enabled - cell->last_enabled;
        times->running += reading->running - cell->last_running;
    }
    cell->last_enabled = reading->enabled;
    cell->last_running = reading->running;
}

static bool went_backwards(const struct counter_base *bases, size_t n,
                           const struct group_reading *reading)
{
    bool backwards = false;

    for (size_t i = 0; i < n; i++)
        backwards |= delta_is_backwards(delta_count(bases[i].value, reading->values[i].value));
    return backwards;
}

/* Adds the deltas of one cell, all of which are known, to the sample. */
static void add_deltas(const struct event_group *group, const struct counter_cell *cell,
                       struct counter_base *bases, const struct group_reading *reading,
                       uint64_t now_ns, struct event_sample *events)
{
    uint64_t enabled = reading->enabled - cell->enabled;
    uint64_t running = reading->running - cell->running;
    uint64_t elapsed = now_ns - cell->base_ns;
    double frequency = elapsed ? (double)NS_PER_SECOND / (double)elapsed : 0;

    for (size_t i = 0; i < group->n_opened; i++) {
        struct event_sample *event = &events[group->opened[i]];
        uint64_t count = delta_count(bases[i].value, reading->values[i].value);
        double exact = delta_exact(count, enabled, running);

        event->count += delta_scale(count, enabled, running, &bases[i].carry);
        event->exact += exact;
        event->per_second += exact * frequency;
    }
}

enum reading_state {
    READING_GOOD,
    READING_LATER, /* the kernel cannot add it up at this moment */
    READING_LOST,
};

/*
 * While a thread ends, the kernel refuses to add up its inherited group with the others'
 * (ECHILD, since Linux 6.6).
 */
static enum reading_state read_group(struct counter_set *set, size_t place, size_t group,
                                     struct group_reading *reading)
{
    struct counter_cell *cell = counter_cell(set, place, group);
    size_t n = set->groups->groups[group].n_opened;
    int r = -EBADF;

    if (cell->handle >= 0)
        r = set->mechanism->read(set->mechanism, cell->handle, n, reading);
    if (r == -ECHILD)
        return READING_LATER;
    if (r >= 0 && ids_agree(cell, &set->bases[counter_first(set, place, group)], n, reading))
        return READING_GOOD;
    set->mechanism->reopened += cell->handle >= 0;
    counter_cell_close(set, place, group);
    return READING_LOST;
}

/*
 * A first reading that goes backwards waits: while a thread ends, its members leave their
 * group one by one, and for an instant what it counted is in no sum. A second one in a row
 * is the counter's new truth.
 */
static bool waits_for_next(struct counter_cell *cell, bool backwards)
{
    cell->backwards = backwards && !cell->backwards;
    return cell->backwards;
}

/* Adds what was counted since the base, or says that it is unknown. */
static void derive_cell(const struct event_group *group, struct counter_cell *cell,
                        struct counter_base *bases, const struct group_reading *reading,
                        uint64_t now_ns, struct group_sample *times, struct event_sample *events)
{
    enum delta_state state;
    bool backwards;

    if (reading->enabled == cell->last_enabled) {
        /* The target did not run. What is carried from before goes on waiting. */
        if (cell->enabled == cell->last_enabled)
            cell->base_ns = now_ns;
        return;
    }
    times->ran = true;
    take_times(cell, reading, times);
    state = delta_judge(reading->enabled - cell->enabled, reading->running - cell->running);
    backwards = went_backwards(bases, group->n_opened, reading);
    if (state == DELTA_UNKNOWN || waits_for_next(cell, backwards)) {
        times->unknown = true;
        return;
    }
    if (state == DELTA_KNOWN && !backwards)
        add_deltas(group, cell, bases, reading, now_ns, events);
    else
        times->unknown = true;
    cell->has_counted = true;
    take_base(cell, bases, group->n_opened, reading, now_ns);
}

static void read_cell(struct counter_set *set, size_t place, size_t group_index, uint64_t now_ns,
                      struct sample *sample)
{
    const struct event_group *group = &set->groups->groups[group_index];
    struct group_sample *times = &sample->groups[group_index];
    struct counter_cell *cell = counter_cell(set, place, group_index);
    struct counter_base *bases = &set->bases[counter_first(set, place, group_index)];
    struct group_reading *reading = &set->mechanism->reading;

    enum reading_state state;

    if (cell->ended)
        return;
    state = read_group(set, place, group_index, reading);
    if (state != READING_GOOD) {
        times->unknown |= !cell->offline;
        times->counted |= cell->has_counted && state == READING_LATER;
        return;
    }
    times->unknown |= cell->interrupted;
    if (cell->based) {
        derive_cell(group, cell, bases, reading, now_ns, times, &sample->events[group->first]);
    } else {
        take_base(cell, bases, group->n_opened, reading, now_ns);
        take_times(cell, reading, NULL);
        /* A group that waits for its first turn on the PMU has counted nothing, not 0. */
        cell->has_counted = reading->enabled == 0 || reading->running > 0;
        times->unknown = true;
    }
    times->counted |= cell->has_counted;
    if (cell->base_ns == now_ns) /* what is read next is compared with this moment */
        cell->interrupted = counter_group_is_paused(set, group_index);
}

void counter_set_read(struct counter_set *set, uint64_t now_ns, struct sample *sample)
{
    sample_clear(sample);
    for (size_t place = 0; place < set->n_places; place++)
        for (size_t group = 0; group < set->groups->n_groups; group++)
            if (set->groups->groups[group].n_opened > 0)
                read_cell(set, place, group, now_ns, sample);
    counter_set_judge_starvation(set, now_ns, sample);
    if (set->mechanism->doubt_of && set->mechanism->doubt.unattributed_ns > 0)
        sample->doubt = set->mechanism->doubt_of(set->mechanism, set);
}

void counter_set_begin(struct counter_set *set, uint64_t since_ns, uint64_t now_ns,
                       struct sample *sample)
{
    counter_set_read(set, now_ns, sample);
    for (size_t place = 0; place < set->n_places; place++)
        for (size_t group = 0; group < set->groups->n_groups; group++) {
            struct counter_cell *cell = counter_cell(set, place, group);

            if (!cell->based || cell->base_ns != now_ns)
                continue;
            cell->base_ns = since_ns;
            cell->interrupted = true;
        }
}
