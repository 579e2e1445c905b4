/* SPDX-License-Identifier: Apache-2.0 */

/* Finds what a run counts and for whom, within its share of the PMU, and opens it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "count/pmu_budget.h"
#include "resolve/absence_advice.h"
#include "run/columns.h"
#include "run/session_parts.h"

static int make_wish(struct run_session *session, const struct run_request *request,
                     const struct run_setup *setup)
{
    static const enum run_target_kind kinds[] = {[RUN_OF_MACHINE] = TARGET_MACHINE,
                                                 [RUN_OF_CGROUP] = TARGET_CGROUP,
                                                 [RUN_OF_PROCESSES] = TARGET_PROCESSES,
                                                 [RUN_OF_PID] = TARGET_PROCESSES};
    const bool is_pid = request->place == RUN_OF_PID;
    const size_t n = is_pid ? 1 : setup->n_processes;

    session->place = strdup(request->place_name);
    session->tasks = calloc(n + 1, sizeof(*session->tasks));
    if (!session->place || !session->tasks)
        return -ENOMEM;
    if (is_pid)
        session->tasks[0] = request->pid;
    else if (n > 0)
        memcpy(session->tasks, setup->processes, n * sizeof(*session->tasks));
    session->wish = (struct run_wish){.kind = kinds[request->place],
                                      .cgroup = session->place,
                                      .tasks = session->tasks,
                                      .n_tasks = n,
                                      .skips_gone = !is_pid};
    return 0;
}

/* Where it can be found out how many counters are free: on the CPUs of the target, or on all. */
static int find_spare(const struct run_session *session, const struct run_setup *setup,
                      size_t *ret_counters)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    struct scope scope = session->target.scope;
    int r = scope.cpus ? 0 : cpu_list_read_online(session->machine.sysfs_fd, &online);

    if (!scope.cpus)
        scope.cpus = online;
    return r < 0 ? r
                 : spare_counters_find(&setup->spare, setup->status, session->events.groups, &scope,
                                       ret_counters);
}

/* Takes away what is not left of the PMU's counters. */
static int keep_budget(struct run_session *session, const struct run_setup *setup)
{
    struct event_groups *groups = session->events.groups;
    AUTO_FREE enum absence *absences = calloc(session->events.n + 1, sizeof(*absences));
    size_t counters;
    int r;

    if (!absences)
        return -ENOMEM;
    event_groups_absences(groups, absences);
    session->n_counters = event_groups_wanted_counters(groups, absences);
    if (session->n_counters == 0)
        return 0;
    r = find_spare(session, setup, &counters);
    if (r < 0 || session->n_counters <= counters)
        return r;
    event_groups_grant_counters(groups, counters, absences);
    session->n_counters = counters;
    event_groups_apply(groups, absences);
    return 0;
}

static int probe_events(struct run_session *session, struct event_resolver *resolver,
                        const struct run_setup *setup)
{
    int r = run_events_probe(&session->events, resolver, &session->target.parts[0].scope);

    if (r == 0)
        r = keep_budget(session, setup);
    if (r == 0 && session->wish.kind == TARGET_MACHINE) {
        r = run_uncores_find(&session->events, session->machine.sysfs_fd, session->machine.pmus,
                             NULL, &session->uncores);
        if (r == 0)
            r = run_uncores_probe(&session->uncores, &session->events);
    }
    return r;
}

/* What people are told of an event that is not counted. NULL: nothing more than the reason. */
static const char *words_for(const struct event *event, enum absence absence,
                             const struct run_setup *setup)
{
    if (event->why)
        return event->why;
    if (absence == ABSENCE_OVER_BUDGET)
        return setup->over_budget;
    return *absence_advice(absence) ? absence_advice(absence) : NULL;
}

/* Adds the event of that index. */
static int add_event(struct run_session *session, const struct run_setup *setup, size_t index,
                     const struct group_member *member)
{
    return run_columns_add_event(session->recording, member,
                                 words_for(member->event, member->absence, setup),
                                 &session->columns[index]);
}

