/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/open_object.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/path_name.h"
#include "sys/call_with_deadline.h"

/* A device as the kernel has it inside. */
static uint64_t kernel_device(dev_t device)
{
    return (uint64_t)major(device) << 20 | minor(device);
}

/* For so long the mappings of a process may be locked. */
#define LINK_MS 1000

/* Nothing is waited for. */
#define FLAGS (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

static bool is_mapped_file(int fd, const struct object_place *place)
{
    struct stat status;

    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_ino == place->inode &&
           kernel_device(status.st_dev) == place->device;
}

int open_found(int found)
{
    char path[64];
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
    fd = open(path, FLAGS);
    return fd < 0 ? -errno : fd;
}

/*
 * Opens a path directory by directory, and follows no link: the kernel shows paths without any, so
 * that one has been put there since, or here only, by somebody whom the file need not belong to. It
 * may lead to where it likes, also into a file system that never answers.
 */
static int find_without_links(const char *path)
{
    AUTO_CLOSE int held = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_MAX + 1];

    if (*path != '/')
        return -ENOENT;
    while (held >= 0) {
        const ssize_t n = path_take_name(&path, name);
        int fd;

        if (n <= 0)
            return n < 0 ? (int)n : -ENOENT;
        fd = openat(held, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (*path ? O_DIRECTORY : 0));
        if (fd < 0 || !*path)
            return fd < 0 ? -errno : fd;
        (void)close(held);
        held = fd;
    }
    return -errno;
}

static int find_by_path(const struct object_place *place)
{
    AUTO_CLOSE int found = find_without_links(place->path);

    if (found < 0)
        return found;
    return is_mapped_file(found, place) ? TAKE_FD(found) : -ESTALE;
}

bool object_is_at_path(const struct object_place *place)
{
    AUTO_CLOSE int found = find_by_path(place);

    return found >= 0;
}

static int open_by_path(const struct object_place *place)
{
    AUTO_CLOSE int found = find_by_path(place);

    return found < 0 ? found : open_found(found);
}

struct mapping_link {
    int procfs_fd;
    char name[96];
};

static int find_link(void *context)
{
    const struct mapping_link *link = context;
    const int found = openat(link->procfs_fd, link->name, O_PATH | O_CLOEXEC);

    return found < 0 ? -errno : found;
}

/*
 * The link leads to the very file, whatever its path is or was. The kernel looks it up among the
 * mappings, the lock of which the process may hold for ever.
 */
static int open_by_mapping(int procfs_fd, const struct object_place *place)
{
    AUTO_FREE struct mapping_link *link = malloc(sizeof(*link));
    struct stat status;
    AUTO_CLOSE int found = -1;

    if (!link)
        return -ENOMEM;
    link->procfs_fd = procfs_fd;
    (void)snprintf(link->name, sizeof(link->name), "%d/map_files/%" PRIx64 "-%" PRIx64,
                   (int)place->pid, place->start, place->end);
    found = call_with_deadline(find_link, link, LINK_MS);
    if (found == -EINPROGRESS)
        link = NULL; /* it is theirs now */
    if (found < 0)
        return found;
    /* the process may have mapped another one there since; a device of its own is btrfs's way */
    if (fstat(found, &status) < 0 || !S_ISREG(status.st_mode) || status.st_ino != place->inode)
        return -ESTALE;
    return open_found(found);
}

/* Its sections end where its header says that their table ends. */
static int copy_vdso(void)
{
    const char *bytes = (const char *)getauxval(AT_SYSINFO_EHDR); // NOLINT: the kernel's own way
    const size_t size = 2 * (size_t)sysconf(_SC_PAGESIZE);
    AUTO_CLOSE int fd = -1;

    if (!bytes)
        return -ENOENT;
    fd = memfd_create("vdso", MFD_CLOEXEC);
    if (fd < 0)
        return -errno;
    for (size_t done = 0; done < size;) {
        const ssize_t n = write(fd, bytes + done, size - done);

        if (n <= 0) /* behind its end, where nothing is mapped */
            break;
        done += (size_t)n;
    }
    return TAKE_FD(fd);
}

int open_object(int procfs_fd, const struct object_place *place)
{
    int r;

    if (place->inode == 0 && place->device == 0)
        return copy_vdso();
    r = open_by_path(place);
    if (r < 0) {
        const int by_mapping = open_by_mapping(procfs_fd, place);

        r = by_mapping >= 0 ? by_mapping : r;
    }
    return r;
}

int open_debug_object(const uint8_t *build_id, size_t n)
{
    char path[256];
    struct stat status;
    AUTO_CLOSE int fd = -1;
    int length =
        snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", n ? build_id[0] : 0);

    if (n < 2 || 2 * n + (size_t)length + sizeof(".debug") > sizeof(path))
        return -1;
    for (size_t i = 1; i < n; i++)
        length += snprintf(path + length, sizeof(path) - (size_t)length, "%02x", build_id[i]);
    (void)snprintf(path + length, sizeof(path) - (size_t)length, ".debug");
    fd = open(path, FLAGS);
    if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_uid != 0)
        return -1;
    return TAKE_FD(fd);
}
