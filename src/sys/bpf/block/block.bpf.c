/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Counts requests of block devices when they are completed, by who caused them, operation and disk
 * (sys/bpf/block/program.h says what that is).
 *
 * A request passes three tracepoints. block_rq_insert, when it is put into a queue of the kernel:
 * only where there is an I/O scheduler, or the device is busy. block_rq_issue, when it is given to
 * the driver. block_rq_complete, when it is completed or a part of it is: by an interrupt on any
 * CPU, so that who runs there has nothing to do with it. So whose it is has been noted before
 * (stamp.bpf.h). Its slot may have been given to another target in the meantime, and so the id of
 * the cgroup and the number of the process are noted as well.
 */
#include "sys/bpf/block/stamp.bpf.h"

#include <bpf/bpf_tracing.h>

SEC("tp_btf/block_rq_insert")
int BPF_PROG(on_insert, struct request *request)
{
    (void)stamp_of(request);
    return 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(on_issue, struct request *request)
{
    struct stamp *stamp = stamp_of(request);

    if (stamp)
        stamp->issued_ns = bpf_ktime_get_ns();
    return 0;
}

/* What is added to the cell of a slot, and to that of a watched process. */
struct completion {
    __u64 device;
    __u32 operation;
    __u32 bytes;
    bool failed;
    bool is_whole;    /* else a part was completed, and nothing is known of durations */
    bool has_latency; /* it is known when it was given to the device */
    bool has_queued;  /* and when it had begun */
    __u64 latency_ns, queued_ns;
    __u32 latency_bucket, queued_bucket;
};

static __always_inline void count_whole(struct keyed_cell *cell,
                                        const struct completion *completion)
{
    keyed_add(cell, BLOCK_REQUESTS, 1);
    if (completion->has_latency)
        keyed_note(cell, BLOCK_LATENCY, completion->latency_bucket, completion->latency_ns);
    else
        keyed_add(cell, BLOCK_UNKNOWN, 1);
    if (completion->has_queued)
        keyed_note(cell, BLOCK_QUEUED, completion->queued_bucket, completion->queued_ns);
}

/* otherwise: as for keyed_cell_of(). */
static __noinline void count(__u32 slot, __u32 otherwise, const struct completion *completion)
{
    struct keyed_cell *cell =
        keyed_cell_of(slot, otherwise, completion->operation, completion->device);

    if (!cell)
        return;
    if (completion->bytes)
        keyed_add(cell, BLOCK_BYTES, completion->bytes);
    if (completion->failed)
        keyed_add(cell, BLOCK_ERRORS, 1);
    if (completion->is_whole)
        count_whole(cell, completion);
}

static __always_inline void note_durations(struct completion *completion, const struct stamp *stamp,
                                           __u64 now)
{
    const __u64 issued = stamp->issued_ns, begun = stamp->begun_ns;

    completion->has_latency = true;
    completion->latency_ns = now > issued ? now - issued : 0;
    completion->latency_bucket = (__u32)keyed_bucket(completion->latency_ns, BLOCK_FIRST_EXPONENT);
    if (begun == 0)
        return;
    completion->has_queued = true;
    completion->queued_ns = issued > begun ? issued - begun : 0;
    completion->queued_bucket = (__u32)keyed_bucket(completion->queued_ns, BLOCK_FIRST_EXPONENT);
}

/* The cgroup's slot of a request of which nothing is remembered. */
static __always_inline __u32 slot_of_unknown(const struct request *request)
{
    struct cgroup *cgroup = charged_cgroup(request, is_v1);

    return cgroup ? nearest_slot(cgroup) : SWITCH_SLOT_REST;
}

/*
 * A request, or a part of it, is completed. A write that flushes as well may be split into a flush
 * and a write without one, which have been given to the device for it, and ends once more when both
 * have: without bytes, and never given to the device. That is not another request.
 */
static __always_inline void complete(struct request *request, int error, unsigned int bytes)
{
    const struct gendisk *disk = disk_of(request);
    struct stamp *stamp = find_stamp(number_of(request));
    struct completion completion = {.bytes = bytes, .failed = error != 0};
    __u32 slot, watched_slot = SWITCH_SLOT_NONE;

    if (!disk)
        return;
    completion.device = device_of(disk);
    completion.operation = operation_of(request);
    completion.is_whole = bytes >= request->__data_len;
    if (stamp && !is_same(stamp, request))
        stamp = NULL;
    if (stamp && stamp->issued_ns)
        note_durations(&completion, stamp, bpf_ktime_get_ns());
    else if (bytes == 0 && completion.operation == BLOCK_WRITE)
        return;
    if (stamp) {
        slot = slot_of_stamp(stamp);
        watched_slot = slot_of_watched(stamp->process);
        stamp->is_on_way = !completion.is_whole;
    } else {
        slot = slot_of_unknown(request);
    }
    count(slot, SWITCH_SLOT_REST, &completion);
    if (watched_slot != SWITCH_SLOT_NONE)
        count(watched_slot, SWITCH_SLOT_NONE, &completion);
}

/* Whether on_complete() counts on this CPU now. */
struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __type(key, __u32);
    __type(value, __u32);
    __uint(max_entries, 1);
} counting SEC(".maps");

static __always_inline volatile __u32 *counting_here(void)
{
    const __u32 zero = 0;

    return bpf_map_lookup_elem(&counting, &zero);
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete, struct request *request, int error, unsigned int bytes)
{
    volatile __u32 *is_counting = counting_here();

    if (!is_counting)
        return 0;
    *is_counting = 1;
    complete(request, error, bytes);
    *is_counting = 0;
    return 0;
}

/*
 * The kernel calls no program while it is in the same program on this CPU. When a CPU goes, another
 * one completes what was left there outside of interrupts (blk_softirq_cpu_dead()), and may be
 * interrupted by completions of its own: on_complete() would miss them. This program is called
 * after it, or in its place.
 */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(on_complete_missed, struct request *request, int error, unsigned int bytes)
{
    const volatile __u32 *is_counting = counting_here();

    if (is_counting && *is_counting)
        complete(request, error, bytes);
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
