/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "target/process_set.h"

/*
 * Who is counted, of those that the rules want. Whoever stands, stays; a newcomer
 * beyond a limit waits, in the turn of its user, until something ends.
 *
 * What a process starts while it is counted with its children, the kernel counts
 * with it whatever our limits say: so it always belongs, and takes up room. What
 * it had started before needs room as all others; what is left out then stays so,
 * for its counters are opened only when the target is.
 */

static size_t room_below(size_t limit, size_t n)
{
    return n < limit ? limit - n : 0; /* what is born with its target may go over it */
}

size_t process_room_for(const struct process_targets *set, const struct process_user *user)
{
    size_t all = room_below(set->limits.processes, set->n_counted);
    size_t of_user = room_below(set->limits.per_user, user->counted);

    return user->uid == 0 || all < of_user ? all : of_user;
}

static bool is_full_for(const struct process_targets *set, const struct process_user *user)
{
    return process_room_for(set, user) == 0;
}

static void charge(struct process_targets *set, struct process_node *node,
                   struct process_user *user)
{
    node->user = user;
    user->counted++;
    set->n_counted++;
}

static void refuse(struct process_targets *set, struct process_node *node)
{
    set->census.uncounted[ABSENCE_OVER_LIMIT]++;
    if (!node->refused)
        set->census.dropped[ABSENCE_OVER_LIMIT]++;
    node->refused = true;
}

static void wait_for_room(struct process_targets *set, struct process_node *node,
                          struct process_user *user)
{
    TAILQ_INSERT_TAIL(&user->waiting, node, waiting_entry);
    node->waiting = user;
    refuse(set, node);
}

static void stop_waiting(struct process_targets *set, struct process_node *node)
{
    struct process_user *user = TAKE(node->waiting);

    if (!user)
        return;
    TAILQ_REMOVE(&user->waiting, node, waiting_entry);
    set->census.uncounted[ABSENCE_OVER_LIMIT]--;
    process_user_drop(set, user);
}

struct counted_process *process_family(const struct process_node *node)
{
    struct counted_process *counted = node->parent ? node->parent->counted : NULL;

    return counted && counted->target.children ? counted : NULL;
}

/* Whether the kernel does not count it with its target. */
static bool is_left_out(const struct process_targets *set, const struct process_node *node,
                        const struct process_user *user)
{
    const struct process_node *parent = node->parent;
    bool was_there_before = node->counted->born_index != SIZE_MAX;

    return (parent && parent->counted == node->counted && parent->left_out) ||
           (was_there_before && is_full_for(set, user));
}

int process_join(struct process_targets *set, struct process_node *node,
                 struct counted_process *counted)
{
    struct process_user *user = process_user_get(set, node->uid);

    if (!user)
        return -ENOMEM;
    user->counted++; /* so that it stays while the node leaves */
    process_leave(set, node);
    user->counted--;
    node->counted = counted;
    LIST_INSERT_HEAD(&counted->members, node, member);
    node->left_out = is_left_out(set, node, user);
    if (node->left_out) {
        refuse(set, node);
        process_user_drop(set, user);
        return 0;
    }
    charge(set, node, user);
    counted->target.n_members++;
    return 0;
}

struct counted_process *counted_process_free(struct counted_process *counted)
{
    if (counted) {
        if (counted->exit_fd >= 0)
            (void)exit_watch_remove(counted->set->exits, counted->exit_fd);
        free(counted->target.group);
    }
    free(counted);
    return NULL;
}

static int reserve(struct process_target_list *list, size_t more)
{
    size_t capacity = list->capacity ? list->capacity : 16;
    struct process_target **items;

    while (capacity < list->n + more)
        capacity *= 2;
    if (capacity == list->capacity)
        return 0;
    items = reallocarray(list->items, capacity, sizeof(struct process_target *));
    if (!items)
        return -ENOMEM;
    list->items = items;
    list->capacity = capacity;
    return 0;
}

/* Each that stands can be told as gone without asking for memory then. */
static int make_room_for_news(struct process_targets *set)
{
    int r = reserve(&set->born, 1);

    return r < 0 ? r : reserve(&set->gone, set->census.standing + 1);
}

static int counted_new(struct process_targets *set, struct process_node *node, int rule,
                       char **group, struct counted_process **ret_counted)
{
    struct counted_process *counted = calloc(1, sizeof(*counted));

    if (!counted)
        return -ENOMEM;
    counted->target = (struct process_target){
        .pid = node->pid,
        .start_ticks = node->start_ticks,
        .start_realtime_ns = process_start_realtime_ns(node->start_ticks),
        .rule = rule,
        .children = process_rules_with_children(set->rules, rule),
        .continues = node->was_target,
        .uid = node->uid,
        .group = TAKE(*group),
        .n_members = 1,
    };
    counted->set = set;
    counted->first = node;
    counted->exit_fd = -1;
    LIST_INIT(&counted->members);
    *ret_counted = counted;
    return 0;
}

