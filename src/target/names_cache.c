/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Processes ask by the path of their cgroup, of which many have the same. The last ones stay asked
 * for, so that the next process need not wait; they have no inode, and so are apart from those that
 * are targets.
 */
#include "target/target_names_parts.h"

void names_cache_clear(struct target_names *names)
{
    for (size_t i = 0; i < NAMES_CACHED; i++)
        names->cached[i] = named_target_release(names->cached[i]);
}

/* Keeps a target asked for, in the place of the oldest one. */
static void keep(struct target_names *names, struct named_target *target)
{
    struct named_target **place;

    for (size_t i = 0; i < NAMES_CACHED; i++)
        if (names->cached[i] == target) {
            (void)named_target_release(target); /* once is enough */
            return;
        }
    place = &names->cached[names->n_cached++ % NAMES_CACHED];
    (void)named_target_release(*place);
    *place = target;
}

static bool is_known(const void *target)
{
    return ((const struct named_target *)target)->known;
}

bool target_names_of_process(struct target_names *names, pid_t pid, const char *path,
                             struct names *ret_names)
{
    struct named_target *target = target_names_ask(names, path ? path : "/", 0, -1);
    bool has_names;

    if (!target)
        return false;
    (void)pthread_mutex_lock(&names->mutex);
    has_names = is_known(target) || wait_allowance_spend(&names->allowance, &names->answered,
                                                         &names->mutex, is_known, target);
    if (has_names) {
        name_rules_add_pid(names->watch.rules, pid, ret_names);
        if (path)
            names_add_all(ret_names, &target->known->names);
    }
    (void)pthread_mutex_unlock(&names->mutex);
    keep(names, target);
    return has_names;
}

uint64_t target_names_answers(const struct target_names *names)
{
    return atomic_load(&names->answers);
}

uint64_t target_names_renewals(const struct target_names *names)
{
    return atomic_load(&names->renewals);
}