static int add_ratio_columns(struct run_session *session)
{
    const int r = run_ratios_find(session->events.groups, &session->ratios);

    return r < 0 ? r : run_columns_add_ratios(session->recording, &session->ratios);
}

/* Makes the columns. 0; -ENOMEM; -EINVAL with words: nothing can be counted. */
static int make_columns(struct run_session *session, const struct run_setup *setup,
                        struct text *message)
{
    const struct event_groups *groups = session->events.groups;
    size_t index = 0;
    int r = 0;

    session->figures = calloc(groups->n_events + 1, sizeof(*session->figures));
    session->spans = calloc(groups->n_events + 1, sizeof(*session->spans));
    session->columns = calloc(groups->n_events + 1, sizeof(*session->columns));
    if (!session->figures || !session->spans || !session->columns)
        return -ENOMEM;
    for (size_t g = 0; g < groups->n_groups; g++)
        for (size_t i = 0; i < groups->groups[g].n_members && r == 0; i++)
            r = add_event(session, setup, index++, &groups->groups[g].members[i]);
    if (r == 0 && session->recording->n_columns > 0)
        return add_ratio_columns(session);
    for (size_t i = 0; i < session->recording->n_events && r == 0; i++) {
        const struct run_event *event = &session->recording->events[i];

        text_append_format(message, "%s%s: %s%s%s", i > 0 ? "; " : "", event->name, event->reason,
                           event->why ? ", " : "", event->why ? event->why : "");
    }
    return r < 0 ? r : -EINVAL;
}

static int copy_request(const struct run_request *request, struct recording *recording)
{
    recording->title = strdup(request->title);
    recording->notes = strdup(request->notes);
    recording->target = strdup(request->target);
    recording->asked = strdup(request->asked);
    recording->interval_ns = request->interval_ns;
    recording->duration_ns = request->duration_ns;
    recording->takes_free = request->takes_free;
    recording->rate_hz = request->rate_hz;
    recording->kind = request->kind;
    return recording->title && recording->notes && recording->target && recording->asked ? 0
                                                                                         : -ENOMEM;
}

/* Whether so many numbers would be too many. */
static int check_size(const struct recording *recording, struct text *message)
{
    const uint64_t n = recording->duration_ns / recording->interval_ns + 1;

    if (n * recording->n_columns <= RUN_VALUES_MAX)
        return 0;
    text_append_string(message, "a run has at most " RUN_BOUNDS
                                ": expected fewer events, a longer interval or a shorter duration");
    return -EINVAL;
}

/*
 * Whether the event of a run of kind `record` can sample. The program that the kernel calls for
 * each sample is one for events of a PMU or of software: a tracepoint takes no such one
 * (perf_event_set_bpf_prog() of the kernel), and uncore PMUs do not know who runs.
 */
static int check_sampling(const struct run_session *session, struct text *message)
{
    const struct event *event = session->events.events[0];

    if (session->events.n != 1) {
        text_append_string(message, "a wildcard stands for several events: expected one");
        return -EINVAL;
    }
    if (event->kind != EVENT_TRACEPOINT && event->kind != EVENT_PROBE && !event->is_uncore)
        return 0;
    text_append_format(message,
                       "%s cannot be sampled, but only counted; expected an event of a CPU's PMU "
                       "or of software",
                       event->name);
    return -EINVAL;
}

/* System-wide a clock counts wall time, which tells nothing; but its samples tell who runs. */
static void allow_clock(const struct run_session *session)
{
    session->events.events[0]->is_clock = false;
}

/* Whether all that was opened samples. */
static int check_opened(const struct run_session *session, struct text *message)
{
    for (size_t i = 0; i < session->target.n_parts; i++) {
        const enum absence absence = counter_set_absence(session->target.parts[i].set);

        if (absence == ABSENCE_NONE)
            continue;
        text_append_format(message,
                           "%s cannot be sampled %u times a second: %s; "
                           "kernel.perf_event_max_sample_rate may be lower",
                           session->events.events[0]->name, session->recording->rate_hz,
                           absence_name(absence));
        return -EINVAL;
    }
    return 0;
}

