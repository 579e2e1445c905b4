/* SPDX-License-Identifier: Apache-2.0 */

/*
 * From the kernel's readings to what a target has counted. Each cell of a set is judged by itself,
 * since a target may run on one CPU, wait on another and be multiplexed on a third. What is known
 * is then added up.
 *
 * A cell whose delta is unknown keeps its base reading, so that nothing is lost: the next delta
 * covers both intervals, and its rate is taken over both.
 */
#include <errno.h>

#include "base/clock.h"
#include "count/counter_cells.h"
#include "count/counter_set.h"
#include "count/counter_starvation.h"
#include "count/delta.h"

/*
 * Whether the values are those of the events that were opened, in this order, by the ids that the
 * kernel gives each event. A first reading is where the ids are learnt.
 */
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

/*
 * Adds the time since the last reading to `times`, unless that is NULL, and takes the new times.
 * Returns by how much the time enabled has advanced, as far as that is known.
 */
static uint64_t take_times(struct counter_cell *cell, const struct group_reading *reading,
                           struct group_sample *times)
{
    bool forward = reading->enabled >= cell->last_enabled && reading->running >= cell->last_running;
    uint64_t advance = times && forward ? reading->enabled - cell->last_enabled : 0;

    if (times && forward) {
        times->enabled += advance;
        times->running += reading->running - cell->last_running;
    }
    cell->last_enabled = reading->enabled;
    cell->last_running = reading->running;
    return advance;
}

static bool went_backwards(const struct counter_base *bases, size_t n,
                           const struct group_reading *reading)
{
    bool backwards = false;

    for (size_t i = 0; i < n; i++)
        backwards |= delta_is_backwards(delta_count(bases[i].value, reading->values[i].value));
    return backwards;
}

/* Adds the known deltas of a cell to the sample. */
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
    READING_LATER, /* the kernel cannot give a sum at this moment; the cell stays open */
    READING_LOST,  /* the cell is closed now */
};

/* Whether the cell is kept although its reading failed, which takes nothing from the counters. */
static bool is_tried_again(struct counter_cell *cell)
{
    cell->failed = cell->handle >= 0 && !cell->failed;
    return cell->failed;
}

/*
 * Reads a cell, and closes it where it is of no use any more: when it has failed twice in a row, or
 * is not the group that was opened. To open it again would lose what it has counted since the last
 * reading. ECHILD: while a thread ends, the kernel refuses to add its inherited group to the
 * others' (perf_event_read_group(), since Linux 6.6); a moment later it does.
 */
static enum reading_state read_group(struct counter_set *set, size_t place, size_t group,
                                     struct group_reading *reading)
{
    struct counter_cell *cell = counter_cell(set, place, group);
    const size_t n = set->groups->groups[group].n_opened;
    int r = -EBADF;

    if (cell->handle >= 0)
        r = set->mechanism->read(set->mechanism, set, place, group, reading);
    if (r == -ECHILD || (r < 0 && is_tried_again(cell)))
        return READING_LATER;
    cell->failed = false;
    if (r >= 0 && ids_agree(cell, &set->bases[counter_first(set, place, group)], n, reading))
        return READING_GOOD;
    set->mechanism->reopened += cell->handle >= 0;
    counter_cell_close(set, place, group);
    return READING_LOST;
}

/*
 * Whether a reading below the base is to be passed over. The first one is: while a thread ends, its
 * events leave their groups one by one, and for an instant what it has counted is in no sum. A
 * second one in a row is a counter that begins anew.
 */
static bool waits_for_next(struct counter_cell *cell, bool backwards)
{
    cell->backwards = backwards && !cell->backwards;
    return cell->backwards;
}

/*
 * Adds what was counted since the base reading, or notes that it is unknown. Returns for how long
 * the group was enabled.
 */
static uint64_t derive_cell(const struct event_group *group, struct counter_cell *cell,
                            struct counter_base *bases, const struct group_reading *reading,
                            uint64_t now_ns, struct group_sample *times,
                            struct event_sample *events)
{
    enum delta_state state;
    bool backwards;
    uint64_t advance;

