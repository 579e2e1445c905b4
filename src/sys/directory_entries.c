/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/directory_entries.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool directory_is_leaf(int fd)
{
    struct stat status;

    /* itself and its `.`; each directory in it adds one; file systems that do not count have 1 */
    return fstat(fd, &status) == 0 && status.st_nlink == 2;
}

void directory_entries_init(struct directory_entries *entries, int fd)
{
    entries->fd = fd;
    entries->offset = entries->length = 0;
    (void)lseek(fd, 0, SEEK_SET);
}

static bool is_directory(int fd, const struct dirent64 *entry)
{
    struct stat status;

    if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
        return false;
    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

int directory_entries_next(struct directory_entries *entries, struct directory_entry *ret_entry)
{
    for (;;) {
        const struct dirent64 *entry;

        if (entries->offset >= entries->length) {
            ssize_t n = getdents64(entries->fd, entries->buffer, sizeof(entries->buffer));

            if (n <= 0)
                return n < 0 ? -errno : 0;
            entries->offset = 0;
            entries->length = (size_t)n;
        }
        entry = (const struct dirent64 *)(const void *)(entries->buffer + entries->offset);
        entries->offset += entry->d_reclen;
        if (!is_directory(entries->fd, entry))
            continue;
        *ret_entry = (struct directory_entry){.name = entry->d_name, .inode = entry->d_ino};
        return 1;
    }
}
