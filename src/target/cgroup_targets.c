/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_targets.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "sys/cgroup_root.h"
#include "target/cgroup_set.h"

/*
 * An update that fails half way keeps what it has found out. The next update walks the whole tree,
 * and reports both together. So no birth or end is lost to the caller, and none is reported twice.
 */

/* So often the whole tree is walked in any case, should inotify have missed something. */
#define RESCAN_INTERVAL_NS (60 * NS_PER_SECOND)

/*
 * The bounds for the memory of nodes, beside BYTES_PER_TARGET for each target that there may be.
 * They suffice for tens of thousands of names of usual length, and for thousands in one subtree.
 */
#define TREE_BYTES       ((size_t)16 << 20)
#define SUBTREE_BYTES    ((size_t)2 << 20)
#define BYTES_PER_TARGET 512

static size_t bound_of(size_t bytes, size_t targets)
{
    size_t bound;

    if (__builtin_mul_overflow(targets, BYTES_PER_TARGET, &bound) ||
        __builtin_add_overflow(bound, bytes, &bound))
        return SIZE_MAX;
    return bound;
}

static void take_limits(struct cgroup_targets *set, const struct cgroup_limits *limits)
{
    set->limits = *limits;
    if (set->limits.reason == ABSENCE_NONE)
        set->limits.reason = ABSENCE_OVER_LIMIT;
}

static void init_set(struct cgroup_targets *set, const struct cgroup_limits *limits)
{
    take_limits(set, limits);
    set->rescan_interval_ns = RESCAN_INTERVAL_NS;
    set->rescan = true; /* the first walk */
    TAILQ_INIT(&set->to_list);
    for (size_t kind = 0; kind < WAITING_KINDS_; kind++)
        TAILQ_INIT(&set->with_waiting[kind]);
    LIST_INIT(&set->all);
    target_news_init(&set->news, offsetof(struct counted_cgroup, mark));
}

static void bound_tree(struct cgroup_targets *set)
{
    const size_t wanted = set->limits.tree_bytes;
    const size_t bytes = wanted && wanted < TREE_BYTES ? wanted : TREE_BYTES;
    const size_t half = bytes / 2;

    set->tree.bytes_max = bound_of(bytes, set->limits.targets);
    set->tree.subtree_bytes_max =
        bound_of(half < SUBTREE_BYTES ? half : SUBTREE_BYTES, set->limits.per_subtree);
}

/*
 * The root is a cgroup too, and the pattern "/" matches it. But the root of a whole hierarchy is
 * the machine: as a cgroup, the kernel counts it also while a CPU is idle. So it is no target, and
 * the system scope counts the machine.
 */
static void init_root(struct cgroup_targets *set, uint64_t inode)
{
    struct cgroup_node *root = set->tree.root;

    bound_tree(set);
    root->inode = inode;
    root->walked = true;
    root->rule = cgroup_rules_match(set->rules, "/");
    if (root->rule >= 0 && cgroup_is_machine(set->root_fd)) {
        root->rule = -1;
        set->census.root_refused = true;
        set->census.uncounted[ABSENCE_NOT_SUPPORTED]++;
    }
}

int cgroup_targets_new(int root_fd, const struct cgroup_rules *rules,
                       const struct cgroup_limits *limits, struct cgroup_targets **ret_targets)
{
    struct cgroup_targets *set;
    struct stat status;
    int r;

    if (fstat(root_fd, &status) < 0)
        return -errno;
    set = calloc(1, sizeof(*set));
    if (!set)
        return -ENOMEM;
    set->root_fd = root_fd;
    set->rules = rules;
    init_set(set, limits);
    r = cgroup_tree_init(&set->tree, status.st_ino);
    if (r < 0) {
        free(set);
        return r;
    }
    init_root(set, status.st_ino);
    *ret_targets = set;
    return 0;
}

struct cgroup_targets *cgroup_targets_free(struct cgroup_targets *targets)
{
    if (!targets)
        return NULL;
    while (!LIST_EMPTY(&targets->all)) {
        struct counted_cgroup *counted = LIST_FIRST(&targets->all);

        LIST_REMOVE(counted, entry);
        (void)counted_cgroup_free(counted);
    }
    cgroup_tree_done(&targets->tree);
    (void)directory_watch_free(targets->watch);
    text_done(&targets->path);
    target_news_done(&targets->news);
    free(targets);
    return NULL;
}

