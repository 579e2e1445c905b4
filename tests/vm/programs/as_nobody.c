/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Runs a program as the user nobody, with no capability or with one.
 *
 *     as_nobody none|perfmon COMMAND [ARGUMENT...]
 */

#include <grp.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOBODY 65534

static int keep(unsigned capability)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {0};

    data[capability / 32].effective = data[capability / 32].permitted =
        data[capability / 32].inheritable = 1u << capability % 32;
    if (syscall(SYS_capset, &header, data) < 0)
        return -1;
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    if (prctl(PR_SET_KEEPCAPS, 1) < 0 || setgroups(0, NULL) < 0 ||
        setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0 ||
        (strcmp(argv[1], "perfmon") == 0 && keep(CAP_PERFMON) < 0)) {
        perror("as_nobody");
        return 1;
    }
    (void)execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 127;
}
