/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* What the kernel knows of a request: what it does, for which disk, and for whom. */

#include <linux/types.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>

#include "sys/bpf/block/counts.h"
#include "sys/bpf/kernel_types.bpf.h"

struct gendisk {
    int major;
    int first_minor;
} KERNEL_TYPE;

struct request_queue {
    struct gendisk *disk; /* since Linux 5.17; NULL: it is not a disk's */
} KERNEL_TYPE;

struct blkcg {
    struct cgroup_subsys_state css;
} KERNEL_TYPE;

struct blkcg_gq {
    struct blkcg *blkcg;
} KERNEL_TYPE;

struct bio {
    struct blkcg_gq *bi_blkg; /* only with CONFIG_BLK_CGROUP */
} KERNEL_TYPE;

struct request {
    struct request_queue *q;
    unsigned int cmd_flags;
    unsigned int rq_flags;
    unsigned int __data_len; /* what is still to be done of it */
    struct bio *bio;
    __u64 start_time_ns; /* CLOCK_MONOTONIC; see has_start() */
} KERNEL_TYPE;

struct request___earlier {
    struct gendisk *rq_disk;
} KERNEL_TYPE;

/* The operations in cmd_flags. The first ones have always had these numbers. */
#define REQ_OP_MASK         0xff
#define REQ_OP_READ         0
#define REQ_OP_WRITE        1
#define REQ_OP_FLUSH        2
#define REQ_OP_DISCARD      3
#define REQ_OP_SECURE_ERASE 5

/* Appending to a zone is a write, whose number has changed with Linux 6.8. Before 6.0 the type had
 * another name. */
enum req_op { REQ_OP_ZONE_APPEND = 7 };
enum req_opf { REQ_OP_ZONE_APPEND___earlier = 13 };

/* The flag of a request whose queue has `iostats`; before Linux 6.11 it was a macro. */
enum rqf_flags { __RQF_IO_STAT = 13 };

/* Tasks that are threads of the kernel. */
#define PF_KTHREAD 0x00200000

static __always_inline bool appends_to_zone(__u32 operation)
{
    if (bpf_core_enum_value_exists(enum req_op, REQ_OP_ZONE_APPEND))
        return operation == bpf_core_enum_value(enum req_op, REQ_OP_ZONE_APPEND);
    if (bpf_core_enum_value_exists(enum req_opf, REQ_OP_ZONE_APPEND___earlier))
        return operation == bpf_core_enum_value(enum req_opf, REQ_OP_ZONE_APPEND___earlier);
    return false;
}

static __always_inline enum block_operation operation_of(const struct request *request)
{
    const __u32 operation = request->cmd_flags & REQ_OP_MASK;

    switch (operation) {
    case REQ_OP_READ:
        return BLOCK_READ;
    case REQ_OP_WRITE:
        return BLOCK_WRITE;
    case REQ_OP_FLUSH:
        return BLOCK_FLUSH;
    case REQ_OP_DISCARD:
    case REQ_OP_SECURE_ERASE:
        return BLOCK_DISCARD;
    default:
        return appends_to_zone(operation) ? BLOCK_WRITE : BLOCK_OTHER;
    }
}

/*
 * Whether the kernel has stamped its beginning. Where `iostats` are off, newer kernels leave the
 * stamp of an earlier request there. A flush of the device's cache is always stamped.
 */
static __always_inline bool has_start(const struct request *request)
{
    __u32 flag = __RQF_IO_STAT;

    if (bpf_core_enum_value_exists(enum rqf_flags, __RQF_IO_STAT))
        flag = bpf_core_enum_value(enum rqf_flags, __RQF_IO_STAT);
    return request->rq_flags >> flag & 1 || (request->cmd_flags & REQ_OP_MASK) == REQ_OP_FLUSH;
}

/* The disk of the request; NULL: it is not for a disk. */
static __always_inline const struct gendisk *disk_of(const struct request *request)
{
    if (bpf_core_field_exists(struct request_queue, disk))
        return request->q->disk;
    return ((const struct request___earlier *)request)->rq_disk;
}

/* Its number as user space knows it (makedev(3)). */
static __always_inline __u64 device_of(const struct gendisk *disk)
{
    const __u64 major = (__u32)disk->major, minor = (__u32)disk->first_minor;

    return (minor & 0xff) | (major & 0xfff) << 8 | (minor & ~0xffull) << 12 |
           (major & ~0xfffull) << 32;
}

/*
 * The cgroup that the kernel charges the request to; NULL: it does not say, since the controller is
 * not enabled, so that all is the root's. With cgroup v1 it is one of another hierarchy than ours.
 */
static __always_inline struct cgroup *charged_cgroup(const struct request *request, bool v1)
{
    struct cgroup *cgroup;

    if (v1 || !bpf_core_field_exists(struct bio, bi_blkg))
        return NULL;
    cgroup = request->bio->bi_blkg->blkcg->css.cgroup;
    if (!cgroup || cgroup->root->hierarchy_id != 0 || !cgroup->self.parent)
        return NULL;
    return cgroup;
}
