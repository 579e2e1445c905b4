/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The set of cgroups that are counted, kept up to date: by inotify where it
 * tells, by walking the tree again after an overflow and at a slow interval.
 *
 * Only the collector thread touches it. Once a cycle cgroup_targets_update()
 * brings the set to the present and tells what is new and what has gone. A
 * target lives, by one pointer, from the update that finds it until the caller
 * releases it; a rebirth (same path, another inode) is a new target.
 */

#include <stdint.h>

#include "event/absence.h"
#include "target/cgroup_rules.h"
#include "target/identity.h"

struct cgroup_targets;

struct cgroup_target {
    char *path;                /* raw bytes below the mount, begins with `/`, unescaped */
    struct identity *identity; /* label cgroup; info parent, unit, slice, container_id, pod_uid */
    int rule;                  /* index in the rules */
    int fd;                    /* the directory, O_RDONLY: perf_event_open takes it. Open from birth
                                  until cgroup_target_close_fd(); -1 after */
    uint64_t inode;
    uint64_t start_realtime_ns;   /* when counting of this birth began: it was found then */
    uint64_t created_realtime_ns; /* when it was made: cgroup_created_realtime_ns(); 0: not known */
    bool gone;                    /* the cgroup does not exist any more */
    void *owner; /* these two are the caller's own: this layer never looks at them */
    struct cgroup_target *next;
};

/* Limits of the set, from `limits:` of the configuration. */
struct cgroup_limits {
    size_t targets;      /* how many may stand at once … */
    size_t per_subtree;  /* … and how many of them below one top-level cgroup. Of these, those
                            of one user below /user.slice may be three quarters */
    enum absence reason; /* why newcomers beyond are refused: over_limit, or no_descriptors */
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
    bool identities_changed; /* some `identity` was replaced (a parent came or went), or the set
                                changed: labels of all targets are to be taken again */
};

/* Numbers for /metrics. */
struct cgroup_census {
    size_t standing;                  /* targets that live now */
    size_t uncounted[ABSENCE_COUNT_]; /* cgroups that a rule wants and the set has not, now */
    uint64_t dropped[ABSENCE_COUNT_]; /* how many times one was refused since the start */
    uint64_t rescans;                 /* walks of the whole tree since the start */
    bool watching;                    /* inotify works; else every update walks the tree */
    bool root_refused; /* a rule wants the root, which is the machine: one of `uncounted` */
};

/*
 * root_fd: directory of the hierarchy that counts cgroups (sys/cgroup_root.h),
 * borrowed for the life of the set. The rules are borrowed too. Returns 0 or
 * -errno; nothing is walked yet.
 */
int cgroup_targets_new(int root_fd, const struct cgroup_rules *rules,
                       const struct cgroup_limits *limits, struct cgroup_targets **ret_targets);
struct cgroup_targets *cgroup_targets_free(struct cgroup_targets *targets);
DEFINE_AUTO(cgroup_targets, struct cgroup_targets *, cgroup_targets_free)

/*
 * Readable when cgroups may have come or gone, for an event loop; -1 where nothing
 * tells (before the first update, without inotify): look at every update then. It
 * stays the same while the set lives.
 */
int cgroup_targets_fd(const struct cgroup_targets *targets);

/*
 * Brings the set to the present. Called once a cycle. look: whether to ask inotify,
 * which costs a read where nothing changed; not, where cgroup_targets_fd() has not
 * become readable since it was last asked. 0, or -errno where the set could not
 * be brought up to date (-ENOMEM, or the root is unreadable): what stands, stands.
 * A cgroup whose directory cannot be opened for lack of descriptors is uncounted
 * (no_descriptors) and tried again at the next update; one that vanishes on the
 * way was never there.
 */
int cgroup_targets_update(struct cgroup_targets *targets, bool look,
                          struct cgroup_changes *ret_changes);

/*
 * Between two updates: takes what inotify tells, a bounded number of births and ends, and leaves
 * everything else to the next update. Outcomes as those of an update.
 */
int cgroup_targets_follow(struct cgroup_targets *targets, struct cgroup_changes *ret_changes);

/* Whether inotify has told more than was taken: the descriptor does not show that. */
bool cgroup_targets_are_told(const struct cgroup_targets *targets);

/*
 * Whether there is a cgroup of that inode at this path now, a target or not. One system call, no
 * descriptor. False also where the path is too long for one call.
 */
bool cgroup_targets_is_there(const struct cgroup_targets *targets, const char *path,
                             uint64_t inode);

/* Closes the directory: what is gone must not pin the kernel's cgroup. */
void cgroup_target_close_fd(struct cgroup_target *target);

/*
 * The caller could not take a target of the last `born`, for want of memory. The next update or
 * following tells its birth again; if it ends before that, the set frees it and tells nothing.
 * Until then it is uncounted (no_descriptors) in the census.
 */
void cgroup_targets_give_back(struct cgroup_targets *targets, struct cgroup_target *target);

/* Ends a target that is gone (after its linger); frees it. */
void cgroup_targets_release(struct cgroup_targets *targets, struct cgroup_target *target);

/* How many there are that stand, or are gone and not released. */
size_t cgroup_targets_count(const struct cgroup_targets *targets);

const struct cgroup_census *cgroup_targets_census(const struct cgroup_targets *targets);
