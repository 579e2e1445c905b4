/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Tells which of many processes have ended, all their threads, with one system
 * call however many are watched (pidfd_open(2), since Linux 5.3).
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
 * Watches the process by a descriptor that exit_watch_remove() takes back. 0; -ESRCH; -ENOSYS,
 * -EMFILE and the like where it cannot be watched.
 */
int exit_watch_add(struct exit_watch *watch, pid_t pid, void *owner, int *ret_fd);

/* Ends the watch and closes the descriptor; -1 is ignored. Returns -1. */
int exit_watch_remove(struct exit_watch *watch, int fd);

/* The owner of one that has ended, NULL where there is none. Tells it again until it is removed. */
void *exit_watch_next(struct exit_watch *watch);

/* Whether the process of the descriptor has ended. */
bool exit_watch_has_ended(int fd);
