/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Landlock knows files by the directories that they are below, and seccomp knows calls by their
 * numbers. Both are for the calling thread and those that it makes. What is refused fails as what a
 * service manager's filter refuses does, and ends nothing: threads share their memory with those
 * that have more, so a wall bounds what a mistake can do.
 */
#include "sys/thread_walls.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/landlock.h>
#include <seccomp.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/reading_walls.h"

/* Of the first version of Landlock, and what later versions refuse too. */
#define READS       (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define WRITES_FILE ((uint64_t)LANDLOCK_ACCESS_FS_WRITE_FILE)
#define CHANGES                                                                                    \
    (WRITES_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |                \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |    \
     LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK | \
     LANDLOCK_ACCESS_FS_MAKE_SYM)
#define MOVES     (UINT64_C(1) << 13) /* LANDLOCK_ACCESS_FS_REFER, from version 2 on */
#define TRUNCATES (UINT64_C(1) << 14) /* LANDLOCK_ACCESS_FS_TRUNCATE, from version 3 on */

static _Atomic(const char *) procfs = "/proc";
static atomic_int landlock_error, seccomp_error;

/* What no thread of ours does. The kernel, or this architecture, may not have some of them. */
static const char *const never[] = {"execve",
                                    "execveat",
                                    "ptrace",
                                    "process_vm_readv",
                                    "process_vm_writev",
                                    "pidfd_getfd",
                                    "mount",
                                    "umount2",
                                    "move_mount",
                                    "open_tree",
                                    "fsopen",
                                    "fspick",
                                    "fsmount",
                                    "mount_setattr",
                                    "pivot_root",
                                    "chroot",
                                    "setns",
                                    "unshare",
                                    "init_module",
                                    "finit_module",
                                    "delete_module",
                                    "kexec_load",
                                    "kexec_file_load",
                                    "reboot",
                                    "swapon",
                                    "swapoff",
                                    "acct",
                                    "quotactl",
                                    "setuid",
                                    "setgid",
                                    "setreuid",
                                    "setregid",
                                    "setresuid",
                                    "setresgid",
                                    "setfsuid",
                                    "setfsgid",
                                    "setgroups",
                                    "settimeofday",
                                    "clock_settime",
                                    "clock_adjtime",
                                    "adjtimex",
                                    "sethostname",
                                    "setdomainname",
                                    "mknod",
                                    "mknodat",
                                    "iopl",
                                    "ioperm",
                                    "syslog",
                                    "userfaultfd",
                                    "io_uring_setup",
                                    "keyctl",
                                    "add_key",
                                    "request_key",
                                    "open_by_handle_at"};

/* What only threads do that count, and what only a name service does. */
static const char *const counting[] = {"perf_event_open", "bpf"};
static const char *const connecting[] = {"socket", "connect", "bind", "listen"};

void thread_walls_set_procfs(const char *path)
{
    atomic_store(&procfs, path);
}

static int refuse(scmp_filter_ctx filter, const char *const *names, size_t n)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++) {
        const int number = seccomp_syscall_resolve_name(names[i]);

        if (number >= 0)
            r = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), number, 0);
    }
    return r;
}

static int refuse_calls(enum thread_rights rights)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int r = filter ? refuse(filter, never, ARRAY_SIZE(never)) : -ENOMEM;

    /* nothing foreign is executed, so no thread is to be slower where CPUs leak what they guess */
    if (r == 0)
        (void)seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
    if (r == 0 && rights != THREAD_HAS_ALL)
        r = refuse(filter, counting, ARRAY_SIZE(counting));
    if (r == 0 && rights != THREAD_ASKS_FOR_NAMES)
        r = refuse(filter, connecting, ARRAY_SIZE(connecting));
    if (r == 0)
        r = seccomp_load(filter);
    if (filter)
        seccomp_release(filter);
    return r;
}

/* A set of all that Landlock is to refuse; below a directory some of it is allowed. -errno: it is
 * not to be had. */
static int new_ruleset(uint64_t accesses)
{
    const struct landlock_ruleset_attr attributes = {.handled_access_fs = accesses};
    const long fd = syscall(SYS_landlock_create_ruleset, &attributes, sizeof(attributes), 0);

    return fd < 0 ? -errno : (int)fd;
}

/* Returns also 0 for a pipe or a socket, to which there is no path that could be refused. */
static int allow(int ruleset, const char *path, uint64_t accesses)
{
    AUTO_CLOSE int fd = open(path, O_PATH | O_CLOEXEC);
    const struct landlock_path_beneath_attr attributes = {.allowed_access = accesses,
                                                          .parent_fd = fd};

    if (fd < 0)
        return -errno;
    if (syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attributes, 0) < 0)
        return errno == EBADFD ? 0 : -errno;
    return 0;
}

/* Below a directory that may be made anew, so the one around it has to be meant. */
static int allow_around(int ruleset, const char *directory, uint64_t accesses)
{
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s/..", directory);

    if (n < 0 || (size_t)n >= sizeof(path))
        return -ENAMETOOLONG;
    return allow(ruleset, path, accesses);
}

static int add_rules(int ruleset, enum thread_rights rights, const char *directory,
                     uint64_t accesses)
{
    /* the log opens its pipe or terminal once more (log/standard_streams.c) */
    int r = allow(ruleset, "/proc/self/fd/2", WRITES_FILE);

    if (r == 0 && rights == THREAD_HAS_NONE && (accesses & READS)) {
        r = allow(ruleset, "/proc", READS);
        if (r == 0)
            r = allow(ruleset, atomic_load(&procfs), READS);
    }
    if (r == 0 && directory)
        r = allow_around(ruleset, directory, accesses);
    return r;
}

static int refuse_files(enum thread_rights rights, const char *directory)
{
    const long version =
        syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    uint64_t accesses = CHANGES | (version >= 2 ? MOVES : 0) | (version >= 3 ? TRUNCATES : 0);
    AUTO_CLOSE int ruleset = -1;
    int r;

    if (version < 0)
        return -errno;
    if (rights == THREAD_HAS_NONE && reading_is_walled)
        accesses |= READS;
    ruleset = new_ruleset(accesses);
    if (ruleset < 0)
        return ruleset;
    r = add_rules(ruleset, rights, directory, accesses);
    if (r == 0 && syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
        r = -errno;
    return r;
}

void thread_walls_raise(enum thread_rights rights, const char *directory)
{
    int r;

    /* both ask for it, and no thread of ours executes anything */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return;
    if (rights != THREAD_HAS_ALL) {
        r = refuse_files(rights, directory);
        if (r < 0)
            atomic_store(&landlock_error, -r);
    }
    r = refuse_calls(rights);
    if (r < 0)
        atomic_store(&seccomp_error, -r);
}

int thread_walls_landlock_error(void)
{
    return atomic_load(&landlock_error);
}

int thread_walls_seccomp_error(void)
{
    return atomic_load(&seccomp_error);
}