/* Whether the number is still that of the process that the rules were asked about. */
static int verify(const struct process_targets *set, const struct process_node *node)
{
    AUTO(process) struct process *process = NULL;
    int r = process_open(set->procfs_fd, node->pid, &process);

    if (r == -ESRCH || r == -ENOMEM)
        return r;
    return r == 0 && process_stat(process)->start_ticks != node->start_ticks ? -ESRCH : 0;
}

/* Without a descriptor to be had, the kernel's records and /proc tell of the end. */
static int watch_exit(struct process_targets *set, struct counted_process *counted)
{
    int r = -ENOSYS;

    if (set->exits)
        r = exit_watch_add(set->exits, counted->target.pid, counted, &counted->exit_fd);
    if (r == -ESRCH)
        return r;
    return r == 0 ? verify(set, counted->first) : 0;
}

/* What it has started already, as far as that is known, whatever it was until now. */
static int adopt_descendants(struct process_targets *set, struct counted_process *counted)
{
    struct process_node *top = counted->first, *node = top;
    int r = 0;

    while ((node = process_next_below(top, node))) {
        if (r == 0 && node->counted != counted)
            r = process_join(set, node, counted);
        if (r < 0)
            process_enqueue(set, node); /* there was no memory: look at it again */
    }
    return r;
}

static void stand(struct process_targets *set, struct process_node *node,
                  struct counted_process *counted)
{
    counted->born_index = set->born.n;
    set->born.items[set->born.n++] = &counted->target;
    LIST_INSERT_HEAD(&set->all, counted, entry);
    set->census.standing++;
    node->counted = counted;
    LIST_INSERT_HEAD(&counted->members, node, member);
}

static int admit(struct process_targets *set, struct process_node *node, int rule, char **group,
                 struct process_user *user)
{
    AUTO(counted_process) struct counted_process *counted = NULL;
    struct counted_process *admitted;
    int r = make_room_for_news(set);

    if (r == 0)
        r = counted_new(set, node, rule, group, &counted);
    if (r == 0)
        r = watch_exit(set, counted);
    if (r < 0)
        return r;
    charge(set, node, user);
    stop_waiting(set, node);
    admitted = TAKE(counted);
    stand(set, node, admitted);
    return admitted->target.children ? adopt_descendants(set, admitted) : 0;
}

int process_admit(struct process_targets *set, struct process_node *node, int rule, char **group)
{
    struct process_user *user = process_user_get(set, node->uid);
    int r;

    if (!user)
        return -ENOMEM;
    if (is_full_for(set, user)) {
        if (node->waiting == user)
            return 0;
        stop_waiting(set, node);
        wait_for_room(set, node, user);
        return 0;
    }
    r = admit(set, node, rule, group, user);
    if (r < 0 && !node->counted)
        process_user_drop(set, user);
    return r;
}

static void take_back_birth(struct process_targets *set, struct counted_process *counted)
{
    struct process_target *last = set->born.items[--set->born.n];

    set->born.items[counted->born_index] = last;
    ((struct counted_process *)last)->born_index = counted->born_index;
    LIST_REMOVE(counted, entry);
    (void)counted_process_free(counted);
}

static void tell_gone(struct process_targets *set, struct counted_process *counted)
{
    set->census.standing--;
    set->room = true;
    counted->exit_fd = set->exits ? exit_watch_remove(set->exits, counted->exit_fd) : -1;
    if (counted->born_index != SIZE_MAX) {
        take_back_birth(set, counted);
        return;
    }
    counted->target.gone = true;
    set->gone.items[set->gone.n++] = &counted->target; /* reserved at its birth */
}

/* Takes it out of its target; what becomes of the target is the caller's matter. */
static void leave_target(struct process_targets *set, struct process_node *node)
{
    struct counted_process *counted = TAKE(node->counted);
    struct process_user *user = TAKE(node->user);

    LIST_REMOVE(node, member);
    if (counted->first == node)
        counted->first = NULL;
    if (node->left_out)
        set->census.uncounted[ABSENCE_OVER_LIMIT]--;
    node->left_out = false;
    if (!user)
        return;
    counted->target.n_members--;
    set->n_counted--;
    set->room = true;
    user->counted--;
    process_user_drop(set, user);
}

void process_end_target(struct process_targets *set, struct counted_process *counted)
{
    struct process_node *node;

    while ((node = LIST_FIRST(&counted->members))) {
        leave_target(set, node);
        process_enqueue(set, node);
    }
    tell_gone(set, counted);
}

void process_leave(struct process_targets *set, struct process_node *node)
{
    struct counted_process *counted = node->counted;

    stop_waiting(set, node);
    if (!counted)
        return;
    leave_target(set, node);
    if (counted->target.n_members == 0)
        process_end_target(set, counted);
}