void cgroup_targets_set_names(struct cgroup_targets *targets, struct target_names *names)
{
    targets->names = names;
}

static void begin_report(struct cgroup_targets *set)
{
    if (set->news.reported)
        set->identities_changed = false;
    set->census.uncounted[ABSENCE_NO_DESCRIPTORS] -= set->news.n_given_back;
    target_news_begin(&set->news);
}

void cgroup_targets_set_limits(struct cgroup_targets *targets, const struct cgroup_limits *limits)
{
    const struct cgroup_limits before = targets->limits;

    take_limits(targets, limits);
    if (targets->limits.reason != before.reason)
        cgroup_rename_reason(targets, before.reason);
    if (targets->limits.targets > before.targets ||
        targets->limits.per_subtree > before.per_subtree ||
        targets->limits.until_next > before.until_next)
        targets->room = true;
    bound_tree(targets);
    if (targets->limits.tree_bytes > before.tree_bytes)
        targets->rescan = true; /* there may be room for nodes that were left out */
}

static int bring_up_to_date(struct cgroup_targets *set, bool look)
{
    struct cgroup_node *root = set->tree.root;
    int r = 0;

    if (root->rule >= 0 && !root->counted && root->waiting == WAITING_NOWHERE)
        r = cgroup_admit(set, root);
    if (r >= 0)
        r = cgroup_walk(set, look);
    if (r >= 0)
        cgroup_shed(set);
    if (r >= 0)
        r = cgroup_admit_waiting(set);
    if (r >= 0 && set->relabel)
        r = cgroup_relabel(set, root);
    if (r >= 0)
        r = cgroup_take_names(set);
    if (r < 0) {
        set->rescan = set->relabel = true;
        return r;
    }
    set->relabel = false;
    return 0;
}

static void report(struct cgroup_targets *targets, struct cgroup_changes *ret_changes)
{
    struct target_news *news = &targets->news;

    news->reported = true;
    *ret_changes = (struct cgroup_changes){
        .born = news->born,
        .n_born = news->n_born,
        .gone = news->gone,
        .n_gone = news->n_gone,
        .identities_changed = targets->identities_changed || news->n_born > 0 || news->n_gone > 0,
    };
}

int cgroup_targets_update(struct cgroup_targets *targets, bool look,
                          struct cgroup_changes *ret_changes)
{
    int r;

    begin_report(targets);
    r = bring_up_to_date(targets, look);
    if (r >= 0)
        report(targets, ret_changes);
    return r < 0 ? r : 0;
}

int cgroup_targets_follow(struct cgroup_targets *targets, struct cgroup_changes *ret_changes)
{
    int r;

    begin_report(targets);
    r = cgroup_walk_on(targets);
    if (r < 0)
        targets->rescan = targets->relabel = true;
    else
        report(targets, ret_changes);
    return r;
}

bool cgroup_targets_has_events(const struct cgroup_targets *targets)
{
    return targets->watch && directory_watch_is_pending(targets->watch);
}

bool cgroup_targets_is_there(const struct cgroup_targets *targets, const char *path, uint64_t inode)
{
    struct stat status;

    return fstatat(targets->root_fd, path[1] ? path + 1 : ".", &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           status.st_ino == inode;
}

void cgroup_targets_give_back(struct cgroup_targets *targets, struct cgroup_target *target)
{
    targets->census.uncounted[ABSENCE_NO_DESCRIPTORS] +=
        target_news_give_back(&targets->news, target);
}

void cgroup_targets_release(struct cgroup_targets *targets, struct cgroup_target *target)
{
    struct counted_cgroup *counted = (struct counted_cgroup *)target;

    assert(target->gone);
    LIST_REMOVE(counted, entry);
    targets->n_all--;
    (void)counted_cgroup_free(counted);
}

size_t cgroup_targets_count(const struct cgroup_targets *targets)
{
    return targets->n_all;
}

const struct cgroup_census *cgroup_targets_census(const struct cgroup_targets *targets)
{
    return &targets->census;
}

int cgroup_targets_fd(const struct cgroup_targets *targets)
{
    return targets->watch ? directory_watch_fd(targets->watch) : -1;
}
