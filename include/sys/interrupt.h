/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names of softirqs and of interrupts. */

#include <stddef.h>
#include <stdint.h>

/* The name of a softirq by its vector, as in /proc/softirqs ("NET_RX"); NULL: it is not known. */
const char *softirq_name(uint32_t vector);

/*
 * The names of the devices that handle an interrupt, as in /proc/interrupts, with a comma between
 * them where several share it: "virtio0-input.0". It asks sysfs, whose root is sysfs_fd. 0;
 * -ENOENT: there is no such interrupt (any more); -ENODATA: nobody handles it; -EFBIG: it does not
 * fit with its NUL; -errno.
 */
int interrupt_devices(int sysfs_fd, uint32_t irq, char *ret_names, size_t size);
