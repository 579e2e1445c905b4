/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)
#include "sys/user_names.h"

#include <errno.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uthash.h>

#define FIRST_SIZE   1024
#define LARGEST_SIZE ((size_t)64 * 1024) /* of what is kept about one user */
#define MOST_NAMES   1024 /* more are forgotten: whoever may use many numbers must not fill us */

struct user_name {
    UT_hash_handle hh;
    uid_t uid;
    char name[];
};

struct user_names {
    struct user_name *by_uid;
};

int user_names_new(struct user_names **ret_names)
{
    struct user_names *names = calloc(1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    *ret_names = names;
    return 0;
}

static void forget_all(struct user_names *names)
{
    struct user_name *entry, *next;

    HASH_ITER(hh, names->by_uid, entry, next) {
        HASH_DEL(names->by_uid, entry);
        free(entry);
    }
}

struct user_names *user_names_free(struct user_names *names)
{
    if (names)
        forget_all(names);
    free(names);
    return NULL;
}

static struct user_name *make(uid_t uid, const char *name)
{
    size_t size = strlen(name) + 1;
    struct user_name *entry = calloc(1, sizeof(*entry) + size);

    if (!entry)
        return NULL;
    entry->uid = uid;
    memcpy(entry->name, name, size);
    return entry;
}

/* Asks the machine. */
static struct user_name *look_up(uid_t uid)
{
    AUTO_FREE char *buffer = NULL;
    struct passwd user, *found = NULL;
    char digits[16];
    int wrong = ERANGE;

    for (size_t size = FIRST_SIZE; wrong == ERANGE && size <= LARGEST_SIZE; size *= 4) {
        free(buffer);
        buffer = malloc(size);
        if (!buffer)
            return NULL;
        wrong = getpwuid_r(uid, &user, buffer, size, &found);
    }
    if (wrong == 0 && found && found->pw_name && found->pw_name[0])
        return make(uid, found->pw_name);
    (void)snprintf(digits, sizeof(digits), "%u", uid);
    return make(uid, digits);
}

int user_names_find(struct user_names *names, uid_t uid, const char **ret_name)
{
    struct user_name *entry = NULL;
    bool out_of_memory = false;

    HASH_FIND_BYHASHVALUE(hh, names->by_uid, &uid, sizeof(uid), uid, entry);
    if (!entry) {
        if (HASH_COUNT(names->by_uid) >= MOST_NAMES)
            forget_all(names);
        entry = look_up(uid);
        if (!entry)
            return -ENOMEM;
        HASH_ADD_BYHASHVALUE(hh, names->by_uid, uid, sizeof(uid), uid, entry);
        if (out_of_memory) {
            free(entry);
            return -ENOMEM;
        }
    }
    *ret_name = entry->name;
    return 0;
}
