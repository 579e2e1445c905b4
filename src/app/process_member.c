/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A process is its threads. Those that it has are opened one by one, what they start the
 * kernel counts with them (inherit_thread, inherit). A thread that is started while the
 * others are being opened is counted once, twice or not at all, and nothing tells which:
 * so the threads are listed again, and where the list has changed all are opened afresh.
 *
 * A kernel without inherit_thread counts each thread alone: then each has counters of its
 * own, and every cycle looks which have come and gone.
 */
#include "app/process_member.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Threads may come and go faster than they can be listed: then the last list has to do. */
#define MOST_TRIES 5

/* Until a process that was refused for a limit is looked at again. */
#define RETRY_NS (5 * NS_PER_SECOND)

static void done_counters(struct thread_counters *counters)
{
    counters->set = counter_set_free(counters->set);
    free(counters->threads);
    counters->threads = NULL;
}

struct process_member *process_member_free(struct process_member *member,
                                           struct process_targets *targets)
{
    for (size_t i = 0; i < member->n_counters; i++)
        done_counters(&member->counters[i]);
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

/* Those that count now: not one that is only to be read once more. */
static struct thread_counters *current_counters(const struct process_member *member)
{
    for (size_t i = 0; i < member->n_counters; i++)
        if (!member->counters[i].ended)
            return &member->counters[i];
    return NULL;
}

bool process_member_is_incomplete(const struct process_member *member)
{
    if (!current_counters(member))
        return true;
    for (size_t i = 0; i < member->n_counters; i++)
        if (!member->counters[i].ended && counter_set_is_incomplete(member->counters[i].set))
            return true;
    return false;
}

static enum scope_inherit inherit_of(const struct process_member *member,
                                     const struct process_opening *opening)
{
    if (member->target->children)
        return INHERIT_CHILDREN;
    return opening->can_inherit_threads ? INHERIT_THREADS : INHERIT_NOTHING;
}

/* Takes the threads over. 0 or -ENOMEM. */
static int make_counters(struct mechanism *mechanism, const struct event_groups *groups,
                         enum scope_inherit inherit, pid_t **threads, size_t n,
                         struct thread_counters *ret_counters)
{
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .threads = *threads,
                                .n_threads = n,
                                .inherit = inherit};
    struct counter_set *set;
    int r = counter_set_new(mechanism, groups, &scope, &set);

    if (r < 0)
        return r;
    *ret_counters = (struct thread_counters){.set = set, .threads = TAKE(*threads), .n_threads = n};
    return 0;
}

static int append_counters(struct process_member *member, const struct thread_counters *counters)
{
    struct thread_counters *all =
        reallocarray(member->counters, member->n_counters + 1, sizeof(*all));

    if (!all)
        return -ENOMEM;
    member->counters = all;
    all[member->n_counters++] = *counters;
    return 0;
}

/* What counts until now is read once more; the others have nothing to say. */
static void replace_counters(struct process_member *member)
{
    size_t n = 0;

    for (size_t i = 0; i < member->n_counters; i++) {
        struct thread_counters *counters = &member->counters[i];

        counters->ended = true;
        if (counters->begun)
            member->counters[n++] = *counters;
        else
            done_counters(counters);
    }
    member->n_counters = n;
}

static bool same_threads(const struct thread_counters *counters, const pid_t *threads, size_t n)
{
    return counters->n_threads == n &&
           memcmp(counters->threads, threads, n * sizeof(*threads)) == 0;
}

/* Whether nothing was started while we opened; whose numbers they are, the set has seen to. */
static bool stands_still(const struct process_member *member, const struct process_opening *opening,
                         const struct thread_counters *counters)
{
    AUTO_FREE pid_t *again = NULL;
    size_t n;

    return process_targets_threads(opening->targets, member->target, &again, &n) >= 0 &&
           same_threads(counters, again, n);
}

static void refuse(struct process_member *member, uint64_t now_ns)
{
    member->absence = ABSENCE_OVER_LIMIT;
    member->retry_at_ns = now_ns + RETRY_NS;
}

/* Lists and opens once. 1: done; 0: the threads have changed meanwhile; -errno. */
static int try_together(struct process_member *member, struct process_opening *opening, bool last)
{
    const struct thread_counters *before = current_counters(member);
    struct thread_counters counters = {0};
    AUTO_FREE pid_t *threads = NULL;
    size_t n;
    int r = process_targets_threads(opening->targets, member->target, &threads, &n);

    if (r < 0)
        return r;
    if (n > opening->threads_left + process_member_threads(member)) {
        refuse(member, opening->now_ns);
        return 1;
    }
    member->absence = ABSENCE_NONE;
    r = make_counters(opening->mechanism, opening->groups, inherit_of(member, opening), &threads, n,
                      &counters);
    if (r < 0)
        return r;
    if (before)
        counter_set_continue_waiting(counters.set, before->set);
    r = opening->mechanism->open(opening->mechanism, &counters.set, 1);
    if (r >= 0 && !counter_set_is_incomplete(counters.set) && !last &&
        !stands_still(member, opening, &counters)) {
        done_counters(&counters);
        return 0;
    }
    replace_counters(member);
    if (r >= 0)
        r = append_counters(member, &counters);
    if (r < 0) {
        done_counters(&counters);
        return r;
    }
    return 1;
}

