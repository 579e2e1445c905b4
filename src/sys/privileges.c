/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The C library has no function for capabilities. The bounding set goes first, since changing it
 * takes a capability.
 */
#include "sys/privileges.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void drop_bounding_set(void)
{
    for (unsigned long capability = 0; capability < 64; capability++)
        (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

/* Keeps those of the first 32 capabilities that the thread has and the mask names. */
static int keep(uint32_t mask)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    if (mask && syscall(SYS_capget, &header, data) < 0)
        return -errno;
    data[0] = (struct __user_cap_data_struct){.effective = data[0].effective & mask,
                                              .permitted = data[0].permitted & mask};
    data[1] = (struct __user_cap_data_struct){0};
    return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

int privileges_keep_none(void)
{
    return keep(0);
}

int privileges_keep_files(void)
{
    return keep(UINT32_C(1) << CAP_CHOWN | UINT32_C(1) << CAP_DAC_OVERRIDE |
                UINT32_C(1) << CAP_DAC_READ_SEARCH | UINT32_C(1) << CAP_FOWNER);
}

int privileges_drop(void)
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    drop_bounding_set();
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : privileges_keep_none();
}

#define READING (UINT32_C(1) << CAP_DAC_READ_SEARCH | UINT32_C(1) << CAP_DAC_OVERRIDE)

bool privileges_set_reading_aside(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, data) < 0 || !(data[0].effective & READING))
        return false;
    data[0].effective &= ~READING;
    return syscall(SYS_capset, &header, data) == 0;
}

void privileges_take_reading_back(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

    if (syscall(SYS_capget, &header, data) < 0)
        return;
    data[0].effective |= data[0].permitted & READING;
    (void)syscall(SYS_capset, &header, data);
}
