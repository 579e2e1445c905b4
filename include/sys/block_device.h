/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of block devices, by sysfs, and of what requests do. */

#include <stdbool.h>
#include <stdint.h>

/* Longer than the kernel allows (DISK_NAME_LEN), with the NUL. */
#define BLOCK_DEVICE_NAME_SIZE 64

/*
 * Reads the name of a block device by its number (makedev(3)): "vda", "nvme0n1", "cciss/c0d0", as
 * it is called in /dev and in /proc/diskstats. If there is no such device any more, the name is its
 * number, "259:3". A name may hold any bytes but NUL. sysfs_fd: the root of sysfs. Whether there is
 * such a device.
 */
bool block_device_read_name(int sysfs_fd, uint64_t device, char ret_name[BLOCK_DEVICE_NAME_SIZE]);

/* "read", "write", "discard", "flush"; "other": that, or a number that is none of enum
 * block_operation. Static. */
const char *block_operation_name(uint32_t operation);
