/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Why this is not done by libcgroup: a container's runtime may show whatever it likes as
 * /proc/cgroups, and where that is not what a kernel writes, libcgroup 2 ends the whole process
 * when it is initialized. So glibc reads the mounts (getmntent_r(3)), and the one number that is
 * wanted is parsed here.
 */
#include "sys/cgroup_mounts.h"

#include <errno.h>
#include <limits.h>
#include <mntent.h>
#include <stdint.h>
#include <string.h>

#include "base/parse.h"

bool cgroup_mount_next(FILE *mounts, const char *controller, char buffer[CGROUP_MOUNT_SIZE],
                       struct cgroup_mount *ret_mount)
{
    struct mntent entry;

    while (getmntent_r(mounts, &entry, buffer, CGROUP_MOUNT_SIZE)) {
        bool v2 = strcmp(entry.mnt_type, "cgroup2") == 0;
        bool v1 = strcmp(entry.mnt_type, "cgroup") == 0 && hasmntopt(&entry, controller);

        if ((!v1 && !v2) || entry.mnt_dir[0] != '/')
            continue;
        *ret_mount = (struct cgroup_mount){.path = entry.mnt_dir, .v2 = v2};
        return true;
    }
    return false;
}

/* Parses the number before a tabulator. */
static int parse_number(const char *text)
{
    char digits[16];
    size_t n = strcspn(text, "\t\n");
    uint64_t number;

    if (n >= sizeof(digits) || text[n] != '\t')
        return -EINVAL;
    memcpy(digits, text, n);
    digits[n] = '\0';
    return parse_u64(digits, &number) == 0 && number <= INT_MAX ? (int)number : -EINVAL;
}

/* "#subsys_name\thierarchy\tnum_cgroups\tenabled", and a line for each controller. */
int cgroup_parse_hierarchy(const char *text, const char *controller)
{
    size_t length = strlen(controller);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, controller, length) == 0 && line[length] == '\t')
            return parse_number(line + length + 1);
    }
    return -ENOENT;
}