/* Its threads cannot be listed. 0 or -ENOMEM. */
static int note_failure(struct process_member *member, int r)
{
    if (r == -EMFILE || r == -ENFILE)
        member->absence = ABSENCE_NO_DESCRIPTORS;
    return r == -ENOMEM ? r : 0; /* any other: it has ended, the set will tell */
}

static int open_together(struct process_member *member, struct process_opening *opening)
{
    int r = 0;

    for (int tries = 1; tries <= MOST_TRIES && r == 0; tries++)
        r = try_together(member, opening, tries == MOST_TRIES);
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
        if (!member->counters[i].ended && member->counters[i].threads[0] == thread)
            return true;
    return false;
}

static int follow_thread(struct process_member *member, struct process_opening *opening,
                         pid_t thread)
{
    struct thread_counters counters = {0};
    AUTO_FREE pid_t *threads = malloc(sizeof(*threads));
    int r;

    if (!threads)
        return -ENOMEM;
    threads[0] = thread;
    r = make_counters(opening->mechanism, opening->groups, INHERIT_NOTHING, &threads, 1, &counters);
    if (r < 0)
        return r;
    r = append_counters(member, &counters);
    if (r < 0) {
        done_counters(&counters);
        return r;
    }
    opening->threads_left--;
    return 0;
}

/* Opens the newcomers, and again what has failed. */
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

/* Threads that come are opened, those that have gone are read once more. */
static int follow_threads(struct process_member *member, struct process_opening *opening)
{
    AUTO_FREE pid_t *threads = NULL;
    size_t n;
    int r = process_targets_threads(opening->targets, member->target, &threads, &n);

    if (r < 0)
        return note_failure(member, r);
    member->absence = ABSENCE_NONE;
    for (size_t i = 0; i < member->n_counters; i++)
        if (!has_thread(threads, n, member->counters[i].threads[0]))
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
        n += member->counters[i].n_threads;
    return n;
}

bool process_member_wants_open(const struct process_member *member,
                               const struct process_opening *opening)
{
    const struct thread_counters *counters = current_counters(member);

    if (inherit_of(member, opening) == INHERIT_NOTHING)
        return true;
    return counters ? counter_set_wants_open(counters->set, opening->now_ns)
                    : opening->now_ns >= member->retry_at_ns;
}

int process_member_open(struct process_member *member, struct process_opening *opening)
{
    if (inherit_of(member, opening) == INHERIT_NOTHING)
        return follow_threads(member, opening);
    return open_together(member, opening);
}

bool process_member_read(struct process_member *member, uint64_t now_ns, struct sample *part,
                         struct sample *sum)
{
    bool goes_on = false;
    size_t n = 0;

    for (size_t i = 0; i < member->n_counters; i++) {
        struct thread_counters *counters = &member->counters[i];

        counter_set_read(counters->set, now_ns, part);
        sample_add(sum, part, !counters->begun);
        goes_on |= counters->begun;
        counters->begun = true;
        if (counters->ended)
            done_counters(counters);
        else
            member->counters[n++] = *counters;
    }
    member->n_counters = n;
    return goes_on;
}

/* The same threads, in a set of the new groups. */
static int prepare_counters(struct process_member *member, const struct thread_counters *from,
                            struct mechanism *mechanism, const struct event_groups *groups)
{
    struct thread_counters counters;
    AUTO_FREE pid_t *threads = calloc(from->n_threads + 1, sizeof(*threads));
    int r;

    if (!threads)
        return -ENOMEM;
    memcpy(threads, from->threads, from->n_threads * sizeof(*threads));
    r = make_counters(mechanism, groups, counter_set_scope(from->set)->inherit, &threads,
                      from->n_threads, &counters);
    if (r < 0)
        return r;
    counters.begun = from->begun;
    r = append_counters(member, &counters);
    if (r < 0)
        done_counters(&counters);
    return r;
}

int process_member_prepare(struct process_member *member, const struct process_member *from,
                           struct mechanism *mechanism, const struct event_groups *groups)
{
    for (size_t i = 0; i < from->n_counters; i++)
        if (from->counters[i].ended || !counter_set_counts_all(from->counters[i].set, groups))
            return 0;
    for (size_t i = 0; i < from->n_counters; i++) {
        int r = prepare_counters(member, &from->counters[i], mechanism, groups);

        if (r < 0)
            return r;
    }
    return 0;
}

void process_member_adopt(struct process_member *member, struct process_member *from)
{
    for (size_t i = 0; i < member->n_counters && i < from->n_counters; i++)
        counter_set_adopt(member->counters[i].set, from->counters[i].set, NULL);
}
