/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Targets are in a table by their path. The thread takes the next one that is due, looks for its
 * names without holding the lock, and tells by a number that grows that some are others. A target
 * that is released while the thread works on it is freed by the thread.
 */
#include "target/target_names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/clock.h"
#include "sys/descriptors.h"
#include "sys/thread.h"
#include "target/names_desk.h"

#define LOOK_AT_FILE_NS NS_PER_SECOND

struct known_names *known_names_unref(struct known_names *known)
{
    if (known && reference_drop(&known->reference)) {
        names_done(&known->names);
        free(known);
    }
    return NULL;
}

/* Takes the names over. NULL: there is no memory. */
static struct known_names *known_names_new(struct names *names)
{
    struct known_names *known = calloc(1, sizeof(*known));

    if (!known)
        return NULL;
    reference_init(&known->reference);
    known->names = *names;
    *names = (struct names){0};
    return known;
}

int target_names_new(int root_fd, int procfs_fd, struct target_names **ret_names)
{
    struct target_names *names = calloc(1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    names->host = (struct name_host){root_fd, procfs_fd};
    LIST_INIT(&names->all);
    for (size_t i = 0; i < NAMES_BUCKETS; i++)
        LIST_INIT(&names->buckets[i]);
    for (size_t i = 0; i <= NAMES_TRIES; i++)
        TAILQ_INIT(&names->queues[i]);
    (void)pthread_mutex_init(&names->mutex, NULL); /* cannot fail without attributes */
    thread_condition_init(&names->wake);
    thread_condition_init(&names->answered);
    *ret_names = names;
    return 0;
}

static void wake(struct target_names *names)
{
    (void)pthread_cond_signal(&names->wake);
}

struct target_names *target_names_free(struct target_names *names)
{
    if (!names)
        return NULL;
    names_lent_forget(names);
    (void)pthread_mutex_lock(&names->mutex);
    names->stops = true;
    wake(names);
    (void)pthread_mutex_unlock(&names->mutex);
    if (names->has_thread)
        (void)pthread_join(names->thread, NULL);
    names_watch_done(&names->watch);
    (void)pthread_cond_destroy(&names->wake);
    (void)pthread_cond_destroy(&names->answered);
    (void)pthread_mutex_destroy(&names->mutex);
    free(names->next_file);
    free(names);
    return NULL;
}

static void free_target(struct named_target *target)
{
    (void)known_names_unref(target->known);
    names_done(&target->found);
    cleanup_close(&target->directory_fd);
    free(target);
}

/* Looks for the names; without the lock. False: there is no memory, and what was known stands. */
static bool find(const struct target_names *names, unsigned sources, bool look,
                 struct named_target *target, struct names *ret_names)
{
    if (look) {
        AUTO_NAMES struct names found = {0};

        target->is_missing =
            names_look_up(&names->host, sources, target->path, target->directory_fd, &found);
        if (found.failed)
            return false;
        names_done(&target->found);
        target->found = found;
        found = (struct names){0};
    }
    name_rules_add_cgroup(names->watch.rules, target->path, ret_names);
    names_add_all(ret_names, &target->found);
    return !ret_names->failed;
}

/* Shows the names that were found, unless they are those of before. */
static void show(struct target_names *names, struct named_target *target, struct names *found)
{
    struct known_names *known;

    if (target->known && names_are_same(&target->known->names, found))
        return;
    known = known_names_new(found);
    if (!known)
        return;
    (void)known_names_unref(target->known);
    target->known = known;
    (void)atomic_fetch_add(&names->changes, 1);
}

/* Serves one target. The lock is held before and after. */
static void serve(struct target_names *names, struct named_target *target)
{
    AUTO_NAMES struct names found = {0};
    const unsigned sources = names->sources;
    const bool look = target->wants_look;
    bool is_known;

    names_queue_leave(target);
    target->is_served = true;
    target->wants_look = false;
    target->tries += look;
    (void)pthread_mutex_unlock(&names->mutex);
    is_known = find(names, sources, look, target, &found);
    (void)pthread_mutex_lock(&names->mutex);
    target->is_served = false;
    if (target->n_users == 0) {
        free_target(target);
        return;
    }
    if (is_known)
        show(names, target, &found);
    names->hangs = false;
    (void)pthread_cond_broadcast(&names->answered);
    target->is_missing |= !is_known;
    if (target->wants_look) /* meanwhile the settings have become others */
        names_queue_add(names, target, NAMES_TRIES, 0);
    else if (target->tries > 0)
        names_queue_again(target, clock_monotonic_ns());
}

/* Takes the settings' file over; then it is looked at. */
static void take_file(struct target_names *names)
{
    if (!names->file_is_new)
        return;
    names->file_is_new = names->renews = false;
    names_watch_begin(&names->watch, TAKE(names->next_file));
}

/* Looks at the user's file. The lock is held before and after. */
static void look_at_file(struct target_names *names)
{
    AUTO(name_rules) struct name_rules *rules = NULL;
    struct names_file_news news;
    bool has_news;

    (void)pthread_mutex_unlock(&names->mutex);
    has_news = names_watch_look(&names->watch, &news, &rules);
    (void)pthread_mutex_lock(&names->mutex);
    if (rules) {
        struct name_rules *before = names->watch.rules;

        names->watch.rules = rules;
        rules = before; /* it is freed */
        names_queue_renew(names, false);
        names->renews |= !names->watch.is_first;
    }
    names->watch.is_first = false;
    if (!has_news)
        return;
    names->news = news;
    names->has_news = true;
    (void)atomic_fetch_add(&names->changes, 1);
}

static void wait_until(struct target_names *names, uint64_t due_ns)
{
    const struct timespec due = {(time_t)(due_ns / NS_PER_SECOND), (long)(due_ns % NS_PER_SECOND)};

    if (due_ns == UINT64_MAX)
        (void)pthread_cond_wait(&names->wake, &names->mutex);
    else
        (void)pthread_cond_timedwait(&names->wake, &names->mutex, &due);
}

/* The main function of the thread. */
static void *work(void *context)
{
    struct target_names *names = context;
    uint64_t file_ns = 0; /* when the file is looked at */

    (void)pthread_mutex_lock(&names->mutex);
    while (!names->stops) {
        const uint64_t now_ns = clock_monotonic_ns();
        struct named_target *target;
        uint64_t due_ns;

        if (names->file_is_new)
            file_ns = 0;
        take_file(names);
        if (names->watch.file && now_ns >= file_ns) {
            look_at_file(names);
            file_ns = now_ns + LOOK_AT_FILE_NS;
            continue;
        }
        if (names->renews && TAILQ_EMPTY(&names->queues[NAMES_TRIES])) {
            names->renews = false;
            (void)atomic_fetch_add(&names->renewals, 1);
        }
        target = names_queue_first(names, now_ns, &due_ns);
        if (target)
            serve(names, target);
        else
            wait_until(names, names->watch.file && file_ns < due_ns ? file_ns : due_ns);
    }
    (void)pthread_mutex_unlock(&names->mutex);
    return NULL;
}

/* Makes sure that the thread runs; where it cannot be made now, the next who asks tries again. */
static void begin_to_work(struct target_names *names)
{
    if (!names->has_thread)
        names->has_thread = thread_start("target-names", work, names, &names->thread) == 0;
    wake(names);
}

static unsigned sources_of(const struct target_names_settings *settings)
{
    unsigned sources = 0;

    if (settings->kubernetes)
        sources |= NAMES_OF_KUBERNETES;
    if (settings->containers)
        sources |= NAMES_OF_CONTAINERS;
    if (settings->machines)
        sources |= NAMES_OF_MACHINES;
    if (settings->batch)
        sources |= NAMES_OF_BATCH;
    return sources;
}

int target_names_configure(struct target_names *names, const struct target_names_settings *settings)
{
    char *file = settings->file ? strdup(settings->file) : NULL;

    if (settings->file && !file)
        return -ENOMEM;
    names_lent_forget(names); /* who asks from now on is told by these settings */
    (void)pthread_mutex_lock(&names->mutex);
    names->sources = sources_of(settings);
    free(names->next_file);
    names->next_file = file;
    names->file_is_new = true;
    names_queue_renew(names, true);
    if (file || names->has_thread)
        begin_to_work(names);
    (void)pthread_mutex_unlock(&names->mutex);
    return 0;
}

static struct names_list *bucket_of(struct target_names *names, const char *path, uint64_t inode)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325) ^ inode; /* FNV-1a */

    for (; *path; path++)
        hash = (hash ^ (unsigned char)*path) * UINT64_C(0x100000001b3);
    return &names->buckets[hash % NAMES_BUCKETS];
}

