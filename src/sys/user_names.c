/* SPDX-License-Identifier: Apache-2.0 */
#define HASH_NONFATAL_OOM            1
#define uthash_nonfatal_oom(element) (out_of_memory = true)
#include "sys/user_names.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <uthash.h>

/* With more names all are forgotten: a user who can have many numbers must not fill our memory. */
#define MOST_NAMES 1024

struct user_name {
    UT_hash_handle hh;
    uid_t uid;
    bool is_in_doubt; /* it is asked for again, and stands until there is an answer */
    char name[];
};

struct user_names {
    struct name_service *service;
    char digits[16]; /* the number that was last asked for */
    struct user_name *by_uid;
};

int user_names_new(struct name_service *service, struct user_names **ret_names)
{
    struct user_names *names = calloc(1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    names->service = service;
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

static struct user_name *make_name(uid_t uid, const char *name)
{
    size_t size = strlen(name) + 1;
    struct user_name *entry = calloc(1, sizeof(*entry) + size);

    if (!entry)
        return NULL;
    entry->uid = uid;
    memcpy(entry->name, name, size);
    return entry;
}

static int keep_name(struct user_names *names, uid_t uid, const char *name, const char **ret_name)
{
    struct user_name *entry = make_name(uid, name);
    bool out_of_memory = false;

    if (!entry)
        return -ENOMEM;
    if (HASH_COUNT(names->by_uid) >= MOST_NAMES)
        forget_all(names);
    HASH_ADD_BYHASHVALUE(hh, names->by_uid, uid, sizeof(uid), uid, entry);
    if (out_of_memory) {
        free(entry);
        return -ENOMEM;
    }
    *ret_name = entry->name;
    return 0;
}

static void forget_name(struct user_names *names, struct user_name *entry)
{
    if (entry)
        HASH_DEL(names->by_uid, entry);
    free(entry);
}

int user_names_find(struct user_names *names, uid_t uid, const char **ret_name)
{
    struct user_name *entry = NULL;
    char name[ACCOUNT_NAME_SIZE];
    enum name_outcome outcome;

    HASH_FIND_BYHASHVALUE(hh, names->by_uid, &uid, sizeof(uid), uid, entry);
    if (entry && !entry->is_in_doubt) {
        *ret_name = entry->name;
        return 0;
    }
    (void)snprintf(names->digits, sizeof(names->digits), "%u", uid);
    outcome = name_service_name_of(names->service, uid, name);
    if (outcome == NAME_LATE) {
        *ret_name = entry ? entry->name : names->digits;
        return entry ? 0 : NAME_LATE;
    }
    forget_name(names, entry);
    return keep_name(names, uid, outcome == NAME_FOUND ? name : names->digits, ret_name);
}

uint64_t user_names_answers(const struct user_names *names)
{
    return name_service_answers(names->service);
}

void user_names_doubt(struct user_names *names)
{
    struct user_name *entry, *next;

    HASH_ITER(hh, names->by_uid, entry, next)
        entry->is_in_doubt = true;
}

struct user_names *user_names_of_machine(void)
{
    static struct user_names machine;

    machine.service = name_service_of_machine();
    return &machine;
}
