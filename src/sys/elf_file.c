/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/elf_file.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "sys/descriptors.h"

static int look(int fd, struct elf_identity *ret_identity)
{
    struct stat status;

    if (fstat(fd, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode))
        return ELF_NO_FILE;
    *ret_identity = (struct elf_identity){status.st_dev, status.st_ino};
    return ELF_FOUND;
}

int elf_file_open(const char *path, int *ret_fd, struct elf_identity *ret_identity,
                  struct path_doubt *ret_doubt)
{
    AUTO_CLOSE int fd = -1;
    int r = trusted_path_open(path, &fd, ret_doubt);

    if (r == -EPERM && ret_doubt->is_link)
        return ELF_FOREIGN_LINK;
    if (r == -EXDEV)
        return ELF_PROCESS_LINK;
    if (r < 0)
        return r;
    r = look(fd, ret_identity);
    if (r == ELF_FOUND)
        *ret_fd = descriptor_lift(TAKE_FD(fd));
    return r;
}
