/* SPDX-License-Identifier: Apache-2.0 */
#include "run/session.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "count/counter_set.h"
#include "run/session_parts.h"
#include "sys/process.h"

/* How often a last reading is tried again where the kernel could not give it at the moment. */
#define MOST_LAST_READINGS 20

struct recording *run_session_recording(struct run_session *session)
{
    return session->recording;
}

struct recording *run_session_take_recording(struct run_session *session)
{
    return TAKE(session->recording);
}

size_t run_session_counters(const struct run_session *session)
{
    return session->n_counters;
}

uint64_t run_session_due_ns(const struct run_session *session)
{
    return session->next_ns;
}

/* Reads every part into the figures of the interval. Returns whether all counts are known. */
static bool read_parts(struct run_session *session)
{
    bool is_known = true;

    for (size_t i = 0; i < session->target.n_parts; i++) {
        struct run_part *part = &session->target.parts[i];

        counter_set_read(part->set, clock_monotonic_ns(), part->sample);
        figures_add_sample(session->figures, part->groups, part->sample);
        for (size_t group = 0; group < part->sample->n_groups; group++)
            is_known &= !part->sample->groups[group].unknown;
    }
    return is_known;
}

/* Writes the figures of an interval as a row. Returns false if there is no room for it. */
static bool write_row(struct run_session *session, uint64_t now_ns)
{
    struct recording *recording = session->recording;
    double *row = recording_add_row(recording, now_ns - session->start_ns);
    const size_t n_events = session->events.n;

    if (!row)
        return false;
    for (size_t i = 0; i < n_events; i++) {
        const struct figure *figure = &session->figures[i];

        if (session->columns[i] == SIZE_MAX || !figure->is_known)
            continue;
        row[session->columns[i]] = (double)figure->exact;
        session->spans[i].enabled_ns += figure->enabled_ns;
        session->spans[i].running_ns += figure->running_ns;
        session->spans[i].is_known = true;
        recording->events[i].coverage = figure_coverage(&session->spans[i]);
    }
    for (size_t i = 0; i < session->ratios.n; i++)
        row[recording->n_columns - session->ratios.n + i] =
            run_ratio_of(&session->ratios, i, session->figures);
    figures_begin_interval(session->figures, n_events);
    return true;
}

static bool all_tasks_ended(const struct run_session *session)
{
    for (size_t i = 0; i < session->wish.n_tasks; i++) {
        AUTO(process) struct process *process = NULL;
        const int r = process_open(session->machine.procfs_fd, session->wish.tasks[i], &process);

        if (r != -ESRCH && (r < 0 || !process_stat_is_ended(process_stat(process))))
            return false;
    }
    return true;
}

static bool is_target_gone(const struct run_session *session)
{
    switch (session->wish.kind) {
    case TARGET_CGROUP:
        return cgroup_is_removed(session->target.cgroup_fd);
    case TARGET_PROCESSES:
        return all_tasks_ended(session);
    default:
        return false;
    }
}

/* As is_target_gone(), but it looks only once in LOOK_NS. */
static bool has_target_ended(struct run_session *session, uint64_t now_ns)
{
    if (now_ns < session->look_ns)
        return false;
    session->look_ns = now_ns + LOOK_NS;
    return is_target_gone(session);
}

/* Reads what the counters say for the last time. */
static void end_counters(struct run_session *session, uint64_t now_ns)
{
    static const struct timespec moment = {.tv_nsec = 1000000};

    /* What is sampled ends with what is counted, so that both tell the same. */
    for (size_t i = 0; i < session->target.n_parts && session->recording->kind == RUN_RECORDS; i++)
        counter_set_stop(session->target.parts[i].set);

    /* While a thread ends, the kernel cannot give the sum for a moment; it is asked again then. */
    for (int i = 0; !read_parts(session) && i < MOST_LAST_READINGS &&
                    scope_is_of_threads(&session->target.scope);
         i++)
        (void)nanosleep(&moment, NULL);
    (void)write_row(session, now_ns);
}

void run_session_end(struct run_session *session, enum run_state state, uint64_t now_ns)
{
    if (state == RUN_WAS_STOPPED && is_target_gone(session))
        state = RUN_TARGET_GONE;
    if (session->schedule)
        now_ns = schedule_session_end(session->schedule, session->recording, now_ns);
    else
        end_counters(session, now_ns);
    run_target_close(&session->target);
    session->recording->state = state;
    session->recording->end_realtime_ns =
        session->recording->start_realtime_ns + (now_ns - session->start_ns);
}

/* The first time after now that is a whole number of intervals behind `due_ns`. */
static uint64_t due_after(uint64_t due_ns, uint64_t interval_ns, uint64_t now_ns)
{
    return due_ns + ((now_ns - due_ns) / interval_ns + 1) * interval_ns;
}

/* Reads the counters into a row. Returns false if there is no room for it. */
static bool read_counters(struct run_session *session, uint64_t now_ns)
{
    (void)read_parts(session);
    if (!write_row(session, now_ns))
        return false;
    session->next_ns = due_after(session->next_ns, session->recording->interval_ns, now_ns);
    return true;
}

/* Reads the ring, and adds a row where it is time for one. Returns false if there is no room. */
static bool read_ring(struct run_session *session, uint64_t now_ns)
{
    const uint64_t interval_ns = session->recording->interval_ns;

    if (!schedule_session_read(session->schedule))
        return false;
    if (now_ns >= session->row_ns) {
        if (!schedule_session_add_row(session->schedule, session->recording, now_ns))
            return false;
        session->row_ns = due_after(session->row_ns, interval_ns, now_ns);
    }
    session->next_ns = now_ns + RING_NS < session->row_ns ? now_ns + RING_NS : session->row_ns;
    return true;
}

enum run_state run_session_turn(struct run_session *session, uint64_t now_ns)
{
    if (now_ns < session->next_ns)
        return RUN_GOES_ON;
    if (now_ns >= session->end_ns) {
        run_session_end(session, RUN_IS_OVER, now_ns);
        return RUN_IS_OVER;
    }
    if (has_target_ended(session, now_ns)) {
        run_session_end(session, RUN_TARGET_GONE, now_ns);
        return RUN_TARGET_GONE;
    }
    if (!(session->schedule ? read_ring(session, now_ns) : read_counters(session, now_ns))) {
        run_session_end(session, RUN_IS_OVER, now_ns);
        return RUN_IS_OVER;
    }
    if (session->next_ns > session->end_ns)
        session->next_ns = session->end_ns;
    return RUN_GOES_ON;
}

void run_session_follow_pause(struct run_session *session)
{
    for (size_t i = 0; i < session->target.n_parts; i++)
        if (session->target.parts[i].set)
            counter_set_follow_pause(session->target.parts[i].set);
}
