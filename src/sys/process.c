/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Everything is read below one descriptor of /proc/PID, which belongs to the process and not to its
 * number. When the process has ended, reading fails; it never gives facts of another process that
 * got the same number.
 */
#include "sys/process.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "sys/process_error.h"
#include "sys/small_file.h"

#define STAT_SIZE    2048        /* 52 numbers of up to 20 digits, and comm */
#define STATUS_SIZE  16384       /* with lists of 8192 CPUs and of 64 groups */
#define CGROUPS_SIZE (16 * 1024) /* a line for each hierarchy */
#define CMDLINE_MAX  4096
#define DELETED_MARK " (deleted)" /* proc(5) */

struct process {
    int fd; /* of /proc/PID */
    pid_t pid;
    uid_t uid;
    struct process_stat stat;
    char *exe;
    char *arguments; /* joined by spaces; NULL: not read yet */
    size_t first;    /* length of the first argument */
};

uint64_t process_start_realtime_ns(uint64_t start_ticks)
{
    static _Atomic uint64_t known; /* kept, so that nobody who sets the clock moves it */
    uint64_t boot = atomic_load(&known);

    if (boot == 0) {
        struct timespec since = {0};

        (void)clock_gettime(CLOCK_BOOTTIME, &since); /* cannot fail: Linux has it */
        boot =
            clock_realtime_ns() - (uint64_t)since.tv_sec * NS_PER_SECOND - (uint64_t)since.tv_nsec;
        atomic_store(&known, boot);
    }
    return boot + start_ticks * (NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

int process_read_comm(int procfs_fd, pid_t pid, char ret_comm[64])
{
    char path[PROCESS_PATH_SIZE], text[66]; /* 63 bytes, a newline and NUL */
    size_t length;
    int r;

    (void)snprintf(path, sizeof(path), "%d/comm", pid);
    r = small_file_read(procfs_fd, path, text, sizeof(text));
    if (r < 0)
        return process_error(r);
    length = strlen(text);
    length -= length > 0 && text[length - 1] == '\n';
    if (length >= 64)
        return -EINVAL;
    memcpy(ret_comm, text, length);
    ret_comm[length] = '\0';
    return 0;
}

int process_read_uid(int procfs_fd, pid_t pid, uid_t *ret_uid)
{
    char path[PROCESS_PATH_SIZE];
    struct stat status;

    (void)snprintf(path, sizeof(path), "%d", pid);
    if (fstatat(procfs_fd, path, &status, AT_SYMLINK_NOFOLLOW) < 0)
        return process_error(-errno);
    *ret_uid = status.st_uid;
    return 0;
}

/* The number behind a word of /proc/PID/status, which begins with the end of the line before. */
static int read_status(int procfs_fd, pid_t pid, const char *word, unsigned long *ret_number)
{
    char path[PROCESS_PATH_SIZE], text[STATUS_SIZE];
    const char *line;
    int r;

    (void)snprintf(path, sizeof(path), "%d/status", pid);
    r = small_file_read(procfs_fd, path, text, sizeof(text));
    if (r < 0)
        return process_error(r);
    line = strstr(text, word);
    if (!line)
        return -EINVAL;
    *ret_number = strtoul(line + strlen(word), NULL, 10);
    return 0;
}

int process_read_leader(int procfs_fd, pid_t thread, pid_t *ret_leader)
{
    unsigned long number;
    int r = read_status(procfs_fd, thread, "\nTgid:", &number);

    if (r == 0)
        *ret_leader = (pid_t)number;
    return r;
}

int process_read_real_uid(int procfs_fd, pid_t pid, uid_t *ret_uid)
{
    unsigned long number;
    int r = read_status(procfs_fd, pid, "\nUid:", &number);

    if (r == 0)
        *ret_uid = (uid_t)number;
    return r;
}

/* Whether a list of controllers, which ends with a colon, has this one. */
static bool has_controller(const char *list, const char *controller)
{
    const size_t n = strlen(controller);

    for (;;) {
        const size_t length = strcspn(list, ",:");

        if (length == n && memcmp(list, controller, n) == 0)
            return true;
        if (list[length] != ',')
            return false;
        list += length + 1;
    }
}

/* Finds the path in lines such as "4:perf_event:/a" and "0::/a" (cgroups(7)). NULL: none. */
static const char *find_cgroup(const char *text)
{
    const char *found = NULL;

    for (const char *line = text; line && *line; line = strchr(line, '\n')) {
        const char *list, *path;

        line += *line == '\n';
        list = strchr(line, ':');
        path = list ? strchr(list + 1, ':') : NULL;
        if (!path || path[1] != '/')
            continue;
        if (has_controller(list + 1, "perf_event"))
            return path + 1;
        if (list[1] == ':')
            found = path + 1;
    }
    return found;
}

int process_read_cgroup(const struct process *process, char ret_path[PROCESS_CGROUP_SIZE])
{
    char text[CGROUPS_SIZE];
    const char *path;
    size_t n;
    int r = small_file_read(process->fd, "cgroup", text, sizeof(text));

    if (r < 0)
        return r == -EFBIG ? r : process_error(r);
    path = find_cgroup(text);
    if (!path)
        return -ENOENT;
    n = strcspn(path, "\n");
    if (n >= PROCESS_CGROUP_SIZE)
        return -EFBIG;
    memcpy(ret_path, path, n);
    ret_path[n] = '\0';
    return 0;
}

static int read_stat(struct process *process)
{
    struct stat status;
    char text[STAT_SIZE];
    int r = small_file_read(process->fd, "stat", text, sizeof(text));

    if (r < 0)
        return process_error(r);
    if (!process_stat_parse(text, &process->stat))
        return -EINVAL;
    if (fstat(process->fd, &status) < 0)
        return process_error(-errno);
    process->uid = status.st_uid;
    return 0;
}

int process_open(int procfs_fd, pid_t pid, struct process **ret_process)
{
    AUTO(process) struct process *process = calloc(1, sizeof(*process));
    char path[PROCESS_PATH_SIZE];
    int r;

    if (!process)
        return -ENOMEM;
    process->pid = pid;
    (void)snprintf(path, sizeof(path), "%d", pid);
    process->fd =
        (int)TEMP_FAILURE_RETRY(openat(procfs_fd, path, O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (process->fd < 0)
        return process_error(-errno);
    r = read_stat(process);
    if (r < 0)
        return r;
    *ret_process = TAKE(process);
    return 0;
}

struct process *process_close(struct process *process)
{
    if (process && process->fd >= 0)
        (void)close(process->fd);
    if (process) {
        free(process->exe);
        free(process->arguments);
    }
    free(process);
    return NULL;
}

pid_t process_pid(const struct process *process)
{
    return process->pid;
}

const struct process_stat *process_stat(const struct process *process)
{
    return &process->stat;
}

uid_t process_uid(const struct process *process)
{
    return process->uid;
}

int process_read_uid_map(const struct process *process, char ret_map[PROCESS_UID_MAP_SIZE])
{
    AUTO_CLOSE int fd =
        (int)TEMP_FAILURE_RETRY(openat(process->fd, "uid_map", O_RDONLY | O_CLOEXEC));
    ssize_t n = fd < 0 ? -1 : TEMP_FAILURE_RETRY(read(fd, ret_map, PROCESS_UID_MAP_SIZE - 1));

    if (n < 0)
        return process_error(-errno);
    ret_map[n] = '\0';
    return 0;
}

/* Reads the arguments. Returns how many bytes, or -errno. */
static ssize_t read_arguments(const struct process *process, char *ret_text)
{
    AUTO_CLOSE int fd =
        (int)TEMP_FAILURE_RETRY(openat(process->fd, "cmdline", O_RDONLY | O_CLOEXEC));
    size_t length = 0;

    if (fd < 0)
        return -errno;
    while (length < CMDLINE_MAX) {
        ssize_t n = TEMP_FAILURE_RETRY(read(fd, ret_text + length, CMDLINE_MAX - length));

        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        length += (size_t)n;
    }
    return (ssize_t)length;
}

/* Each argument ends with a NUL; titles that programs give themselves may end with many. */
static int join(struct process *process, const char *text, size_t length)
{
    char *arguments;

    while (length > 0 && text[length - 1] == '\0')
        length--;
    arguments = malloc(length + 1);
    if (!arguments)
        return -ENOMEM;
    memcpy(arguments, text, length);
    arguments[length] = '\0';
    process->first = strlen(arguments);
    for (size_t i = 0; i < length; i++)
        if (arguments[i] == '\0')
            arguments[i] = ' ';
    process->arguments = arguments;
    return 0;
}

static int need_arguments(struct process *process)
{
    char text[CMDLINE_MAX];
    ssize_t n = 0;

    if (process->arguments)
        return 0;
    if (!process->stat.kernel_thread)
        n = read_arguments(process, text);
    if (n == -EACCES || n == -EPERM)
        n = 0; /* a security module forbids it; everything else is known */
    return n < 0 ? process_error((int)n) : join(process, text, (size_t)n);
}

/* Reads the link to the executable. 1; 0: it cannot be read; -ENOMEM. */
static int read_link(const struct process *process, char **ret_exe)
{
    char path[PATH_MAX];
    ssize_t n = readlinkat(process->fd, "exe", path, sizeof(path));
    size_t mark = strlen(DELETED_MARK), length;

    if (n <= 0 || n == (ssize_t)sizeof(path))
        return 0;
    length = (size_t)n;
    if (length > mark && memcmp(path + length - mark, DELETED_MARK, mark) == 0)
        length -= mark;
    *ret_exe = strndup(path, length);
    return *ret_exe ? 1 : -ENOMEM;
}

int process_exe(struct process *process, const char **ret_exe)
{
    int r = 0;

    if (!process->exe && !process->stat.kernel_thread)
        r = read_link(process, &process->exe);
    if (r < 0)
        return r;
    if (!process->exe) {
        r = need_arguments(process);
        if (r < 0)
            return r;
        process->exe = strndup(process->arguments, process->first);
        if (!process->exe)
            return -ENOMEM;
    }
    *ret_exe = process->exe;
    return 0;
}

int process_cmdline(struct process *process, const char **ret_cmdline)
{
    int r = need_arguments(process);

    if (r < 0)
        return r;
    *ret_cmdline = process->arguments;
    return 0;
}

pid_t process_self(int procfs_fd)
{
    char number[32];
    ssize_t n = readlinkat(procfs_fd, "self", number, sizeof(number) - 1);

    if (n <= 0)
        return 0;
    number[n] = '\0';
    return (pid_t)strtol(number, NULL, 10);
}

bool process_numbers_are_foreign(int procfs_fd)
{
    const pid_t self = process_self(procfs_fd);
    struct statfs file_system;

    if (self == getpid())
        return false;
    return self > 0 ||
           (fstatfs(procfs_fd, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC);
}

pid_t process_number_in(int procfs_fd, pid_t pid)
{
    AUTO_CLOSE const int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    char path[PROCESS_PATH_SIZE], text[1024];
    const char *line;

    if (fd < 0)
        return 0;
    (void)snprintf(path, sizeof(path), "self/fdinfo/%d", fd);
    if (small_file_read(procfs_fd, path, text, sizeof(text)) < 0)
        return 0;
    line = strstr(text, "\nPid:\t");
    return line ? (pid_t)strtol(line + strlen("\nPid:\t"), NULL, 10) : 0;
}
