/* SPDX-License-Identifier: Apache-2.0 */

/* The targets that are named, in a table by their path, and the names that each has. */
#include <fcntl.h>
#include <string.h>

#include "sys/descriptors.h"
#include "target/names_desk.h"

struct known_names *known_names_unref(struct known_names *known)
{
    if (known && reference_drop(&known->reference)) {
        names_done(&known->names);
        free(known);
    }
    return NULL;
}

void named_target_free(struct named_target *target)
{
    (void)known_names_unref(target->known);
    names_done(&target->found);
    cleanup_close(&target->directory_fd);
    free(target);
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
    (void)pthread_cond_signal(&names->wake);
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
            named_target_free(target);
    }
    (void)pthread_mutex_unlock(&names->mutex);
    return NULL;
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
