/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The allowlist has what libelf, libdw, libexpat, malloc and qsort call. Memory that can be
 * executed is not to be had, so that who takes over a worker has only the code that is there, and
 * few calls to make with it.
 */
#include "reader/reader_walls.h"

#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "reader/walls_additions.h"
#include "sys/small_file.h"

/* Where addresses in use cannot be read: what a service with many threads' stacks may have. */
#define MEMORY_UNKNOWN ((uint64_t)1 << 30)

static const int allowed[] = {
    SCMP_SYS(brk),        SCMP_SYS(clock_gettime), SCMP_SYS(close),        SCMP_SYS(exit),
    SCMP_SYS(exit_group), SCMP_SYS(fstat),         SCMP_SYS(lseek),        SCMP_SYS(madvise),
    SCMP_SYS(getrandom),  SCMP_SYS(mremap),        SCMP_SYS(munmap),       SCMP_SYS(pread64),
    SCMP_SYS(read),       SCMP_SYS(newfstatat),    SCMP_SYS(rt_sigreturn), SCMP_SYS(sysinfo),
    SCMP_SYS(write),
};

/* How many bytes of addresses this process has. */
static uint64_t read_addresses(void)
{
    char text[256] = "";
    uint64_t pages;

    if (small_file_read(AT_FDCWD, "/proc/self/statm", text, sizeof(text)) < 0)
        return MEMORY_UNKNOWN;
    pages = strtoull(text, NULL, 10);
    return pages > 0 ? pages * (uint64_t)sysconf(_SC_PAGESIZE) : MEMORY_UNKNOWN;
}

static int limit(int resource, uint64_t value)
{
    const struct rlimit wanted = {value, value};

    return setrlimit((__rlimit_resource_t)resource, &wanted) < 0 ? -errno : 0;
}

static int set_limits(const struct reader_limits *limits)
{
    /* the hard limit kills by a signal that does not tell why */
    const struct rlimit cpu = {limits->cpu_seconds, (rlim_t)limits->cpu_seconds + 1};
    int r = limit(RLIMIT_CORE, 0);

    if (r == 0 && setrlimit(RLIMIT_CPU, &cpu) < 0)
        r = -errno;
    if (r == 0)
        r = limit(RLIMIT_FSIZE, limits->output);
    if (r == 0 && walls_limit_addresses)
        r = limit(RLIMIT_AS, read_addresses() + limits->memory);
    if (r == 0)
        r = limit(RLIMIT_NPROC, 0);
    if (r == 0)
        r = limit(RLIMIT_NOFILE, walls_keep_errors ? 64 : 0);
    return r;
}

static int allow_all(scmp_filter_ctx filter, const int *calls, size_t n)
{
    int r = 0;

    for (size_t i = 0; r == 0 && i < n; i++)
        r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, calls[i], 0, NULL);
    return r;
}

/* Calls that are allowed by their arguments: no code is made, no descriptor changed. */
static int allow_by_argument(scmp_filter_ctx filter)
{
    const struct scmp_arg_cmp no_code = {2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0};
    const struct scmp_arg_cmp get_flags = {1, SCMP_CMP_EQ, F_GETFL, 0};
    const struct scmp_arg_cmp get_descriptor = {1, SCMP_CMP_EQ, F_GETFD, 0};
    int r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &no_code);

    if (r == 0)
        r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &no_code);
    if (r == 0)
        r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, &get_flags);
    if (r == 0)
        r = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1, &get_descriptor);
    return r;
}

/*
 * libdw asks where its file lies, to look for others beside it, and does without. A number below 0
 * stands for a call that this machine does not have, as AArch64 has no readlink.
 */
static int refuse_paths(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(readlink), SCMP_SYS(readlinkat)};
    int r = 0;

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(calls); i++)
        if (calls[i] >= 0)
            r = seccomp_rule_add_array(filter, SCMP_ACT_ERRNO(ENOENT), calls[i], 0, NULL);
    return r;
}

static int allow_calls(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int r;

    /* where it cannot be asked whether there is that action, there is the older one, which does the
     * same to the only thread */
    if (!filter)
        filter = seccomp_init(SCMP_ACT_KILL_THREAD);
    if (!filter)
        return -ENOMEM;
    r = allow_all(filter, allowed, ARRAY_SIZE(allowed));
    if (r == 0)
        r = allow_all(filter, wall_additions, n_wall_additions);
    if (r == 0)
        r = allow_by_argument(filter);
    if (r == 0)
        r = refuse_paths(filter);
    if (r == 0)
        r = seccomp_load(filter);
    seccomp_release(filter);
    return r;
}

int reader_walls_raise(const struct reader_limits *limits)
{
    const int r = set_limits(limits);

    return r == 0 ? allow_calls() : r;
}
