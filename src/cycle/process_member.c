/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A process is its threads. Those that it has are opened one by one, what they start the
 * kernel counts with them (inherit_thread, inherit). A thread that is started while the
 * others are being opened is counted once, twice or not at all, and nothing tells which:
 * so the threads are listed again, and where the list has changed all are opened afresh.
 *
 * A kernel without inherit_thread counts each thread alone: then each has counters of its
 * own, and every cycle looks which have come and gone.
 *
 * A mechanism that counts whole processes is told their numbers. What they start is followed
 * from then on; what they had started when they were told is listed again until nobody is new.
 */
#include "cycle/process_member.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "cycle/member_latencies.h"
#include "cycle/task_counters.h"

/* Threads may come and go faster than they can be listed: then the last list has to do. */
#define MOST_TRIES 5

/* How long it takes until a process that was refused for a limit is looked at again. */
#define RETRY_NS (5 * NS_PER_SECOND)

struct process_member *process_member_free(struct process_member *member,
                                           struct process_targets *targets)
{
    for (size_t i = 0; i < member->n_counters; i++)
        task_counters_done(&member->counters[i]);
    member->latencies = latency_meter_free(member->latencies);
    if (member->target && member->target->gone)
        process_targets_release(targets, member->target);
    else if (member->target)
        member->target->owner = NULL;
    free(member->counters);
    free(member);
    return NULL;
}

void process_member_end(struct process_member *member)
{
    member->ended = true;
}

bool process_member_is_incomplete(const struct process_member *member)
{
    const struct task_counters *current = task_counters_current(member);

    if (!current || current->unsure)
        return true;
    for (size_t i = 0; i < member->n_counters; i++)
        if (!member->counters[i].ended && counter_set_is_incomplete(member->counters[i].set))
            return true;
    return false;
}

/*
 * Whether no thread was started or ended while we opened. That none of the numbers is another
 * process' by now, process_targets_threads() has seen to.
 */
static bool stands_still(const struct process_member *member, const struct process_opening *opening,
                         const struct task_counters *counters)
{
    AUTO_FREE pid_t *again = NULL;
    size_t n;

    return process_targets_threads(opening->targets, member->target, &again, &n) >= 0 &&
           task_counters_are_of(counters, again, n);
}

static void refuse_for_limit(struct process_member *member, uint64_t now_ns)
{
    member->absence = ABSENCE_OVER_LIMIT;
    member->retry_at_ns = now_ns + RETRY_NS;
}

/*
 * Lists and opens once. 1: done; 0: the threads have changed meanwhile; -errno.
 *
 * A task that is in the middle of its own making when we open (Linux: between
 * perf_event_init_task() and its number in copy_process()) inherits nothing, and is in neither
 * list. Most are made when a program begins, which is when we open at a birth: so the next cycle
 * lists once more, and opens afresh where others are there by then.
 */
static int try_together(struct process_member *member, struct process_opening *opening, bool last)
{
    struct task_counters *before = task_counters_current(member);
    struct task_counters counters = {0};
    AUTO_FREE pid_t *threads = NULL;
    bool again = before && before->unsure;
    size_t n;
    int r = process_targets_threads(opening->targets, member->target, &threads, &n);

    if (r < 0)
        return r;
    if (again)
        before->unsure = false;
    if (again && task_counters_are_of(before, threads, n))
        return 1;
    if (n > opening->threads_left + process_member_threads(member)) {
        refuse_for_limit(member, opening->now_ns);
        return 1;
    }
    member->absence = ABSENCE_NONE;
    r = task_counters_make(member, opening, &threads, n, &counters);
    if (r < 0)
        return r;
    counters.unsure = opening->at_birth;
    if (again)
        counter_set_stop(before->set); /* or both would count */
    if (before)
        counter_set_continue_waiting(counters.set, before->set);
    r = opening->mechanism->open(opening->mechanism, &counters.set, 1);
    if (r >= 0 && !counter_set_is_incomplete(counters.set) && !last &&
        !stands_still(member, opening, &counters)) {
        task_counters_done(&counters);
        return 0;
    }
    task_counters_retire(member);
    if (r >= 0)
        r = task_counters_append(member, &counters);
    if (r < 0) {
        task_counters_done(&counters);
        return r;
    }
    return 1;
}

