/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The inside of struct target_names:
 *
 *   target_names.c   has the thread, which serves one target after the other
 *   names_cache.c    answers for processes, whose names are asked for at once
 *   named_target.c   is asked by who counts
 *   names_queue.c    says who is served next, and when
 *   names_watch.c    follows the user's file; the thread's alone
 */

#include <pthread.h>
#include <stdatomic.h>
#include <sys/queue.h>

#include <uthash.h>

#include "base/cleanup.h"
#include "base/keyed_hash.h"
#include "base/text.h"
#include "sys/file_stamp.h"
#include "sys/wait_allowance.h"
#include "target/known_names.h"
#include "target/names_file.h"
#include "target/names_lookup.h"
#include "target/names_recent.h"
#include "target/target_names.h"

#define NAMES_TRIES 7 /* at once, and then after 1, 2, 4, 8, 16 and 32 seconds */

/* Each of the first queues has one pause, so that the first of each is the next one due. */
#define QUEUE_OF_RENEWED NAMES_TRIES /* of those whose names are renewed, at once */
#define NAMES_QUEUES     (QUEUE_OF_RENEWED + 1)

#define NAMES_CACHED 256 /* cgroups of processes that are remembered */

struct named_target {
    struct target_names *names;
    UT_hash_handle hh;
    TAILQ_ENTRY(named_target) in_queue;
    unsigned n_users;
    int queue;       /* in which it waits; -1: in none */
    unsigned tries;  /* how often it was looked for */
    uint64_t due_ns; /* when it is served */
    bool is_served;  /* the thread works on it without the lock */
    bool wants_look; /* else only the user's file is asked */
    bool is_missing; /* the last look has not found all that there should be */
    int directory_fd;
    struct names found;        /* of the host; the thread's alone while it is served */
    struct known_names *known; /* NULL: there was no answer yet */
    uint64_t inode;            /* with the path behind it, the key of the table */
    char path[];
};

TAILQ_HEAD(names_queue, named_target);

/* The user's file, as the thread knows it. */
struct names_watch {
    char *file;    /* NULL: there is none */
    bool is_first; /* it was never looked at */
    bool is_new;   /* it is read whatever its stamp is */
    struct file_stamp stamp;
    int failure;   /* that was told last */
    uint64_t hash; /* of the text that the rules are from; 0: there was none */
    struct name_rules *rules;
};

struct target_names {
    struct name_host host;
    pthread_t thread;
    bool has_thread;
    struct state_refusal refusal; /* the thread's alone */
    struct names_watch watch;     /* the thread's alone; but `rules` is changed under the lock */
    struct names_recent recent;   /* the thread's alone */
    atomic_ullong changes;
    atomic_ullong renewals;
    atomic_ullong answers;
    bool renews; /* the thread's alone: the file has changed, and not all know it yet */
    /* From here to the lock it is the caller's alone. */
    struct named_target *cached[NAMES_CACHED];
    size_t n_cached;       /* ever; the next one takes the place of the oldest */
    pthread_mutex_t mutex; /* guards the members from here on, and what stands in targets */
    size_t n_directories;  /* directories that targets hold */
    pthread_cond_t wake, answered;
    bool stops;
    struct wait_allowance allowance; /* of the caller, which is the cycle */
    unsigned sources;
    char *next_file; /* the settings' */
    bool file_is_new;
    struct hash_key hash_key;
    struct named_target *all; /* a table of uthash */
    struct text key;          /* that is looked for */
    struct names_queue queues[NAMES_QUEUES];
    bool has_news;
    struct names_file_news news;
    struct state_refusal refused; /* what is to be told */
};

/* named_target.c */

/* Closes the directory of a target that is looked for no more. The mutex is held. */
static inline void named_target_close(struct named_target *target)
{
    target->names->n_directories -= target->directory_fd >= 0;
    cleanup_close(&target->directory_fd);
    target->directory_fd = -1;
}

void named_target_free(struct named_target *target);

/* names_queue.c; all under the lock. */

void names_queue_add(struct target_names *names, struct named_target *target, unsigned queue,
                     uint64_t due_ns);
void names_queue_leave(struct named_target *target);

/* After it was served: it is looked for once more, or never again. */
void names_queue_again(struct named_target *target, uint64_t now_ns);

/* Puts all in QUEUE_OF_RENEWED. `look`: the host is asked again, too. */
void names_queue_renew(struct target_names *names, bool look);

/* Who is due, or NULL; then `ret_due_ns` is when somebody is, UINT64_MAX: never. */
struct named_target *names_queue_first(const struct target_names *names, uint64_t now_ns,
                                       uint64_t *ret_due_ns);

/* names_cache.c */

/* Releases all that are remembered. */
void names_cache_clear(struct target_names *names);

/* names_watch.c */

/* Takes another file, or NULL. */
void names_watch_begin(struct names_watch *watch, char *file);

/*
 * Reads the file if it has changed. True: there is news. `ret_rules` is NULL unless there are other
 * rules, which the caller puts in the place of those of before.
 */
bool names_watch_look(struct names_watch *watch, struct names_file_news *ret_news,
                      struct name_rules **ret_rules);
void names_watch_done(struct names_watch *watch);
