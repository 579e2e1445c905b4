/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/sampling_ops.h"

#include <linux/perf_event.h>
#include <stdbool.h>

/* Clocks go on while a CPU idles, where nothing is to be seen. */
static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

static int open_sampling(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                         int group_fd, unsigned long flags)
{
    const struct sampling_ops *sampling = context;
    struct perf_event_attr sampled = *attr;
    int fd, r;

    sampled.freq = 1;
    sampled.sample_freq = sampling->rate_hz;
    if (is_clock(attr))
        sampled.exclude_idle = 1;
    fd = perf_ops_kernel.open(NULL, &sampled, pid, cpu, group_fd, flags);
    if (fd < 0)
        return fd;
    r = perf_ops_kernel.ioctl(NULL, fd, PERF_EVENT_IOC_SET_BPF,
                              (unsigned long)sampling->program_fd);
    if (r < 0) {
        perf_ops_kernel.close(NULL, fd);
        return r;
    }
    return fd;
}

void sampling_ops_init(struct sampling_ops *sampling, int program_fd, unsigned rate_hz)
{
    *sampling =
        (struct sampling_ops){.ops = perf_ops_kernel, .program_fd = program_fd, .rate_hz = rate_hz};
    sampling->ops.open = open_sampling;
    sampling->ops.context = sampling; /* which the kernel's own operations have no use for */
}
