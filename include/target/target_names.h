/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What targets are called by Kubernetes, container runtimes, libvirt, systemd-machined and Slurm,
 * from files of theirs that stand on the host, and by the user, from a CSV file.
 *
 * These files may be on a slow disk. Therefore a thread of its own reads them: who counts asks once
 * when a target is born, and takes the answer when target_names_changes() has moved, which is all
 * that a cycle costs. What is not there yet is looked for again after 1 s, 2 s and so on, for about
 * a minute. The user's file is looked at each second, and renews the names of all.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "reader/object_reader.h"

struct target_names;
struct named_target;
struct known_names;

/* How many targets are named at once; those beyond have no names. */
#define NAMED_TARGETS_MOST 65536

struct target_names_settings {
    bool kubernetes, containers, machines, batch;
    const char *file; /* a path; NULL: none */
};

/*
 * root_fd: the root of the host's files, or -1; procfs_fd: likewise; reader: of its state files
 * (target/state_reader.h), or NULL. All are borrowed for its life. It names nobody before it is
 * configured. 0 or -ENOMEM.
 */
int target_names_new(int root_fd, int procfs_fd, struct object_reader *reader,
                     struct target_names **ret_names);

/* Every named target has been released before. Waits for the thread. */
struct target_names *target_names_free(struct target_names *names);

/*
 * Takes other settings. All targets are looked for again, and keep the names that they have until
 * then. The first time starts the thread. 0 or -errno.
 */
int target_names_configure(struct target_names *names,
                           const struct target_names_settings *settings);

/*
 * Asks for the names of a cgroup. Who asks for the same cgroup, by path and inode, shares the
 * answer. directory_fd: its directory, which is borrowed for the call; or -1. NULL: there is no
 * memory, or there are too many targets. named_target_release() takes NULL, and returns it.
 */
struct named_target *target_names_ask(struct target_names *names, const char *path, uint64_t inode,
                                      int directory_fd);
struct named_target *named_target_release(struct named_target *target);

/* Grows whenever some target has other names, or there is trouble with the file. */
uint64_t target_names_changes(const struct target_names *names);

/*
 * The names of a target as they are now; NULL: none yet. The caller gives them back by
 * known_names_unref(), which takes NULL and returns it. They are immutable.
 */
struct known_names *named_target_names(struct named_target *target);
struct known_names *known_names_unref(struct known_names *known);
DEFINE_AUTO(known_names, struct known_names *, known_names_unref)

/*
 * The names of a process, for the name of its group: those of the user's line for its number, and
 * those of the cgroup with this path, which may be NULL. An answer that is not there yet is waited
 * for, for at most a tenth of a second, and for a tenth of the time by all calls together. True:
 * they were added to `ret_names`; false: they have not come in time, and none were added. Only the
 * thread that configures may call it.
 */
struct names;
bool target_names_of_process(struct target_names *names, pid_t pid, const char *path,
                             struct names *ret_names);

/* How often the thread has looked: when it grows, questions that were late may be asked again. */
uint64_t target_names_answers(const struct target_names *names);

/* How many descriptors are held for jobs whose names are looked for. */
size_t target_names_descriptors(struct target_names *names);

/* Grows after the user's file has changed, once all have the new names. */
uint64_t target_names_renewals(const struct target_names *names);

#define NAMES_FILE_SIZE 256 /* of a path that is told; a longer one is cut off */

/* What is to be said of the user's file, once each time that it has been read. */
struct names_file_news {
    char file[NAMES_FILE_SIZE];
    size_t n_wrong;    /* how many lines were left out; the others hold */
    char message[512]; /* "LINE: what is wrong" of the first, or why the file cannot be read, and
                          then the names of before hold; empty: it is good */
    bool unreadable;
};

/* Whether there is something to say that nobody has taken yet. */
bool target_names_take_news(struct target_names *names, struct names_file_news *ret_news);

/*
 * Whether a state file of the host was refused for what it did to the process that reads it, which
 * nobody has been told yet; of several the last one.
 */
bool target_names_take_refusal(struct target_names *names, char ret_file[NAMES_FILE_SIZE],
                               const char **ret_why);

/*
 * What is wrong with a user's file, a line for each of the first ten, as "LINE: what is wrong, and
 * what was expected", and how many there are. Returns 0; -errno: it cannot be read; -ENOMEM.
 */
struct text;
int names_file_check(const char *path, struct text *ret_errors, size_t *ret_n_errors);
