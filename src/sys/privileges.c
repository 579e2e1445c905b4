/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The C library has no function for capabilities. The bounding set goes first, since changing it
 * takes a capability that goes with root. Where root is root of a user namespace that has no
 * nobody, it stays root, and has no capabilities.
 */
#include "sys/privileges.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static void drop_bounding_set(void)
{
    for (unsigned long capability = 0; capability < 64; capability++)
        (void)prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

static int become_nobody(void)
{
    if (geteuid() != 0)
        return 0;
    if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 ||
        setresuid(NOBODY, NOBODY, NOBODY) < 0)
        return errno == EINVAL || errno == EPERM ? 0 : -errno;
    return 0;
}

static int drop_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};

    (void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &header, none) < 0 ? -errno : 0;
}

int privileges_drop(void)
{
    int r;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        return -errno;
    drop_bounding_set();
    r = become_nobody();
    if (r < 0)
        return r;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : drop_capabilities();
}
