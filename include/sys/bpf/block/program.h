/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts the requests of block devices (src/sys/bpf/block/block.bpf.c): how
 * long each was with the device, how long it waited before, how large it was, and whether it
 * failed. It counts by who caused it, by operation and by device, in a table (sys/bpf/keyed.h).
 *
 * A request is what the kernel gives to a driver. Several reads or writes of a program may be
 * merged into one request, and a large one is split. It is counted when it is completed as a whole.
 * A device without requests has none here: device mapper, md, zram and the heads of NVMe multipath
 * hand on what they get, and the disks below them are counted. What is not for a disk, as commands
 * that administrate a controller, is not counted either. A write that flushes as well may be given
 * to the driver as several requests, and each of those is counted.
 *
 * Whose a request is: that of the cgroup that the kernel charges it to, where it does (cgroup v2
 * with the controller `io`, which knows who wrote what is written back later). Else that of the
 * task that put it in the queue of the device, and of its process if that is watched. What threads
 * of the kernel do of themselves belongs to the rest, and so do flushes of a device's cache, of
 * which one may be for many.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/refusal.h"

struct block_program;
struct switch_program;

/*
 * Loads the program and attaches it; it counts from then on. `of` says who is who, and may end
 * before it. The table has so many places, 330 bytes each, and beside it the program takes from
 * 160 KiB to 2.5 MiB, by the number of CPUs. What finds no place is counted to the rest. 0, or
 * -errno with the reason in *ret_refusal.
 */
int block_program_load(const struct switch_program *of, size_t entries,
                       struct block_program **ret_program, enum bpf_refusal *ret_refusal);
struct block_program *block_program_free(struct block_program *program);
DEFINE_AUTO(block_program, struct block_program *, block_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *block_program_table(const struct block_program *program);

/*
 * How many requests were not counted for whom they were, as far as that is known; it only grows.
 * They found no place in the table, and are the rest's, if that has one. Or the kernel did not tell
 * their end: since Linux 6.1 it does not if that comes by an interrupt just while another end is
 * being counted on the same CPU, and the kernel of one hoster hides it while a thread of PID 1
 * runs. That is noticed when the kernel uses the request's memory for another one.
 */
uint64_t block_program_lost(const struct block_program *program);
