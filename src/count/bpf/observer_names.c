/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/observer_names.h"

#include "sys/block_device.h"
#include "sys/bpf/block/counts.h"

/* Names are given by drivers: what is not plain ASCII in them is not repeated to anybody. */
static void set_label(char label[BREAKDOWN_LABEL_BYTES], const char *name)
{
    size_t i = 0;

    for (; name[i] && i < BREAKDOWN_LABEL_BYTES - 1; i++)
        label[i] = name[i] > ' ' && name[i] <= '~' ? name[i] : '_';
    label[i] = '\0';
}

static const char *const operations[BLOCK_OPERATIONS] = {
    [BLOCK_READ] = "read",   [BLOCK_WRITE] = "write", [BLOCK_DISCARD] = "discard",
    [BLOCK_FLUSH] = "flush", [BLOCK_OTHER] = "other",
};

void observer_name_block(const struct observer_paths *paths, const struct keyed_key *key,
                         struct observed_key *ret_key)
{
    char name[BLOCK_DEVICE_NAME_SIZE];

    ret_key->kind = BREAKDOWN_BLOCK_IO;
    (void)block_device_read_name(paths->sysfs_fd, key->subject, name);
    set_label(ret_key->line.labels[0], name);
    set_label(ret_key->line.labels[1],
              operations[key->detail < BLOCK_OPERATIONS ? key->detail : BLOCK_OTHER]);
}
