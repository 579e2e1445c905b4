/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A process as /proc shows it. Each fact is read when it is first asked for, and is kept. Names are
 * chosen by strangers: they are bytes with anything in them.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/cleanup.h"

/* Facts of /proc/PID/stat (proc(5)). */
struct process_stat {
    char comm[64]; /* at most 15 bytes; more for kernel threads */
    char state;    /* R, S, D, Z, X … */
    pid_t parent;
    uint64_t start_ticks; /* since boot, in USER_HZ */
    uint64_t threads;     /* living threads, and the first one even if that has exited */
    bool kernel_thread;
    bool exiting; /* the first thread is about to exit, or has; others may go on for long */
};

/* text: the file, NUL-terminated. False: it has another form. comm ends at the last `)`. */
bool process_stat_parse(const char *text, struct process_stat *ret_stat);

/* Whether the process has ended: it is a zombie none of whose threads lives, or is being removed.
 */
bool process_stat_is_ended(const struct process_stat *stat);

/*
 * Whether nothing is left of the process but its end, which takes the kernel a moment: its state is
 * still that of a living one, and its record of the exit may have been written before. The kernel
 * opens no counter for it any more.
 */
bool process_stat_is_about_to_end(const struct process_stat *stat);

/* The start as a time of day. The same ticks give the same time, even if the clock is set. */
uint64_t process_start_realtime_ns(uint64_t start_ticks);

/*
 * Reads the comm of a process; it costs a third of process_open(). ret_comm: as in struct
 * process_stat. 0; -ESRCH as for process_open(); another -errno.
 */
int process_read_comm(int procfs_fd, pid_t pid, char ret_comm[64]);

/* Reads what process_uid() gives. 0; -ESRCH as for process_open(); another -errno. */
int process_read_uid(int procfs_fd, pid_t pid, uid_t *ret_uid);

/* The real user, who stays the same when he executes a program that is setuid. As above. */
int process_read_real_uid(int procfs_fd, pid_t pid, uid_t *ret_uid);

/*
 * The process that a thread belongs to: its own number, if it is the first thread of it. 0; -ESRCH
 * as for process_open(); another -errno.
 */
int process_read_leader(int procfs_fd, pid_t thread, pid_t *ret_leader);

/* Our own process number in the PID namespace of this procfs; 0: we are not in it. */
pid_t process_self(int procfs_fd);

/*
 * Whether this is a procfs of another PID namespace than ours, as the host's is in a container: to
 * system calls its numbers are other processes, or none.
 */
bool process_numbers_are_foreign(int procfs_fd);

/*
 * The number that a process has in the PID namespace of this procfs; pid: its number in ours. 0: it
 * has none there, or this is no procfs that shows us, too. The kernel tells it in the fdinfo of a
 * pidfd, by the namespace of the procfs that is asked (since Linux 5.4).
 */
pid_t process_number_in(int procfs_fd, pid_t pid);

struct process;

/*
 * Opens /proc/PID and reads its stat. 0; -ESRCH: there is no such process, or we may not see it
 * (hidepid of proc(5)); another -errno.
 */
int process_open(int procfs_fd, pid_t pid, struct process **ret_process);
struct process *process_close(struct process *process);
DEFINE_AUTO(process, struct process *, process_close)

pid_t process_pid(const struct process *process);
const struct process_stat *process_stat(const struct process *process);
uid_t process_uid(const struct process *process); /* owner of /proc/PID: the effective user */

/*
 * Reads the map of the process's user namespace (user_namespaces(7)), cut off at this size. 0;
 * -ESRCH; another -errno.
 */
#define PROCESS_UID_MAP_SIZE 256
int process_read_uid_map(const struct process *process, char ret_map[PROCESS_UID_MAP_SIZE]);

/*
 * The path of its cgroup in the hierarchy that counts cgroups: that of perf_event, where it is of
 * version 1, else version 2. 0; -ENOENT: it is in none; -EFBIG: it is longer than PATH_MAX; -ESRCH;
 * another -errno.
 */
#define PROCESS_CGROUP_SIZE 4096
int process_read_cgroup(const struct process *process, char ret_path[PROCESS_CGROUP_SIZE]);

/*
 * The executable: the target of /proc/PID/exe without " (deleted)", where we may read it
 * (CAP_SYS_PTRACE); else the first argument. Empty for kernel threads. The text belongs to the
 * process. 0, -ESRCH or -ENOMEM.
 */
int process_exe(struct process *process, const char **ret_exe);

/*
 * The arguments, joined by spaces, at most 4096 bytes; empty for kernel threads. The text belongs
 * to the process. 0, -ESRCH or -ENOMEM.
 */
int process_cmdline(struct process *process, const char **ret_cmdline);

/* The numbers of all processes that we may see; otherwise as process_threads(). */
int process_list(int procfs_fd, pid_t **ret_pids, size_t *ret_n);

/*
 * The numbers of a process's threads, ascending. The caller frees *ret_threads. 0, -ESRCH, -ENOMEM
 * or another -errno.
 */
int process_threads(int procfs_fd, pid_t pid, pid_t **ret_threads, size_t *ret_n);

/*
 * The living processes that a thread has started, or that the kernel gave to it when their parents
 * ended. Otherwise as process_threads(), but *ret_children may be NULL, and -ESRCH may also mean
 * that the kernel has no such file (CONFIG_PROC_CHILDREN).
 */
int process_thread_children(int procfs_fd, pid_t pid, pid_t thread, pid_t **ret_children,
                            size_t *ret_n);
