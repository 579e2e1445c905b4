/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Processes ask by the path of their cgroup, of which many have the same. The last ones stay asked
 * for, so that the next process need not wait; they have no inode, and so are apart from those that
 * are targets.
 */
#include <time.h>

#include "base/clock.h"
#include "target/names_desk.h"

/*
 * The caller that waits is the cycle. So it waits no longer than this for an answer, and no more
 * than a tenth of the time altogether; unused time is saved up.
 */
#define MOST_WAIT_NS  (NS_PER_SECOND / 10)
#define WAIT_SHARE    10
#define MOST_SAVED_NS NS_PER_SECOND

void names_lent_forget(struct target_names *names)
{
    for (size_t i = 0; i < NAMES_LENT; i++)
        names->lent[i] = named_target_release(names->lent[i]);
}

/* Keeps a target asked for, in the place of the oldest one. */
static void keep(struct target_names *names, struct named_target *target)
{
    struct named_target **place;

    for (size_t i = 0; i < NAMES_LENT; i++)
        if (names->lent[i] == target) {
            (void)named_target_release(target); /* once is enough */
            return;
        }
    place = &names->lent[names->n_lent++ % NAMES_LENT];
    (void)named_target_release(*place);
    *place = target;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Waits for an answer. If one has waited in vain, nobody waits until there is an answer again. */
static void wait_for(struct target_names *names, const struct named_target *target)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    const uint64_t earned_ns = (begin_ns - names->wait_begin_ns) / WAIT_SHARE;
    const uint64_t saved_ns = least(MOST_SAVED_NS, names->wait_saved_ns + earned_ns);
    const uint64_t end_ns = begin_ns + least(MOST_WAIT_NS, saved_ns);
    const struct timespec end = {(time_t)(end_ns / NS_PER_SECOND), (long)(end_ns % NS_PER_SECOND)};
    bool is_late = names->hangs;

    while (!target->known && !is_late)
        is_late = pthread_cond_timedwait(&names->answered, &names->mutex, &end) != 0;
    names->hangs = !target->known;
    names->wait_begin_ns = begin_ns;
    names->wait_saved_ns = saved_ns - least(saved_ns, clock_monotonic_ns() - begin_ns);
}

bool target_names_of_process(struct target_names *names, pid_t pid, const char *path,
                             struct names *ret_names)
{
    struct named_target *target = target_names_ask(names, path ? path : "/", 0, -1);
    bool is_known;

    if (!target)
        return false;
    (void)pthread_mutex_lock(&names->mutex);
    if (!target->known)
        wait_for(names, target);
    is_known = target->known != NULL;
    if (is_known) {
        name_rules_add_pid(names->watch.rules, pid, ret_names);
        if (path)
            names_add_all(ret_names, &target->known->names);
    }
    (void)pthread_mutex_unlock(&names->mutex);
    keep(names, target);
    return is_known;
}

uint64_t target_names_renewals(const struct target_names *names)
{
    return atomic_load(&names->renewals);
}