/* Notes why its threads or processes cannot be listed. 0 or -ENOMEM. */
static int note_failure(struct process_member *member, int r)
{
    if (r == -EMFILE || r == -ENFILE)
        member->absence = ABSENCE_NO_DESCRIPTORS;
    return r == -ENOMEM ? r : 0; /* else it has ended, and the next update of the set says so */
}

static int open_together(struct process_member *member, struct process_opening *opening)
{
    int r = 0;

    for (int tries = 1; tries <= MOST_TRIES && r == 0; tries++)
        r = try_together(member, opening, tries == MOST_TRIES);
    return r < 0 ? note_failure(member, r) : 0;
}

/*
 * Tells the counters which processes they are of, and opens them. 0; 1: they had been opened with
 * the same processes, so that the list is complete; -errno.
 */
static int name_processes(const struct process_member *member,
                          const struct process_opening *opening, struct task_counters *counters,
                          bool opened)
{
    AUTO_FREE pid_t *processes = NULL;
    pid_t *before = counters->tasks;
    size_t n;
    int r = process_targets_processes(opening->targets, member->target, &processes, &n);

    if (r < 0)
        return r;
    if (opened && task_counters_are_of(counters, processes, n))
        return 1;
    counters->tasks = TAKE(processes);
    counters->n_tasks = n;
    counter_set_name_tasks(counters->set, counters->tasks, n);
    free(before);
    return opening->mechanism->open(opening->mechanism, &counters->set, 1);
}

static int open_processes(struct process_member *member, const struct process_opening *opening)
{
    pid_t *nobody = NULL;
    int r = task_counters_current(member) ? 0 : task_counters_add(member, opening, &nobody, 0);

    if (r < 0)
        return r;
    for (int tries = 0; tries < MOST_TRIES && r == 0; tries++)
        r = name_processes(member, opening, task_counters_current(member), tries > 0);
    return r < 0 ? note_failure(member, r) : 0;
}

static bool has_thread(const pid_t *threads, size_t n, pid_t thread)
{
    for (size_t i = 0; i < n; i++)
        if (threads[i] == thread)
            return true;
    return false;
}

static bool is_followed(const struct process_member *member, pid_t thread)
{
    for (size_t i = 0; i < member->n_counters; i++)
        if (!member->counters[i].ended && member->counters[i].tasks[0] == thread)
            return true;
    return false;
}

static int follow_thread(struct process_member *member, struct process_opening *opening,
                         pid_t thread)
{
    AUTO_FREE pid_t *threads = malloc(sizeof(*threads));
    int r;

    if (!threads)
        return -ENOMEM;
    threads[0] = thread;
    r = task_counters_add(member, opening, &threads, 1);
    if (r < 0)
        return r;
    opening->threads_left--;
    return 0;
}

/* Opens the counters of threads that have just come, and those that could not be opened before. */
static int open_singly(struct process_member *member, struct process_opening *opening)
{
    int r = 0;

    for (size_t i = 0; i < member->n_counters && r >= 0; i++) {
        struct counter_set *set = member->counters[i].set;

        if (member->counters[i].ended)
            continue;
        if (counter_set_wants_open(set, opening->now_ns))
            r = opening->mechanism->open(opening->mechanism, &set, 1);
    }
    return r;
}

