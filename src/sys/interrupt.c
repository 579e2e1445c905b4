/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/interrupt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "sys/small_file.h"

/* In the order of the kernel's enum in linux/interrupt.h, which is part of its interface. */
static const char *const softirqs[] = {"HI",       "TIMER",   "NET_TX", "NET_RX",  "BLOCK",
                                       "IRQ_POLL", "TASKLET", "SCHED",  "HRTIMER", "RCU"};

const char *softirq_name(uint32_t vector)
{
    return vector < ARRAY_SIZE(softirqs) ? softirqs[vector] : NULL;
}

int interrupt_devices(int sysfs_fd, uint32_t irq, char *ret_names, size_t size)
{
    char path[48];
    int r;

    (void)snprintf(path, sizeof(path), "kernel/irq/%" PRIu32 "/actions", irq);
    r = small_file_read(sysfs_fd, path, ret_names, size);
    if (r < 0)
        return r;
    ret_names[strcspn(ret_names, "\n")] = '\0';
    return *ret_names ? 0 : -ENODATA;
}
