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

#include "sys/bpf/block/counts.h"
#include "sys/bpf/keyed_program.h"

/*
 * Loads the program. The table takes a place for each device, operation and slot; beside it the
 * program takes from 160 KiB to 2.5 MiB, by the number of CPUs.
 *
 * Lost is a request that was not counted for whom it was. It found no place in the table, and is
 * the rest's, if that has one. Or the kernel did not tell its end, as the kernel of one hoster
 * hides it while a thread of PID 1 runs. That is noticed when the kernel uses the request's memory
 * for another one.
 */
keyed_program_load block_program_load;