/* Begins to count threads that have come; those that have gone are read once more. */
static int follow_threads(struct process_member *member, struct process_opening *opening)
{
    AUTO_FREE pid_t *threads = NULL;
    size_t n;
    int r = process_targets_threads(opening->targets, member->target, &threads, &n);

    if (r < 0)
        return note_failure(member, r);
    member->absence = ABSENCE_NONE;
    for (size_t i = 0; i < member->n_counters; i++)
        if (!has_thread(threads, n, member->counters[i].tasks[0]))
            member->counters[i].ended = true;
    for (size_t i = 0; i < n && r >= 0; i++) {
        if (is_followed(member, threads[i]))
            continue;
        if (opening->threads_left == 0)
            member->absence = ABSENCE_OVER_LIMIT;
        else
            r = follow_thread(member, opening, threads[i]);
    }
    return r < 0 ? r : open_singly(member, opening);
}

enum absence process_member_absence(const struct process_member *member)
{
    enum absence absence = member->absence;

    for (size_t i = 0; i < member->n_counters && absence == ABSENCE_NONE; i++)
        if (!member->counters[i].ended)
            absence = counter_set_absence(member->counters[i].set);
    return absence;
}

bool process_member_is_counted(const struct process_member *member)
{
    return process_member_absence(member) == ABSENCE_NONE && !process_member_is_incomplete(member);
}

size_t process_member_threads(const struct process_member *member)
{
    size_t n = 0;

    for (size_t i = 0; i < member->n_counters; i++)
        n += scope_is_of_threads(counter_set_scope(member->counters[i].set))
                 ? member->counters[i].n_tasks
                 : 0;
    return n;
}

bool process_member_wants_open(const struct process_member *member,
                               const struct process_opening *opening)
{
    const struct task_counters *counters = task_counters_current(member);

    if (task_counters_inherit(member, opening) == INHERIT_NOTHING ||
        member_latencies_are_wanted(member, opening))
        return true;
    return counters ? counters->unsure || counter_set_wants_open(counters->set, opening->now_ns)
                    : opening->now_ns >= member->retry_at_ns;
}

bool process_member_is_new(const struct process_member *member,
                           const struct process_opening *opening)
{
    return !member->ended && member->n_counters == 0 && opening->now_ns >= member->retry_at_ns;
}

/* Whoever has its number here is another process, and must not be counted in its place. */
static int refuse_foreign(struct process_member *member, uint64_t now_ns)
{
    member->absence = ABSENCE_NOT_SUPPORTED;
    member->retry_at_ns = now_ns + RETRY_NS;
    return 0;
}

static int open_counters(struct process_member *member, struct process_opening *opening)
{
    if (opening->mechanism->counts_processes)
        return open_processes(member, opening);
    if (process_targets_are_foreign(opening->targets))
        return refuse_foreign(member, opening->now_ns);
    if (task_counters_inherit(member, opening) == INHERIT_NOTHING)
        return follow_threads(member, opening);
    return open_together(member, opening);
}

int process_member_open(struct process_member *member, struct process_opening *opening)
{
    int r = open_counters(member, opening);

    return r < 0 ? r : member_latencies_open(member, opening);
}

bool process_member_read(struct process_member *member, uint64_t now_ns, struct sample *part,
                         struct sample *sum)
{
    bool goes_on = false;
    size_t n = 0;

    for (size_t i = 0; i < member->n_counters; i++) {
        struct task_counters *counters = &member->counters[i];

        counter_set_read(counters->set, now_ns, part);
        sample_add(sum, part, !counters->whole);
        goes_on |= counters->whole;
        counters->begun = counters->whole = true;
        if (counters->ended)
            task_counters_done(counters);
        else
            member->counters[n++] = *counters;
    }
    member->n_counters = n;
    if (member->latencies)
        latency_meter_read(member->latencies, sum);
    return goes_on;
}

void process_member_begin(struct process_member *member, uint64_t since_ns, uint64_t now_ns,
                          struct sample *part)
{
    for (size_t i = 0; i < member->n_counters; i++) {
        struct task_counters *counters = &member->counters[i];

        if (!counters->begun)
            counter_set_begin(counters->set, since_ns, now_ns, part);
        counters->begun = true;
    }
}