static int open_counters(struct run_session *session, struct text *message)
{
    int r = run_target_set_groups(&session->target, session->events.groups, &session->uncores);

    if (r == 0)
        r = run_target_open(&session->target, &session->wish, session->machine.procfs_fd,
                            session->mechanism);
    if (r < 0)
        text_append_format(message, "the target cannot be counted: %s", strerror(-r));
    if (r == 0 && session->recording->kind == RUN_RECORDS)
        r = check_opened(session, message);
    return r == -ESRCH ? -ENOENT : r;
}

/* Opens what a run counts. */
static int open_events(struct run_session *session, const struct run_request *request,
                       const struct run_setup *setup, struct text *message)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    int r = event_resolver_new(session->machine.sysfs_fd, &resolver);

    if (r == 0)
        r = run_events_find(resolver, &request->events, &session->events, message);
    if (r == 0 && session->events.n > RUN_EVENTS_MAX) {
        text_append_format(message, "a wildcard stands for too many events: expected at most %d",
                           RUN_EVENTS_MAX);
        r = -EINVAL;
    }
    if (r == 0 && request->kind == RUN_RECORDS)
        r = check_sampling(session, message);
    if (r == 0 && request->kind == RUN_RECORDS)
        allow_clock(session);
    if (r == 0)
        r = run_target_find(&session->wish, &session->machine, &session->target, message);
    if (r == 0)
        r = probe_events(session, resolver, setup);
    if (r == 0)
        r = make_columns(session, setup, message);
    if (r == 0)
        r = check_size(session->recording, message);
    return r < 0 ? r : open_counters(session, message);
}

/* Begins to record what the scheduler does. */
static int open_schedule(struct run_session *session, const struct run_setup *setup,
                         struct text *message)
{
    int r = run_target_find(&session->wish, &session->machine, &session->target, message);

    if (r == 0)
        r = schedule_session_open(&session->target, &session->wish, setup, session->recording,
                                  &session->schedule, message);
    return r < 0 ? r : check_size(session->recording, message);
}

static int open_all(struct run_session *session, const struct run_request *request,
                    const struct run_setup *setup, struct text *message)
{
    int r = make_wish(session, request, setup);

    session->recording = recording_new();
    if (r == 0)
        r = session->recording ? copy_request(request, session->recording) : -ENOMEM;
    if (r < 0)
        return r;
    return request->kind == RUN_SCHEDULE ? open_schedule(session, setup, message)
                                         : open_events(session, request, setup, message);
}

int run_session_open(const struct run_request *request, const struct run_setup *setup,
                     struct run_session **ret_session, struct text *ret_message)
{
    AUTO(run_session) struct run_session *session = calloc(1, sizeof(*session));
    int r;

    if (!session)
        return -ENOMEM;
    session->machine = setup->machine;
    session->mechanism = setup->mechanism;
    session->target.cgroup_fd = -1;
    r = open_all(session, request, setup, ret_message);
    if (r < 0)
        return r;
    session->start_ns = clock_monotonic_ns();
    session->recording->start_realtime_ns = clock_realtime_ns();
    session->end_ns = session->start_ns + request->duration_ns;
    session->row_ns = session->start_ns + request->interval_ns;
    session->next_ns = session->schedule ? session->start_ns + RING_NS : session->row_ns;
    if (session->next_ns > session->end_ns)
        session->next_ns = session->end_ns;
    session->look_ns = session->start_ns + LOOK_NS;
    *ret_session = TAKE(session);
    return 0;
}

struct run_session *run_session_free(struct run_session *session)
{
    if (!session)
        return NULL;
    session->schedule = schedule_session_free(session->schedule);
    run_target_done(&session->target);
    run_uncores_done(&session->uncores);
    run_ratios_done(&session->ratios);
    run_events_done(&session->events);
    session->recording = recording_free(session->recording);
    free(session->figures);
    free(session->spans);
    free(session->columns);
    free(session->tasks);
    free(session->place);
    free(session);
    return NULL;
}