    if (reading->enabled == cell->last_enabled) {
        /* The target did not run. A delta that was unknown before goes on waiting for its end;
         * where there is none, the next rate begins here. */
        if (cell->enabled == cell->last_enabled)
            cell->base_ns = now_ns;
        return 0;
    }
    times->ran = true;
    advance = take_times(cell, reading, times);
    state = delta_judge(reading->enabled - cell->enabled, reading->running - cell->running);
    backwards = went_backwards(bases, group->n_opened, reading);
    if (state == DELTA_UNKNOWN || waits_for_next(cell, backwards)) {
        times->unknown = true;
        return advance;
    }
    if (state == DELTA_KNOWN && !backwards)
        add_deltas(group, cell, bases, reading, now_ns, events);
    else
        times->unknown = true;
    cell->has_counted = true;
    take_base(cell, bases, group->n_opened, reading, now_ns);
    return advance;
}

/* Returns for how long the group was enabled since the last reading. */
static uint64_t read_cell(struct counter_set *set, size_t place, size_t group_index,
                          uint64_t now_ns, struct sample *sample)
{
    const struct event_group *group = &set->groups->groups[group_index];
    struct group_sample *times = &sample->groups[group_index];
    struct counter_cell *cell = counter_cell(set, place, group_index);
    struct counter_base *bases = &set->bases[counter_first(set, place, group_index)];
    struct group_reading *reading = &set->mechanism->reading;
    enum reading_state state;
    uint64_t advance = 0;

    if (cell->ended)
        return 0;
    state = read_group(set, place, group_index, reading);
    if (state != READING_GOOD) {
        times->unknown |= !cell->offline; /* a CPU that is offline counts nothing: that is known */
        times->counted |= cell->has_counted && state == READING_LATER;
        return 0;
    }
    times->unknown |= cell->interrupted;
    if (cell->based) {
        advance =
            derive_cell(group, cell, bases, reading, now_ns, times, &sample->events[group->first]);
    } else {
        take_base(cell, bases, group->n_opened, reading, now_ns);
        (void)take_times(cell, reading, NULL);
        /* A group that waits for its first turn on the PMU has an unknown count, not 0. */
        cell->has_counted = reading->enabled == 0 || reading->running > 0;
        times->unknown = true;
    }
    times->counted |= cell->has_counted;
    if (cell->base_ns == now_ns) /* the next rate is taken from this moment on */
        cell->interrupted = counter_group_is_paused(set, group_index);
    return advance;
}

/*
 * What of the sample was counted on the CPU of the place: what has come to it since `before`, the
 * counts that it had then.
 */
static void tell_cpu(const struct counter_set *set, size_t place,
                     const uint64_t before[static CPU_COUNTS_], struct sample *sample)
{
    const struct cpu_number cpu = set->scope.cpus->cpus[place];
    struct domain_sample *domain = sample_domain_of_cpu(sample->domains, cpu);

    for (enum cpu_count count = 0; count < CPU_COUNTS_ && domain; count++) {
        const struct cpu_count_source *source = &sample->domains->sources[count];

        if (!source->event)
            continue;
        domain->counted[count] |= counter_cell(set, place, source->group)->has_counted;
        domain->counts[count] += sample->events[source->index].count - before[count];
    }
}

/* The target ran in a place for as long as the group of it that was enabled the longest. */
static void read_place(struct counter_set *set, size_t place, uint64_t now_ns,
                       struct sample *sample)
{
    const bool tells_cpu = sample->domains && !scope_is_of_threads(&set->scope);
    uint64_t before[CPU_COUNTS_] = {0}, ran_ns = 0;

    for (enum cpu_count count = 0; count < CPU_COUNTS_ && tells_cpu; count++)
        if (sample->domains->sources[count].event)
            before[count] = sample->events[sample->domains->sources[count].index].count;
    for (size_t group = 0; group < set->groups->n_groups; group++) {
        uint64_t advance = set->groups->groups[group].n_opened > 0
                               ? read_cell(set, place, group, now_ns, sample)
                               : 0;

        if (advance > ran_ns)
            ran_ns = advance;
    }
    set->ran_ns[place] += ran_ns;
    if (tells_cpu)
        tell_cpu(set, place, before, sample);
}

void counter_set_read(struct counter_set *set, uint64_t now_ns, struct sample *sample)
{
    sample_clear(sample);
    for (size_t place = 0; place < set->n_places; place++)
        read_place(set, place, now_ns, sample);
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
