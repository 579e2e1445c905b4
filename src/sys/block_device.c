/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/block_device.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sys/bpf/block/counts.h"

/* In sysfs a name has '!' where it has a slash in /dev: no file can be named so. */
static void restore_slashes(char *name)
{
    while ((name = strchr(name, '!')))
        *name = '/';
}

bool block_device_read_name(int sysfs_fd, uint64_t device, char ret_name[BLOCK_DEVICE_NAME_SIZE])
{
    char path[64], target[PATH_MAX];
    const char *name;
    ssize_t n;

    (void)snprintf(ret_name, BLOCK_DEVICE_NAME_SIZE, "%u:%u", major(device), minor(device));
    (void)snprintf(path, sizeof(path), "dev/block/%s", ret_name);
    n = readlinkat(sysfs_fd, path, target, sizeof(target) - 1);
    if (n < 0 || (size_t)n == sizeof(target) - 1)
        return false;
    target[n] = '\0';
    name = strrchr(target, '/');
    name = name ? name + 1 : target;
    if (*name == '\0' || strlen(name) >= BLOCK_DEVICE_NAME_SIZE)
        return false;
    memcpy(ret_name, name, strlen(name) + 1);
    restore_slashes(ret_name);
    return true;
}

const char *block_operation_name(uint32_t operation)
{
    static const char *const names[BLOCK_OPERATIONS] = {
        [BLOCK_READ] = "read",   [BLOCK_WRITE] = "write", [BLOCK_DISCARD] = "discard",
        [BLOCK_FLUSH] = "flush", [BLOCK_OTHER] = "other",
    };

    return names[operation < BLOCK_OPERATIONS ? operation : BLOCK_OTHER];
}
