/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Finds out which of many processes have ended with all their threads. It takes one system call,
 * however many processes are watched (pidfd_open(2), since Linux 5.3).
 */

#include <stdbool.h>
#include <sys/types.h>

#include "base/cleanup.h"

struct exit_watch;

/* 0 or -errno. */
int exit_watch_new(struct exit_watch **ret_watch);
struct exit_watch *exit_watch_free(struct exit_watch *watch);
DEFINE_AUTO(exit_watch, struct exit_watch *, exit_watch_free)

/*
 * Watches a process, by a descriptor that exit_watch_remove() closes. 0; -ESRCH: it has ended
 * already; another -errno (-ENOSYS, -EMFILE): it cannot be watched.
 */
int exit_watch_add(struct exit_watch *watch, pid_t pid, void *owner, int *ret_fd);

/* Ends the watch and closes the descriptor; -1 is ignored. Returns -1. */
int exit_watch_remove(struct exit_watch *watch, int fd);

/*
 * The owner of a process that has ended; NULL: none has. The same one may be returned again until
 * it is removed.
 */
void *exit_watch_next(struct exit_watch *watch);

/* Whether the process of the descriptor has ended. */
bool exit_watch_has_ended(int fd);
