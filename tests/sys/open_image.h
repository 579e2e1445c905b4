/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/cleanup.h"
#include "sys/elf_image.h"

/* Opens a file and begins to look into it, as a worker does. The one before is closed then. */
static inline int open_image(const char *path, struct elf_image **ret_image)
{
    static int fd = -1;
    struct elf_identity identity;
    struct path_doubt doubt;
    int r;

    cleanup_close(&fd);
    fd = -1;
    r = elf_file_open(path, &fd, &identity, &doubt);
    return r == ELF_FOUND ? elf_image_open(fd, ret_image) : r;
}
