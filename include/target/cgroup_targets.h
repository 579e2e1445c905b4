/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The set of cgroups that are counted. inotify tells what comes and goes. After an overflow of
 * inotify, and every minute in any case, the whole tree is walked again.
 *
 * Only the collector thread uses the set. Once a cycle cgroup_targets_update() brings it up to
 * date and reports which targets are new and which have gone. The pointer to a target stays valid
 * from the update that finds it until the caller releases it. A rebirth (the same path, another
 * inode) is a new target.
 */

#include <stdint.h>

#include "event/absence.h"
#include "target/cgroup_rules.h"
#include "target/identity.h"
#include "target/target_names.h"

struct cgroup_targets;

struct cgroup_target {
    char *path;                /* raw bytes below the mount, not escaped; begins with `/` */
    struct identity *identity; /* label cgroup; info parent, unit, slice, container_id, pod_uid,
                                  and the names that are known (target/target_names.h) */
    int rule;                  /* index of the rule that it belongs to */
    uint64_t tenant;           /* one number, not 0, for all below one top-level cgroup, or of one
                                  user below /user.slice */
    int fd;                    /* its directory, for perf_event_open(); open from birth until
                                  cgroup_target_close_fd(), then -1 */
    uint64_t inode;
    uint64_t start_realtime_ns;   /* when this birth was found and its counting began */
    uint64_t created_realtime_ns; /* when the cgroup was made; 0 if that is not known */
    bool gone;                    /* the cgroup does not exist any more, or was shed */
    bool shed;                    /* it exists, but limits have no room for it any more */
    void *owner;                  /* the caller's own: this layer never looks at it */
};

/* Limits of the set, from `limits:` of the configuration. */
struct cgroup_limits {
    size_t targets;      /* how many targets there may be at once */
    size_t per_subtree;  /* how many of them may be of one top-level cgroup, if no other leaves it
                            less (base/share.h); of these, one user below /user.slice may have
                            share_left() */
    enum absence reason; /* why more are refused: over_limit, no_descriptors or no_memory */
    size_t until_next; /* beyond so many none is admitted until limits are set the next time, though
                          there may be room: no_memory. 0: nothing is to be waited for */
    size_t tree_bytes; /* of what is known of the hierarchy, beside targets. 0: as much as suffices
                          for tens of thousands of cgroups */
};

/*
 * What an update brought. The arrays belong to the set and stay valid until the next update; their
 * items are struct cgroup_target *.
 */
struct cgroup_changes {
    void *const *born; /* each appears here once, and again only if it was given back */
    size_t n_born;
    void *const *gone; /* `gone` is set now; each appears here once */
    size_t n_gone;
    bool identities_changed; /* the set changed, or some `identity` was replaced because a parent
                                came or went, or names have become known: the caller takes the
                                labels of all targets again */
};

/* Numbers for /metrics. */
struct cgroup_census {
    size_t standing;                  /* targets that exist now and are not gone */
    size_t uncounted[ABSENCE_COUNT_]; /* cgroups that a rule wants and that are no targets now */
    uint64_t dropped[ABSENCE_COUNT_]; /* how many were refused since the start, or gone */
    uint64_t rescans;                 /* walks over the whole tree since the start */
    bool watching;                    /* inotify works; if not, every update walks the tree */
    bool root_refused; /* a rule wants the root, which is the machine; `uncounted` has it too */
};

/*
 * Makes an empty set; the first update walks the tree. root_fd is the directory of the hierarchy
 * that counts cgroups (sys/cgroup_root.h). It and the rules are borrowed for the life of the set.
 * 0 or -errno.
 */
int cgroup_targets_new(int root_fd, const struct cgroup_rules *rules,
                       const struct cgroup_limits *limits, struct cgroup_targets **ret_targets);
struct cgroup_targets *cgroup_targets_free(struct cgroup_targets *targets);
DEFINE_AUTO(cgroup_targets, struct cgroup_targets *, cgroup_targets_free)

/*
 * Has targets that are born from now on named, and takes their names in each update. `names` is
 * borrowed for the life of the set.
 */
void cgroup_targets_set_names(struct cgroup_targets *targets, struct target_names *names);

/*
 * Other limits hold from now on. The next update sheds targets beyond them, of subtrees that have
 * more than their share and then the newest; they are among its `gone`, wait for room, and are born
 * again when there is some.
 */
void cgroup_targets_set_limits(struct cgroup_targets *targets, const struct cgroup_limits *limits);

/*
 * A descriptor for an event loop that becomes readable when cgroups may have come or gone. -1 if
 * nothing tells, before the first update or without inotify: then ask for a look in every update.
 * Once it is not -1, it stays the same while the set lives.
 */
int cgroup_targets_fd(const struct cgroup_targets *targets);

/*
 * Brings the set up to date; called once a cycle. `look` says whether to ask inotify, which costs a
 * system call even if nothing changed. It may be false if cgroup_targets_fd() has not become
 * readable since the last look. Returns 0, or -errno if the set could not be brought up to date
 * (-ENOMEM, or the root cannot be read); then the targets that it has stay.
 *
 * If there is no descriptor for a cgroup's directory, the cgroup is uncounted (no_descriptors) and
 * tried again at the next update. A cgroup that vanishes on the way is never reported, but dropped
 * (target_gone).
 */
int cgroup_targets_update(struct cgroup_targets *targets, bool look,
                          struct cgroup_changes *ret_changes);

/*
 * Takes a bounded number of births and ends from inotify between two updates, so that what is born
 * counts soon. It leaves everything else to the next update. It reports and returns as an update
 * does.
 */
int cgroup_targets_follow(struct cgroup_targets *targets, struct cgroup_changes *ret_changes);

/* Whether events of inotify are left that were read and not taken: the descriptor cannot show that.
 */
bool cgroup_targets_has_events(const struct cgroup_targets *targets);

/*
 * Whether a cgroup with this inode is at this path now, be it a target or not. It takes one system
 * call and no descriptor. It is false as well if the path is too long for one call.
 */
bool cgroup_targets_is_there(const struct cgroup_targets *targets, const char *path,
                             uint64_t inode);

/*
 * Closes the directory. The caller does so as soon as a target is gone: while it is open, the
 * kernel cannot free the cgroup.
 */
void cgroup_target_close_fd(struct cgroup_target *target);

/*
 * The caller could not take a target of the last `born`, for want of memory. The next update or
 * following tells its birth again; if it ends before that, the set frees it and tells nothing.
 * Until then it is uncounted (no_descriptors) in the census.
 */
void cgroup_targets_give_back(struct cgroup_targets *targets, struct cgroup_target *target);

/* Frees a target that is gone. The caller does so when the target's numbers are no longer shown. */
void cgroup_targets_release(struct cgroup_targets *targets, struct cgroup_target *target);

/* How many targets there are, with those that are gone and not released yet. */
size_t cgroup_targets_count(const struct cgroup_targets *targets);

const struct cgroup_census *cgroup_targets_census(const struct cgroup_targets *targets);
