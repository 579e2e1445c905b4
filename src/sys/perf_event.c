/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/perf_event.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/descriptors.h"
#include "sys/late_close.h"

static int kernel_open(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                       int group_fd, unsigned long flags)
{
    long fd;

    (void)context;
    do
        fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
    while (fd < 0 && errno == EINTR);
    return descriptor_lift(fd < 0 ? -errno : (int)fd);
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
    late_close(fd);
}

static void kernel_mark_slow(void *context, int fd, enum late_close_kind kind)
{
    (void)context;
    late_close_mark(fd, kind);
}

const struct perf_ops perf_ops_kernel = {
    .open = kernel_open,
    .read = kernel_read,
    .ioctl = kernel_ioctl,
    .close = kernel_close,
    .mark_slow = kernel_mark_slow,
};
