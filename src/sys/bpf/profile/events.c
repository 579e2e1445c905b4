/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The events that sample, one for each CPU. Each time a task has run for a period, the kernel calls
 * the program, which keeps the sample from the event's own ring. What stands there is which
 * mappings tasks have made: the same event tells of them (PERF_RECORD_MMAP2), executable ones only.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "base/clock.h"
#include "sys/bpf/profile/parts.h"
#include "sys/bpf/profile/period.h"
#include "sys/perf_event.h"

#include <profile.skel.h>

/* A build of many files maps 400 things in a second, in 130 bytes each; without CAP_IPC_LOCK the
 * kernel allows 516 KiB for each CPU. */
#define RING_BYTES ((size_t)64 * 1024)

/* With a path in it no record is longer. */
#define ROOM_FOR_A_RECORD 4400

/* The beginning of a record of a mapping, as the kernel writes it (perf_event_open(2)). */
struct mapping_record {
    struct perf_event_header header;
    uint32_t pid, tid;
    uint64_t address, length;
};

union record {
    struct mapping_record mapping;
    char bytes[ROOM_FOR_A_RECORD];
};

static struct perf_event_attr make_attributes(unsigned rate_hz)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof(struct perf_event_attr),
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_period = profile_period_ns(rate_hz),
        .sample_type = PERF_SAMPLE_TIME,
        .disabled = 1,
        .exclude_idle = 1,
        .mmap = 1,
        .mmap2 = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
    };
}

static int open_event(const struct profile_program *program, struct profile_event *event,
                      size_t cpu, unsigned rate_hz)
{
    struct perf_event_attr attr = make_attributes(rate_hz);
    int r = perf_ops_kernel.open(NULL, &attr, -1, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);

    if (r < 0)
        return r;
    event->fd = r;
    r = perf_ring_map(&event->ring, event->fd, RING_BYTES);
    if (r >= 0)
        r = perf_ops_kernel.ioctl(
            NULL, event->fd, PERF_EVENT_IOC_SET_BPF,
            (unsigned long)bpf_program__fd(program->skeleton->progs.on_sample));
    if (r >= 0)
        r = perf_ops_kernel.ioctl(NULL, event->fd, PERF_EVENT_IOC_ENABLE, 0);
    return r;
}

int profile_program_begin_cpu(struct profile_program *program, size_t cpu, unsigned rate_hz)
{
    int r;

    profile_program_end_cpu(program, cpu);
    r = open_event(program, &program->events[cpu], cpu, rate_hz);
    if (r < 0)
        profile_program_end_cpu(program, cpu);
    return r;
}

void profile_program_end_cpu(struct profile_program *program, size_t cpu)
{
    struct profile_event *event = &program->events[cpu];

    perf_ring_unmap(&event->ring);
    if (event->fd >= 0)
        (void)close(event->fd);
    event->fd = -1;
}

bool profile_program_samples_cpu(const struct profile_program *program, size_t cpu)
{
    return program->events[cpu].fd >= 0;
}

/* Reads on until a mapping, or a loss. False: the ring has neither. */
static bool next_of_ring(struct perf_ring *ring, struct profile_mapped *ret_mapped, bool *ret_lost)
{
    union record record;
    int length;

    if (perf_ring_begin(ring) > ring->size - ROOM_FOR_A_RECORD)
        *ret_lost = true; /* told only with the next record that finds room */
    while ((length = perf_ring_read(ring, &record, sizeof(record))) != 0) {
        const bool is_mapping =
            length > (int)sizeof(record.mapping) && record.mapping.header.type == PERF_RECORD_MMAP2;

        *ret_lost |= length < 0 || record.mapping.header.type == PERF_RECORD_LOST;
        if (!is_mapping || length > (int)sizeof(record) || record.mapping.pid == UINT32_MAX)
            continue;
        *ret_mapped =
            (struct profile_mapped){.pid = (pid_t)record.mapping.pid,
                                    .start = record.mapping.address,
                                    .end = record.mapping.address + record.mapping.length};
        memcpy(&ret_mapped->time_ns, record.bytes + length - sizeof(uint64_t), sizeof(uint64_t));
        return true;
    }
    return false;
}

bool profile_program_next_mapped(struct profile_program *program, struct profile_mapped *ret_mapped,
                                 bool *ret_lost)
{
    for (size_t i = 0; i < program->size.n_cpus; i++) {
        struct profile_event *event = &program->events[program->next_cpu];

        if (event->fd >= 0 && next_of_ring(&event->ring, ret_mapped, ret_lost))
            return true;
        program->next_cpu = (program->next_cpu + 1) % program->size.n_cpus;
    }
    return false;
}
