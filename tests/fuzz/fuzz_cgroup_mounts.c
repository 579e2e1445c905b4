/* SPDX-License-Identifier: Apache-2.0 */

/* The list of mounts and /proc/cgroups, which a container's runtime may make up. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/fuzz.h"
#include "sys/cgroup_mounts.h"

static char buffer[CGROUP_MOUNT_SIZE];

static void read_mounts(const uint8_t *data, size_t size)
{
    FILE *mounts = size > 0 ? fmemopen((void *)data, size, "r") : NULL;
    struct cgroup_mount mount;

    while (mounts && cgroup_mount_next(mounts, "perf_event", buffer, &mount))
        FUZZ_CHECK(mount.path >= buffer && mount.path < buffer + sizeof(buffer) &&
                   mount.path[0] == '/' &&
                   memchr(mount.path, '\0', (size_t)(buffer + sizeof(buffer) - mount.path)));
    if (mounts)
        (void)fclose(mounts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);

    read_mounts(data, size);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    FUZZ_CHECK(cgroup_parse_hierarchy(text, "perf_event") < 0 || strstr(text, "perf_event\t"));
    free(text);
    return 0;
}
