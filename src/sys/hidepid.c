/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The mount is found by its number. procfs may be mounted in several places, each with its own
 * options, and a later mount may lie over the one that we have open.
 */
#include "sys/hidepid.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/bpf/refusal.h"
#include "sys/small_file.h"

DEFINE_AUTO(file, FILE *, fclose)

/* proc(5): words since Linux 5.8, numbers before. */
static void take_hidepid(const char *value, struct hidepid *hidepid)
{
    hidepid->hides = strcmp(value, "0") != 0 && strcmp(value, "off") != 0;
    hidepid->from_group = strcmp(value, "4") == 0 || strcmp(value, "ptraceable") == 0;
}

static struct hidepid parse_options(char *options)
{
    struct hidepid hidepid = {0};
    char *rest = NULL;

    for (char *option = strtok_r(options, ",\n", &rest); option;
         option = strtok_r(NULL, ",\n", &rest)) {
        if (strncmp(option, "hidepid=", strlen("hidepid=")) == 0)
            take_hidepid(option + strlen("hidepid="), &hidepid);
        else if (strncmp(option, "gid=", strlen("gid=")) == 0)
            hidepid.group = (gid_t)strtoul(option + strlen("gid="), NULL, 10);
    }
    return hidepid;
}

/* "22 27 0:21 / /proc rw,relatime shared:5 - proc proc rw,hidepid=invisible"; no blank in a name */
bool hidepid_parse(const char *line, uint64_t mount, struct hidepid *ret_hidepid)
{
    static const char kind[] = " - proc ";
    const char *found = strstr(line, kind), *options;
    AUTO_FREE char *copy = NULL;
    char *end;

    if (strtoull(line, &end, 10) != mount || end == line || *end != ' ' || !found)
        return false;
    options = strchr(found + strlen(kind), ' ');
    copy = options ? strdup(options + 1) : NULL;
    if (!copy)
        return false;
    *ret_hidepid = parse_options(copy);
    return true;
}

/* The number of the mount, since Linux 5.8. False: not known. */
static bool read_mount_number(int fd, uint64_t *ret_mount)
{
    struct statx status;

    if (statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &status) < 0 ||
        !(status.stx_mask & STATX_MNT_ID))
        return false;
    *ret_mount = status.stx_mnt_id;
    return true;
}

struct hidepid hidepid_read(int procfs_fd)
{
    AUTO_CLOSE int fd = openat(procfs_fd, "self/mountinfo", O_RDONLY | O_CLOEXEC);
    AUTO(file) FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct hidepid hidepid = {0};
    AUTO_FREE char *line = NULL;
    size_t size = 0;
    uint64_t mount;

    if (!file)
        return hidepid;
    (void)TAKE_FD(fd); /* the file's */
    if (!read_mount_number(procfs_fd, &mount))
        return hidepid;
    while (getline(&line, &size, file) >= 0)
        if (hidepid_parse(line, mount, &hidepid))
            break;
    return hidepid;
}

static bool may_trace(int procfs_fd)
{
    char status[8192];

    return small_file_read(procfs_fd, "self/status", status, sizeof(status)) >= 0 &&
           bpf_refusal_has_capabilities(status, UINT64_C(1) << CAP_SYS_PTRACE);
}

bool hidepid_hides_from_us(int procfs_fd)
{
    const struct hidepid hidepid = hidepid_read(procfs_fd);

    if (!hidepid.hides || may_trace(procfs_fd))
        return false;
    return hidepid.from_group || !(getegid() == hidepid.group || group_member(hidepid.group));
}
