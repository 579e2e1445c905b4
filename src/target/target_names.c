/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The thread takes the next target that is due, looks for its names without holding the lock, and
 * tells by a number that grows that some have changed. A target that is released while the thread
 * works on it is freed by the thread.
 */
#include "target/target_names.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "sys/thread.h"
#include "target/target_names_parts.h"

#define LOOK_AT_FILE_NS NS_PER_SECOND

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

int target_names_new(int root_fd, int procfs_fd, struct object_reader *reader,
                     struct target_names **ret_names)
{
    struct target_names *names = calloc(1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    names->host = (struct name_host){root_fd, procfs_fd, reader, &names->refusal};
    hash_key_draw(&names->hash_key);
    for (size_t i = 0; i < NAMES_QUEUES; i++)
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
    names_cache_clear(names);
    (void)pthread_mutex_lock(&names->mutex);
    names->stops = true;
    wake(names);
    (void)pthread_mutex_unlock(&names->mutex);
    if (names->has_thread)
        (void)pthread_join(names->thread, NULL);
    names_watch_done(&names->watch);
    names_recent_done(&names->recent);
    (void)pthread_cond_destroy(&names->wake);
    (void)pthread_cond_destroy(&names->answered);
    (void)pthread_mutex_destroy(&names->mutex);
    free(names->next_file);
    text_done(&names->key);
    free(names);
    return NULL;
}

/* Looks for names of the host, unless those of its container were found a moment ago. */
static bool look(struct target_names *names, unsigned sources, const struct named_target *target,
                 struct names *found)
{
    const uint64_t now_ns = clock_monotonic_ns();
    const struct recent_names *recent =
        names_recent_find(&names->recent, target->path, sources, now_ns);
    bool is_missing;

    if (recent) {
        names_add_all(found, &recent->names);
        return recent->is_missing;
    }
    is_missing = names_look_up(&names->host, sources, target->path, target->directory_fd, found);
    if (!found->failed)
        names_recent_keep(&names->recent, target->path, sources, now_ns, found, is_missing);
    return is_missing;
}

/* Looks for the names; without the lock. False: there is no memory, and what was known stands. */
static bool find(struct target_names *names, unsigned sources, bool wants_look,
                 struct named_target *target, struct names *ret_names)
{
    if (wants_look) {
        AUTO_NAMES struct names found = {0};

        target->is_missing = look(names, sources, target, &found);
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

/* Takes over what is to be told of files that were refused. */
static void tell_refusal(struct target_names *names)
{
    if (!names->refusal.why)
        return;
    names->refused = names->refusal;
    names->refusal.why = NULL;
    (void)atomic_fetch_add(&names->changes, 1);
}

/* Serves one target. The lock is held before and after. */
static void serve(struct target_names *names, struct named_target *target)
{
    AUTO_NAMES struct names found = {0};
    const unsigned sources = names->sources;
    const bool wants_look = target->wants_look;
    bool is_known;

    names_queue_leave(target);
    target->is_served = true;
    target->wants_look = false;
    target->tries += wants_look;
    (void)pthread_mutex_unlock(&names->mutex);
    is_known = find(names, sources, wants_look, target, &found);
    (void)pthread_mutex_lock(&names->mutex);
    target->is_served = false;
    names->allowance.hangs = false;
    (void)atomic_fetch_add(&names->answers, 1);
    tell_refusal(names);
    if (target->n_users == 0) {
        named_target_free(target);
        return;
    }
    if (is_known)
        show(names, target, &found);
    (void)pthread_cond_broadcast(&names->answered);
    target->is_missing |= !is_known;
    if (target->wants_look) /* meanwhile the settings have become others */
        names_queue_add(names, target, QUEUE_OF_RENEWED, 0);
    else if (target->tries > 0)
        names_queue_again(target, clock_monotonic_ns());
}

/* Takes the settings' file over; then it is looked at. */
static void take_file(struct target_names *names)
{
    if (!names->file_is_new)
        return;
    names->file_is_new = names->renews = false;
    names_recent_done(&names->recent); /* with the settings all is looked for afresh */
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
        if (names->renews && TAILQ_EMPTY(&names->queues[QUEUE_OF_RENEWED])) {
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

/* Makes sure that the thread runs. 0 or -errno. */
static int begin_to_work(struct target_names *names)
{
    int r = names->has_thread
                ? 0
                : thread_start("target-names", THREAD_HAS_FILES, work, names, &names->thread);

    names->has_thread |= r == 0;
    wake(names);
    return r;
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
    int r;

    if (settings->file && !file)
        return -ENOMEM;
    names_cache_clear(names); /* who asks from now on is told by these settings */
    (void)pthread_mutex_lock(&names->mutex);
    names->sources = sources_of(settings);
    free(names->next_file);
    names->next_file = file;
    names->file_is_new = true;
    names_queue_renew(names, true);
    r = begin_to_work(names);
    (void)pthread_mutex_unlock(&names->mutex);
    return r;
}

uint64_t target_names_changes(const struct target_names *names)
{
    return atomic_load(&names->changes);
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

bool target_names_take_refusal(struct target_names *names, char ret_file[NAMES_FILE_SIZE],
                               const char **ret_why)
{
    (void)pthread_mutex_lock(&names->mutex);
    *ret_why = names->refused.why;
    if (*ret_why)
        (void)snprintf(ret_file, NAMES_FILE_SIZE, "%s", names->refused.file);
    names->refused.why = NULL;
    (void)pthread_mutex_unlock(&names->mutex);
    return *ret_why != NULL;
}
