/* SPDX-License-Identifier: Apache-2.0 */

/* The first stage of a cycle: what has ended is read once more, what is new is entered. */

#include "base/clock.h"
#include "cycle/pmu_grants.h"
#include "cycle/stages.h"
#include "log/log.h"
#include "target/cgroup_path.h"

/* A label that does not hold the whole path is told with the path. */
static bool tell_cut_label(const struct cgroup_target *target)
{
    size_t n;
    const struct label *labels = identity_labels(target->identity, &n);

    if (n == 0 || !cgroup_label_is_cut(labels[0].value))
        return false;
    log_info("label of a cgroup is shortened", "label", labels[0].value, "path", target->path);
    return true;
}

/* False where there is no memory. */
static bool enter_cgroup(struct collector *collector, struct cgroup_target *target)
{
    struct entry *entry;

    ledger_replace(&collector->ledger, target);
    if (ledger_add(&collector->ledger, CLASS_CGROUP + (size_t)target->rule, target, NULL,
                   target->start_realtime_ns, &entry) < 0)
        return false;
    target->owner = entry;
    entry->cpus = collector->online;
    entry->is_new = true;
    /* until it is known what those above and below it take */
    entry->over_budget = collector->resolution->classes[entry->class_index].without_counters;
    if (entry->account)
        (void)collector_make_counters(collector, entry); /* tried again when it is opened */
    else
        collector->status.dropped[SCOPE_CGROUP][entry->uncounted]++;
    return true;
}

static void add_orphan(struct collector *collector, struct cgroup_target *target)
{
    target->next = collector->orphans;
    collector->orphans = target;
}

static void enter_orphans(struct collector *collector)
{
    struct cgroup_target *orphan = TAKE(collector->orphans);

    while (orphan) {
        struct cgroup_target *next = orphan->next;

        if (!enter_cgroup(collector, orphan))
            add_orphan(collector, orphan);
        orphan = next;
    }
}

static void drop_orphan(struct collector *collector, const struct cgroup_target *target)
{
    struct cgroup_target **place = &collector->orphans;

    while (*place && *place != target)
        place = &(*place)->next;
    if (*place)
        *place = target->next;
}

static void end_cgroup(struct collector *collector, struct cgroup_target *target)
{
    struct entry *entry = target->owner;

    if (!entry) {
        drop_orphan(collector, target);
        cgroup_targets_release(collector->cgroups, target);
        return;
    }
    if (entry->counters)
        collector_read_entry(collector, entry);
    entry->uncounted = ABSENCE_NONE; /* nobody wants it to be counted any more */
    ledger_linger(&collector->ledger, entry, collector->now_ns);
}

static void enter_newcomers(struct collector *collector, const struct cgroup_changes *changes)
{
    bool told = false; /* strangers choose names: one line a cycle */

    for (size_t i = 0; i < changes->n_born; i++) {
        if (!told)
            told = tell_cut_label(changes->born[i]);
        if (!enter_cgroup(collector, changes->born[i]))
            add_orphan(collector, changes->born[i]);
    }
    collector->may_open |= changes->n_born > 0;
}

static int discover_cgroups(struct collector *collector)
{
    struct cgroup_changes changes = {0};
    int r;

    if (!collector->cgroups)
        return 0;
    /* On failure there are no changes, and the next update looks at everything. */
    if (collector->between)
        r = cgroup_targets_follow(collector->cgroups, &changes);
    else
        r = cgroup_targets_update(collector->cgroups, collector->look, &changes);
    collector->look = !collector->is_told;
    if (changes.n_gone > 0)
        collector_refresh(collector);
    for (size_t i = 0; i < changes.n_gone; i++)
        end_cgroup(collector, changes.gone[i]);
    enter_orphans(collector);
    enter_newcomers(collector, &changes);
    if (changes.identities_changed)
        ledger_rename(&collector->ledger);
    collector->share_again |= changes.n_born > 0 || changes.n_gone > 0;
    collector_share_counters(collector);
    return r;
}

int collector_discover(struct collector *collector)
{
    int cgroups = discover_cgroups(collector);
    int processes = collector_discover_processes(collector);

    ledger_retire(&collector->ledger, collector->now_ns, collector->setup.config->linger_ns);
    return cgroups < 0 ? cgroups : processes;
}

int collector_tree_fd(struct collector *collector)
{
    int fd = collector->cgroups ? cgroup_targets_fd(collector->cgroups) : -1;

    collector->is_told = fd >= 0;
    return fd;
}

void collector_tree_changed(struct collector *collector)
{
    collector->look = true;
}
