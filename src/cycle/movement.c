/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The counters of all cgroups stand still for good once perf_event has been in another hierarchy,
 * if only for a moment (Linux: rebind_subsystems() ends what they count in and makes it anew when
 * it comes back). No call fails then, and hierarchies look as before. So counters prove that they
 * move: of a cgroup that has used CPU time since the last look they must have run. Some
 * are looked at in each cycle; all of them where there is a reason to doubt.
 */
#include "cycle/movement.h"

#include <sys/stat.h>

#include "cycle/collector_parts.h"
#include "sys/cgroup_root.h"
#include "sys/cgroup_usage.h"

#define LOOKS_PER_CYCLE 8

/* CPU time that shows that a cgroup ran: more than can pass between reading counters and usage. */
#define USED_USEC 20000

/* The first look is to compare with, the second finds no movement, and the third confirms it. */
#define LOOKS_IN_DOUBT 3

void collector_doubt_counters(struct collector *collector)
{
    collector->movement.looks_in_doubt = LOOKS_IN_DOUBT;
}

bool collector_stands_still(struct collector *collector)
{
    bool still = collector->movement.stands_still;

    collector->movement.stands_still = false;
    return still;
}

static bool is_counted_whole(const struct entry *entry)
{
    return entry->cgroup && entry->counters && entry->account && entry->uncounted == ABSENCE_NONE &&
           !counter_set_is_incomplete(entry->counters);
}

/* What a cgroup has used while some of its counters were closed says nothing about them later. */
void movement_note(struct entry *entry, const struct sample *sample)
{
    if (!is_counted_whole(entry))
        entry->moves = (struct entry_moves){0};
    entry->moves.moved |= sample_has_run(sample);
}

/* False where the usage cannot be read: the cgroup has gone, or is one of v1. */
static bool read_usage(const struct collector *collector, const struct entry *entry,
                       uint64_t *ret_usec)
{
    const char *path = entry->cgroup->path;
    AUTO_CLOSE int fd =
        cgroup_open_below(collector->setup.cgroup_root_fd, path[1] ? path + 1 : ".");
    struct stat status;

    return fd >= 0 && fstat(fd, &status) == 0 && status.st_ino == entry->cgroup->inode &&
           cgroup_usage_read(fd, ret_usec) == 0;
}

/*
 * Returns whether the counters stand still for certain. *is_doubtful becomes true if they do as far
 * as one look can tell: then another look decides.
 */
static bool look(const struct collector *collector, struct entry *entry, bool *is_doubtful)
{
    struct entry_moves *moves = &entry->moves;
    bool comparable = moves->compared && !moves->moved;
    uint64_t usec;

    if (!read_usage(collector, entry, &usec)) {
        *moves = (struct entry_moves){0};
        return false;
    }
    if (!comparable) {
        *moves = (struct entry_moves){.compared = true, .usage_usec = usec};
        return false;
    }
    if (usec < moves->usage_usec + USED_USEC)
        return false;
    if (moves->doubtful)
        return true;
    moves->doubtful = *is_doubtful = true;
    return false;
}

/* In a pause counters stand still on request; CPU time of the pause is no reason to doubt them. */
static void forget_looks(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        ledger->entries[i]->moves = (struct entry_moves){0};
}

void collector_look_for_movement(struct collector *collector)
{
    const struct ledger *ledger = &collector->ledger;
    struct movement *movement = &collector->movement;
    const size_t n = movement->looks_in_doubt > 0 ? ledger->n_entries : LOOKS_PER_CYCLE;
    bool is_doubtful = false;

    if (collector->status.paused)
        forget_looks(ledger);
    if (mechanism_is_shared(collector->setup.bpf, SCOPE_CGROUP) || collector->status.paused ||
        collector->setup.cgroup_root_fd < 0)
        return;
    movement->looks_in_doubt -= movement->looks_in_doubt > 0;
    for (size_t i = 0; i < n && i < ledger->n_entries; i++) {
        struct entry *entry = ledger->entries[movement->next_look++ % ledger->n_entries];

        if (is_counted_whole(entry))
            movement->stands_still |= look(collector, entry, &is_doubtful);
    }
    if (is_doubtful && movement->looks_in_doubt == 0)
        movement->looks_in_doubt = 1;
}
