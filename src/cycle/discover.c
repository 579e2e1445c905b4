/* SPDX-License-Identifier: Apache-2.0 */

/* The first stage: what has ended is read once more, and what is new is entered. */
#include <stdio.h>

#include "cycle/collector_parts.h"
#include "cycle/entry_counters.h"
#include "cycle/stages.h"
#include "log/log.h"
#include "target/cgroup_path.h"

/* Logs a label that does not hold the whole path, with the path. Returns false if it does. */
static bool log_cut_label(const struct cgroup_target *target)
{
    size_t n;
    const struct label *labels = identity_labels(target->identity, &n);

    if (n == 0 || !cgroup_label_is_cut(labels[0].value))
        return false;
    log_info("label of a cgroup is shortened", "label", labels[0].value, "path", target->path);
    return true;
}

/* Returns false if there is no memory. */
static bool enter_cgroup(struct collector *collector, struct cgroup_target *target)
{
    struct entry *entry;

    ledger_replace(&collector->ledger, target);
    if (ledger_add(&collector->ledger, CLASS_CGROUP + (size_t)target->rule, target, NULL,
                   target->start_realtime_ns, &entry) < 0)
        return false;
    target->owner = entry;
    entry->cpus = collector->cpus.online;
    entry->is_new = true;
    /* It does without counters of the PMU until it is known what those around it take. */
    entry->over_budget = collector_class(collector, entry)->without_counters;
    if (entry->account)
        (void)collector_make_counters(collector, entry); /* else it is tried again when it opens */
    else
        collector->status.dropped[SCOPE_CGROUP][entry->uncounted]++;
    return true;
}

static void end_cgroup(struct collector *collector, const struct round *round,
                       const struct cgroup_target *target)
{
    struct readings last = {0};
    struct entry *entry = target->owner;

    if (entry->counters)
        collector_read_entry(collector, entry, &last);
    if (entry->account && !entry->counted && entry->uncounted == ABSENCE_NONE)
        collector->status.dropped[SCOPE_CGROUP][ABSENCE_TARGET_GONE]++;
    entry->uncounted = ABSENCE_NONE; /* nobody wants it to be counted any more */
    ledger_linger(&collector->ledger, entry, round->now_ns);
}

/* Strangers choose the names of cgroups, so one cut label is logged in a round. */
static void enter_newcomers(struct collector *collector, const struct cgroup_changes *changes,
                            struct discovered *discovered)
{
    bool is_logged = false;

    for (size_t i = 0; i < changes->n_born; i++) {
        struct cgroup_target *target = changes->born[i];

        is_logged = is_logged || log_cut_label(target);
        if (enter_cgroup(collector, target)) {
            discovered->n_entered++;
        } else {
            cgroup_targets_give_back(collector->cgroups.targets, target);
            discovered->n_given_back++;
        }
    }
}

/* Says what there is to say of the user's file of names: once each time that it has been read. */
static void log_names(struct collector *collector)
{
    struct names_file_news news;
    char n_wrong[24];

    if (!target_names_take_news(collector->setup.names, &news))
        return;
    (void)snprintf(n_wrong, sizeof(n_wrong), "%zu", news.n_wrong);
    if (news.unreadable)
        log_warning("file of names cannot be read", "file", news.file, "error", news.message);
    else if (news.n_wrong > 0)
        log_warning("lines of the file of names are left out", "file", news.file, "lines", n_wrong,
                    "first", news.message);
    else
        log_info("file of names was read", "file", news.file);
}

/* Says which file of the host was refused: one a cycle. */
static void log_refusal(struct collector *collector)
{
    char file[NAMES_FILE_SIZE];
    const char *why;

    if (target_names_take_refusal(collector->setup.names, file, &why))
        log_warning("file of the host names nobody", "file", file, "reason", why);
}

/* Names have changed since they were looked at: a cycle in which they have not costs no more. */
static void follow_names(struct collector *collector)
{
    const uint64_t changes =
        collector->setup.names ? target_names_changes(collector->setup.names) : 0;

    if (changes == collector->names_seen)
        return;
    collector->names_seen = changes;
    log_names(collector);
    log_refusal(collector);
}

static int discover_cgroups(struct collector *collector, const struct round *round,
                            struct discovered *discovered)
{
    struct counted_cgroups *cgroups = &collector->cgroups;
    struct cgroup_changes changes = {0};
    int r;

    if (!cgroups->targets)
        return 0;
    if (round->between_cycles)
        r = cgroup_targets_follow(cgroups->targets, &changes);
    else
        r = cgroup_targets_update(cgroups->targets, cgroups->may_have_changed, &changes);
    cgroups->may_have_changed = !cgroups->is_watched;
    if (changes.n_gone > 0)
        setup_refresh(&collector->setup);
    for (size_t i = 0; i < changes.n_gone; i++)
        end_cgroup(collector, round, changes.gone[i]);
    enter_newcomers(collector, &changes, discovered);
    if (changes.identities_changed)
        ledger_rename(&collector->ledger);
    discovered->cgroups_changed = changes.n_born > 0 || changes.n_gone > 0;
    return r;
}

int collector_discover(struct collector *collector, const struct round *round,
                       struct discovered *ret_discovered)
{
    struct discovered discovered = {0};
    const int cgroups = discover_cgroups(collector, round, &discovered);
    const int processes = collector_discover_processes(collector, round, &discovered);

    follow_names(collector);
    ledger_retire(&collector->ledger, round->now_ns, collector->setup.config->linger_ns);
    *ret_discovered = discovered;
    return cgroups < 0 ? cgroups : processes;
}

int collector_tree_fd(struct collector *collector)
{
    struct counted_cgroups *cgroups = &collector->cgroups;
    int fd = cgroups->targets ? cgroup_targets_fd(cgroups->targets) : -1;

    cgroups->is_watched = fd >= 0;
    return fd;
}

void collector_tree_changed(struct collector *collector)
{
    collector->cgroups.may_have_changed = true;
}
