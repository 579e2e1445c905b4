/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * Requests to block devices that are on their way: who has caused them, and when they were given to
 * the device. Who is first to put a request into the queue has caused it, as in
 * sys/bpf/block/stamp.bpf.h; there it belongs to a slot, and here it has a name. Each request is
 * remembered, also one of others: else it would be taken for that of who gives it to the device.
 *
 * The hooks are called while interrupts may come, in which others are. So the memory of a CPU of
 * what belongs to the target is not used here, and nothing is taken from what it has to tell.
 */

#include "sys/bpf/block/request.bpf.h"
#include "sys/bpf/losses.bpf.h"
#include "sys/bpf/schedule/telling.bpf.h"

struct on_way {
    __u64 start_ns;  /* the request's start_time_ns: two of one address are told apart by it */
    __u64 begun_ns;  /* the same if it is true; 0: it is not known */
    __u64 issued_ns; /* 0: it has not been given to the device */
    __u32 bytes;     /* of its parts that are completed */
    __s32 error;     /* of one of them */
    __u64 is_ours;
    struct schedule_task by;
};

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u64); /* its address */
    __type(value, struct on_way);
    __uint(max_entries, 1);
} requests SEC(".maps");

__u64 began_ns; /* recording */

/* Whether the target has caused the request, which `task` puts into the queue. */
static __always_inline bool is_of_target(const struct request *request, struct task_struct *task)
{
    __u32 pid = (__u32)task->tgid;
    struct cgroup *cgroup;

    if (scope == SCHEDULE_OF_MACHINE)
        return true;
    if (scope == SCHEDULE_OF_PROCESSES)
        return bpf_map_lookup_elem(&processes, &pid);
    cgroup = charged_cgroup(request, is_v1);
    if (!cgroup && !(task->flags & PF_KTHREAD))
        cgroup = cgroup_of(task);
    return cgroup && is_below(cgroup);
}

/* What is remembered of it; from now on, if it was nothing. NULL: nothing can be. */
static __always_inline struct on_way *on_way_of(const struct request *request)
{
    struct task_struct *task = bpf_get_current_task_btf();
    __u64 key = (__u64)request;
    struct on_way *found = bpf_map_lookup_elem(&requests, &key);
    struct on_way way = {.start_ns = request->start_time_ns};

    if (found && found->start_ns == way.start_ns)
        return found;
    if (has_start(request))
        way.begun_ns = way.start_ns;
    if (way.begun_ns && way.begun_ns < began_ns)
        return NULL; /* somebody has put it into the queue before */
    way.is_ours = is_of_target(request, task);
    describe(task, &way.by);
    if (bpf_map_update_elem(&requests, &key, &way, BPF_ANY) < 0) {
        note_loss();
        return NULL;
    }
    return bpf_map_lookup_elem(&requests, &key);
}

static __always_inline void tell_request(const struct on_way *way, const struct request *request,
                                         const struct gendisk *disk)
{
    struct happening what = {.kind = SCHEDULE_REQUEST,
                             .flags = SCHEDULE_A_IS_OURS,
                             .state = (__u32)way->error,
                             .to = way->bytes};
    __u32 cpu;
    struct schedule_cpu *state = state_here(&cpu);
    struct schedule_record *record = state ? reserve(state, cpu, what) : NULL;

    if (!record)
        return;
    record->a = way->by;
    record->request = (struct schedule_request_part){.begun_ns = way->begun_ns,
                                                     .issued_ns = way->issued_ns,
                                                     .device = (__u32)device_of(disk),
                                                     .operation = operation_of(request)};
    bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/*
 * It is completed, or a part of it is. A write that is split into a flush and a write without one
 * ends once more, without bytes, and was never given to the device: that is not another request.
 */
static __always_inline void complete(const struct request *request, int error, __u32 bytes)
{
    __u64 key = (__u64)request;
    struct on_way *way = bpf_map_lookup_elem(&requests, &key);
    const struct gendisk *disk = disk_of(request);
    const bool is_whole = bytes >= request->__data_len;

    if (!way)
        return;
    if (way->start_ns == request->start_time_ns) {
        way->bytes += bytes;
        if (error)
            way->error = error;
        if (!is_whole)
            return;
        if (way->is_ours && disk && (way->issued_ns || way->bytes))
            tell_request(way, request, disk);
    }
    (void)bpf_map_delete_elem(&requests, &key);
}
