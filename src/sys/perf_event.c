/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

static int kernel_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                       int group_fd, unsigned long flags)
{
    long fd;

    (void)context;
    do
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : (int)fd;
}

static ssize_t kernel_read(void *context, int fd, void *buffer, size_t size)
{
    ssize_t n;

    (void)context;
    do
        n = read(fd, buffer, size);
    while (n < 0 && errno == EINTR);
    return n < 0 ? -errno : n;
}

static int kernel_ioctl(void *context, int fd, unsigned long request, unsigned long argument)
{
    int r;

    (void)context;
    do
        r = ioctl(fd, request, argument);
    while (r < 0 && errno == EINTR);
    return r < 0 ? -errno : r;
}

static void kernel_close(void *context, int fd)
{
    (void)context;
    (void)close(fd); /* Linux frees the descriptor whatever close() returns */
}

const struct perf_ops perf_ops_kernel = {
    .open = kernel_open,
    .read = kernel_read,
    .ioctl = kernel_ioctl,
    .close = kernel_close,
};

bool cgroup_is_removed(int directory_fd)
{
    return faccessat(directory_fd, "cgroup.procs", F_OK, 0) < 0 &&
           (errno == ENOENT || errno == ENODEV);
}

/* Large enough for every CPU that a kernel can be built for; glibc's cpu_set_t stops at 1024. */
#define MOST_CPUS 8192

struct thread_cpus {
    unsigned char bits[MOST_CPUS / 8];
};

int thread_move_to_cpu(struct cpu_number cpu)
{
    struct thread_cpus wanted = {0};

    if (cpu.value < 0 || cpu.value >= MOST_CPUS)
        return -EINVAL;
    CPU_SET_S((size_t)cpu.value, sizeof(wanted.bits), (cpu_set_t *)(void *)wanted.bits);
    if (sched_setaffinity(0, sizeof(wanted.bits), (cpu_set_t *)(void *)wanted.bits) < 0)
        return -errno;
    return 0;
}

struct thread_cpus *thread_cpus_save(void)
{
    struct thread_cpus *cpus = calloc(1, sizeof(*cpus));

    if (cpus && sched_getaffinity(0, sizeof(cpus->bits), (cpu_set_t *)(void *)cpus->bits) < 0) {
        free(cpus);
        return NULL;
    }
    return cpus;
}

struct thread_cpus *thread_cpus_restore(struct thread_cpus *cpus)
{
    if (cpus)
        (void)sched_setaffinity(0, sizeof(cpus->bits), (cpu_set_t *)(void *)cpus->bits);
    free(cpus);
    return NULL;
}
