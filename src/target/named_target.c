/* SPDX-License-Identifier: Apache-2.0 */

/* The targets that are named, in a table by their path, and the names that each has. */
#define HASH_NONFATAL_OOM 1

#include <fcntl.h>
#include <string.h>

#include "sys/descriptors.h"
#include "target/target_names_parts.h"

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
    named_target_close(target);
    free(target);
}

static unsigned hash_of(const struct target_names *names, const void *key, size_t n)
{
    return (unsigned)keyed_hash(&names->hash_key, key, n);
}

/* NULL: there is none, or no memory to look for it. */
static struct named_target *find_target(struct target_names *names, const char *path,
                                        uint64_t inode)
{
    struct text *key = &names->key;
    struct named_target *target;

    text_clear(key);
    text_append(key, (const char *)&inode, sizeof(inode));
    text_append_string(key, path);
    if (text_error(key) < 0)
        return NULL;
    HASH_FIND_BYHASHVALUE(hh, names->all, key->data, key->length,
                          hash_of(names, key->data, key->length), target);
    return target;
}

static struct named_target *make_target(struct target_names *names, const char *path,
                                        uint64_t inode, int directory_fd)
{
    const size_t size = strlen(path) + 1;
    struct named_target *target = calloc(1, sizeof(*target) + size);

    if (!target)
        return NULL;
    target->names = names;
    target->inode = inode;
    target->wants_look = true;
    target->directory_fd = directory_fd >= 0 && names_need_directory(path)
                               ? descriptor_lift(fcntl(directory_fd, F_DUPFD_CLOEXEC, 0))
                               : -1;
    names->n_directories += target->directory_fd >= 0;
    memcpy(target->path, path, size);
    return target;
}

/* Returns the target, or NULL if there is no memory for it in the table. */
static struct named_target *enter(struct target_names *names, struct named_target *target)
{
    const size_t n = sizeof(target->inode) + strlen(target->path);

    HASH_ADD_KEYPTR_BYHASHVALUE(hh, names->all, &target->inode, n,
                                hash_of(names, &target->inode, n), target);
    if (!target->hh.tbl) { /* HASH_NONFATAL_OOM */
        named_target_free(target);
        return NULL;
    }
    names_queue_add(names, target, 0, 0);
    (void)pthread_cond_signal(&names->wake);
    return target;
}

size_t target_names_descriptors(struct target_names *names)
{
    size_t n;

    (void)pthread_mutex_lock(&names->mutex);
    n = names->n_directories;
    (void)pthread_mutex_unlock(&names->mutex);
    return n;
}

struct named_target *target_names_ask(struct target_names *names, const char *path, uint64_t inode,
                                      int directory_fd)
{
    struct named_target *target;

    (void)pthread_mutex_lock(&names->mutex);
    target = find_target(names, path, inode);
    if (!target && HASH_COUNT(names->all) < NAMED_TARGETS_MOST) {
        target = make_target(names, path, inode, directory_fd);
        if (target)
            target = enter(names, target);
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
    names = target->names;
    (void)pthread_mutex_lock(&names->mutex);
    if (--target->n_users == 0) {
        HASH_DEL(names->all, target);
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

    (void)pthread_mutex_lock(&target->names->mutex);
    known = target->known;
    if (known)
        reference_take(&known->reference);
    (void)pthread_mutex_unlock(&target->names->mutex);
    return known;
}