static struct named_target *find_target(const struct names_list *bucket, const char *path,
                                        uint64_t inode)
{
    struct named_target *target;

    LIST_FOREACH(target, bucket, in_bucket)
    if (target->inode == inode && strcmp(target->path, path) == 0)
        return target;
    return NULL;
}

static struct named_target *make_target(struct target_names *names, const char *path,
                                        uint64_t inode, int directory_fd)
{
    const size_t size = strlen(path) + 1;
    struct named_target *target = calloc(1, sizeof(*target) + size);

    if (!target)
        return NULL;
    target->desk = names;
    target->inode = inode;
    target->wants_look = true;
    target->directory_fd = directory_fd >= 0 && names_need_directory(path)
                               ? descriptor_lift(fcntl(directory_fd, F_DUPFD_CLOEXEC, 0))
                               : -1;
    memcpy(target->path, path, size);
    return target;
}

static void enter(struct target_names *names, struct names_list *bucket,
                  struct named_target *target)
{
    LIST_INSERT_HEAD(bucket, target, in_bucket);
    LIST_INSERT_HEAD(&names->all, target, in_all);
    names->n_all++;
    names_queue_add(names, target, 0, 0);
    begin_to_work(names);
}

struct named_target *target_names_ask(struct target_names *names, const char *path, uint64_t inode,
                                      int directory_fd)
{
    struct names_list *bucket = bucket_of(names, path, inode);
    struct named_target *target;

    (void)pthread_mutex_lock(&names->mutex);
    target = find_target(bucket, path, inode);
    if (!target && names->n_all < NAMED_TARGETS_MOST) {
        target = make_target(names, path, inode, directory_fd);
        if (target)
            enter(names, bucket, target);
    }
    if (target)
        target->n_users++;
    (void)pthread_mutex_unlock(&names->mutex);
    return target;
}

struct named_target *named_target_release(struct named_target *target)
{
    struct target_names *names;

    if (!target)
        return NULL;
    names = target->desk;
    (void)pthread_mutex_lock(&names->mutex);
    if (--target->n_users == 0) {
        LIST_REMOVE(target, in_bucket);
        LIST_REMOVE(target, in_all);
        names->n_all--;
        names_queue_leave(target);
        if (!target->is_served)
            free_target(target);
    }
    (void)pthread_mutex_unlock(&names->mutex);
    return NULL;
}

uint64_t target_names_changes(const struct target_names *names)
{
    return atomic_load(&names->changes);
}

struct known_names *named_target_names(struct named_target *target)
{
    struct known_names *known;

    (void)pthread_mutex_lock(&target->desk->mutex);
    known = target->known;
    if (known)
        reference_take(&known->reference);
    (void)pthread_mutex_unlock(&target->desk->mutex);
    return known;
}

bool target_names_take_news(struct target_names *names, struct names_file_news *ret_news)
{
    bool has_news;

    (void)pthread_mutex_lock(&names->mutex);
    has_news = names->has_news;
    if (has_news)
        *ret_news = names->news;
    names->has_news = false;
    (void)pthread_mutex_unlock(&names->mutex);
    return has_news;
}
