/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How a thread begins, and what it waits for. */

#include <pthread.h>

/*
 * What a thread may do of what the process may: capabilities (sys/privileges.h), and, where the
 * kernel has Landlock and seccomp, files and system calls. No thread starts a program, traces,
 * mounts, changes its user, loads modules or makes a socket; only one that counts opens perf events
 * and calls bpf(2). Threads that it makes have no more.
 */
enum thread_rights {
    THREAD_HAS_NONE,       /* no capability, and no file but procfs, to read */
    THREAD_ASKS_FOR_NAMES, /* no capability; it reads files and connects, as modules of libc do */
    THREAD_HAS_FILES,      /* capabilities for files of others, which it reads */
    THREAD_HAS_ALL,        /* it counts, and opens what it finds */
};

/*
 * Starts a thread that blocks all signals, which are for the main thread, and that ps and perf show
 * by its name, which is static and of 15 bytes at most, as soon as it has given up what it is to.
 * It begins with the rights of the caller; before its work it gives up those that it is not to
 * have, and keeps them where a filter of system calls forbids that. The caller joins or detaches
 * it. 0 or -errno: -EAGAIN, -ENOMEM.
 */
int thread_start(const char *name, enum thread_rights rights, void *(*work)(void *context),
                 void *context, pthread_t *ret_thread);

/*
 * The same with THREAD_HAS_FILES, for one that also writes: below this directory, and into the one
 * around it, where it may make the directory anew. NULL: none.
 */
int thread_start_to_write(const char *name, const char *directory, void *(*work)(void *context),
                          void *context, pthread_t *ret_thread);

/*
 * Where procfs is, if not at /proc; to be called before there are threads. The path is kept. And
 * what the kernel has said to the walls of threads that have begun: 0, or the errno of the last
 * refusal, with which threads do without.
 */
void thread_walls_set_procfs(const char *path);
int thread_walls_landlock_error(void);
int thread_walls_seccomp_error(void);

/* Makes a condition for which pthread_cond_timedwait() takes times of CLOCK_MONOTONIC. */
void thread_condition_init(pthread_cond_t *condition);
