/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/sampling_ops.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel allows more (perf_event_max_sample_rate), unless somebody has told it otherwise. */
#define SOFTWARE_HZ 10000

/* Clocks go on while a CPU idles, where nothing is to be seen. */
static bool is_clock(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_SOFTWARE &&
           (attr->config == PERF_COUNT_SW_CPU_CLOCK || attr->config == PERF_COUNT_SW_TASK_CLOCK);
}

/* Half as fast, but not slower than this. */
static uint64_t slower(uint64_t hz, uint64_t least)
{
    return hz / 2 > least ? hz / 2 : least;
}

static int open_sampling(void *context, struct perf_event_attr *attr, pid_t pid, int cpu,
                         int group_fd, unsigned long flags)
{
    const struct sampling_ops *sampling = context;
    const bool is_software = attr->type == PERF_TYPE_SOFTWARE && !is_clock(attr);
    const int program_fd = is_software ? sampling->programs.software_fd : sampling->programs.fd;
    struct perf_event_attr sampled = *attr;
    int fd, r;

    sampled.freq = 1;
    sampled.exclude_idle |= is_clock(attr);
    sampled.sample_freq =
        is_software && sampling->rate_hz < SOFTWARE_HZ ? SOFTWARE_HZ : sampling->rate_hz;
    fd = perf_ops_kernel.open(NULL, &sampled, pid, cpu, group_fd, flags);
    while (fd == -EINVAL && sampled.sample_freq > sampling->rate_hz) { /* more than is allowed */
        sampled.sample_freq = slower(sampled.sample_freq, sampling->rate_hz);
        fd = perf_ops_kernel.open(NULL, &sampled, pid, cpu, group_fd, flags);
    }
    if (fd < 0)
        return fd;
    r = perf_ops_kernel.ioctl(NULL, fd, PERF_EVENT_IOC_SET_BPF, (unsigned long)program_fd);
    if (r < 0) {
        perf_ops_kernel.close(NULL, fd);
        return r;
    }
    return fd;
}

void sampling_ops_init(struct sampling_ops *sampling, const struct sampling_programs *programs,
                       unsigned rate_hz)
{
    *sampling =
        (struct sampling_ops){.ops = perf_ops_kernel, .programs = *programs, .rate_hz = rate_hz};
    sampling->ops.open = open_sampling;
    sampling->ops.context = sampling; /* which the kernel's own operations have no use for */
}
