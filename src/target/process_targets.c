/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_targets.h"

#include <assert.h>
#include <errno.h>

#include "base/clock.h"
#include "sys/hidepid.h"
#include "target/process_set.h"

/*
 * An update that fails half way keeps what it has found out. The next update reads all of /proc,
 * and reports both together. So no birth or end is lost to the caller, and none is reported twice.
 */

/* So often /proc is read in any case, should the kernel's records have missed something. */
#define RESCAN_INTERVAL_NS (60 * NS_PER_SECOND)

#define SUBORDINATE_IDS     "/etc/subuid"
#define REFRESH_INTERVAL_NS (60 * NS_PER_SECOND)

/* If the map cannot be read, process_owner.c takes each process for one of another namespace. */
static void read_own_uid_map(struct process_targets *set)
{
    AUTO(process) struct process *self = NULL;
    pid_t pid = process_self(set->procfs_fd);

    if (pid > 0 && process_open(set->procfs_fd, pid, &self) == 0 &&
        process_read_uid_map(self, set->own_uid_map) < 0)
        set->own_uid_map[0] = '\0';
}

int process_targets_new(int procfs_fd, const struct process_rules *rules,
                        const struct process_limits *limits, struct process_targets **ret_targets)
{
    AUTO(process_targets) struct process_targets *set = calloc(1, sizeof(*set));

    if (!set)
        return -ENOMEM;
    LIST_INIT(&set->all);
    target_news_init(&set->news, offsetof(struct counted_process, mark));
    set->procfs_fd = procfs_fd;
    set->rules = rules;
    set->limits = *limits;
    set->rescan = true; /* the first */
    /* a procfs of another PID namespace shows other numbers than system calls take */
    set->is_ours = process_self(procfs_fd) == getpid();
    set->is_foreign = process_numbers_are_foreign(procfs_fd);
    TAILQ_INIT(&set->turns);
    TAILQ_INIT(&set->nobody.to_look);
    TAILQ_INIT(&set->nobody.waiting);
    TAILQ_INIT(&set->continuing.to_look);
    TAILQ_INIT(&set->continuing.waiting);
    TAILQ_INIT(&set->ending);
    if (set->is_ours && exit_watch_new(&set->exits) == -ENOMEM)
        return -ENOMEM;
    if (subordinate_ids_new(SUBORDINATE_IDS, name_service_of_machine(), &set->owners) < 0)
        return -ENOMEM;
    read_own_uid_map(set);
    *ret_targets = TAKE(set);
    return 0;
}

void process_targets_succeed(struct process_targets *targets,
                             const struct process_targets *predecessor)
{
    targets->predecessor = predecessor;
}

static void free_known(struct process_targets *set)
{
    struct process_node *node, *next;
    struct process_tenant *tenant, *next_tenant;

    HASH_ITER(by_pid, set->nodes, node, next) {
        HASH_DELETE(by_pid, set->nodes, node);
        process_node_free(node);
    }
    HASH_ITER(by_uid, set->tenants, tenant, next_tenant) {
        HASH_DELETE(by_uid, set->tenants, tenant);
        free(tenant);
    }
}

struct process_targets *process_targets_free(struct process_targets *targets)
{
    if (!targets)
        return NULL;
    while (!LIST_EMPTY(&targets->all)) {
        struct counted_process *counted = LIST_FIRST(&targets->all);

        LIST_REMOVE(counted, entry);
        (void)counted_process_free(counted);
    }
    free_known(targets);
    (void)exit_watch_free(targets->exits);
    (void)subordinate_ids_free(targets->owners);
    (void)task_events_free(targets->events);
    target_news_done(&targets->news);
    free(targets);
    return NULL;
}

static void begin_report(struct process_targets *set)
{
    set->census.uncounted[ABSENCE_NO_DESCRIPTORS] -= set->news.n_given_back;
    target_news_begin(&set->news);
}

static bool is_scan_due(const struct process_targets *set, uint64_t now_ns)
{
    return !set->events || set->rescan || now_ns - set->last_scan_ns >= RESCAN_INTERVAL_NS;
}

