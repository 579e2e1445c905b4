/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A directory of the files that an input is taken for. It is removed at the end of the program. */

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

static char fuzz_directory_path[] = "/tmp/pmu_exporter_fuzz_XXXXXX";

static inline int fuzz_remove_one(const char *path, const struct stat *status, int kind,
                                  struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

static inline void fuzz_remove_directory(void)
{
    (void)nftw(fuzz_directory_path, fuzz_remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* The directory, which is made at the first call. */
static inline int fuzz_directory(void)
{
    static int fd = -1;

    if (fd < 0) {
        FUZZ_CHECK(mkdtemp(fuzz_directory_path) && atexit(fuzz_remove_directory) == 0);
        fd = open(fuzz_directory_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        FUZZ_CHECK(fd >= 0);
    }
    return fd;
}

static inline void fuzz_write(const char *path, const void *data, size_t size)
{
    const int fd = openat(fuzz_directory(), path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size && close(fd) == 0);
}
