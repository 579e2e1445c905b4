/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Allocations of the exporter's own objects, of which one can be made to fail while it runs: these
 * stand in for the allocator where a program is linked with --wrap (tests.cmake has the list).
 *
 * PMU_TEST_ALLOCATIONS names a file of three numbers of 64 bits, which both sides have mapped: how
 * many allocations there were, which of them fails (0: none does), and how many have failed.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "support/program.h"

struct allocations {
    _Atomic uint64_t seen, failing, failed;
};

static struct allocations nowhere;
static struct allocations *allocations = &nowhere;

__attribute__((constructor)) static void map_allocations(void)
{
    const char *path = getenv("PMU_TEST_ALLOCATIONS");
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    void *mapped;

    if (!path)
        return;
    mapped = mmap(NULL, sizeof(*allocations), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (mapped == MAP_FAILED)
        die(path);
    (void)close(fd);
    allocations = mapped;
}

static bool fails(void)
{
    const uint64_t n = atomic_fetch_add(&allocations->seen, 1) + 1;

    if (n != atomic_load(&allocations->failing))
        return false;
    (void)atomic_fetch_add(&allocations->failed, 1);
    errno = ENOMEM;
    return true;
}

#define WRAP(result, name, parameters, arguments, failure)                                         \
    result __real_##name parameters;                                                               \
    result __wrap_##name parameters;                                                               \
    result __wrap_##name parameters                                                                \
    {                                                                                              \
        return fails() ? (failure) : __real_##name arguments;                                      \
    }

WRAP(void *, malloc, (size_t size), (size), NULL)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL)
WRAP(void *, realloc, (void *block, size_t size), (block, size), NULL)
WRAP(void *, reallocarray, (void *block, size_t n, size_t size), (block, n, size), NULL)
WRAP(void *, aligned_alloc, (size_t alignment, size_t size), (alignment, size), NULL)
WRAP(int, posix_memalign, (void **block, size_t alignment, size_t size), (block, alignment, size),
     ENOMEM)
WRAP(char *, strdup, (const char *text), (text), NULL)
WRAP(char *, strndup, (const char *text, size_t n), (text, n), NULL)
WRAP(int, vasprintf, (char **text, const char *format, va_list list), (text, format, list), -1)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
WRAP(FILE *, open_memstream, (char **text, size_t *size), (text, size), NULL)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(ssize_t, getline, (char **line, size_t *size, FILE *file), (line, size, file), -1)

int __wrap_asprintf(char **text, const char *format, ...);
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list list;
    int n;

    va_start(list, format);
    n = __wrap_vasprintf(text, format, list);
    va_end(list);
    return n;
}