/* Somebody may mount procfs again with other options, so this is looked at from time to time. */
static void look_for_hidden(struct process_targets *set, uint64_t now_ns)
{
    if (now_ns < set->hidden_at_ns)
        return;
    set->hidden_at_ns = now_ns + RESCAN_INTERVAL_NS;
    set->census.hidden = hidepid_hides_from_us(set->procfs_fd);
}

static int bring_up_to_date(struct process_targets *set)
{
    uint64_t now_ns = clock_monotonic_ns();
    int r;

    look_for_hidden(set, now_ns);
    if (now_ns - set->owners_read_ns >= REFRESH_INTERVAL_NS) {
        subordinate_ids_refresh(set->owners);
        set->owners_read_ns = now_ns;
    }
    process_watch_births(set, now_ns);
    r = process_take_records(set);
    if (r == 0)
        process_take_exits(set);
    if (r == 0 && is_scan_due(set, now_ns))
        r = process_scan(set);
    process_begin_turns(set);
    process_enqueue_late(set, now_ns);
    if (r == 0)
        r = process_look_at_queued(set);
    if (r == 0)
        r = process_admit_waiting(set);
    if (r < 0)
        set->rescan = true;
    return r;
}

static int take_records_between_updates(struct process_targets *set)
{
    int r = process_follow_records(set);

    process_begin_following(set);
    if (r == 0)
        r = process_look_at_queued(set);
    if (r < 0)
        set->rescan = true;
    return r;
}

static void report(struct process_targets *targets, struct process_changes *ret_changes)
{
    struct target_news *news = &targets->news;

    news->reported = true;
    *ret_changes = (struct process_changes){
        .born = news->born,
        .n_born = news->n_born,
        .gone = news->gone,
        .n_gone = news->n_gone,
    };
}

int process_targets_update(struct process_targets *targets, struct process_changes *ret_changes)
{
    int r;

    begin_report(targets);
    r = bring_up_to_date(targets);
    targets->predecessor = NULL;
    if (r == 0)
        report(targets, ret_changes);
    return r;
}

int process_targets_follow(struct process_targets *targets, struct process_changes *ret_changes)
{
    int r;

    begin_report(targets);
    r = take_records_between_updates(targets);
    if (r == 0)
        report(targets, ret_changes);
    return r;
}

int process_targets_fd(const struct process_targets *targets)
{
    return targets->events ? task_events_fd(targets->events) : -1;
}

bool process_targets_arm(struct process_targets *targets)
{
    bool has_records = targets->events && task_events_arm(targets->events);

    return has_records || process_may_follow(targets);
}

bool process_targets_awaits(const struct process_targets *targets, pid_t pid, uint64_t start_ticks)
{
    const struct process_node *node = targets ? process_find(targets, pid) : NULL;

    return node && (node->waiting || node->looked_at_with) &&
           (node->start_ticks == 0 || node->start_ticks == start_ticks);
}

bool process_target_lives(const struct process_target *target)
{
    const struct counted_process *counted = (const struct counted_process *)target;
    AUTO(process) struct process *process = NULL;

    if (!counted->first)
        return false;
    if (counted->exit_fd >= 0)
        return !exit_watch_has_ended(counted->exit_fd);
    return process_open(counted->set->procfs_fd, target->pid, &process) == 0 &&
           process_stat(process)->start_ticks == target->start_ticks &&
           !process_stat_is_ended(process_stat(process));
}

void process_targets_give_back(struct process_targets *targets, struct process_target *target)
{
    targets->census.uncounted[ABSENCE_NO_DESCRIPTORS] +=
        target_news_give_back(&targets->news, target);
}

void process_targets_release(struct process_targets *targets, struct process_target *target)
{
    struct counted_process *counted = (struct counted_process *)target;

    (void)targets;
    assert(target->gone);
    LIST_REMOVE(counted, entry);
    (void)counted_process_free(counted);
}

const struct process_census *process_targets_census(const struct process_targets *targets)
{
    return &targets->census;
}

bool process_targets_are_foreign(const struct process_targets *targets)
{
    return targets->is_foreign;
}
