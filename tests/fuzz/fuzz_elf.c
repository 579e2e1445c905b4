/* SPDX-License-Identifier: Apache-2.0 */

/* Programs and libraries of which a configuration names functions and markers. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "sys/elf_image.h"

static char path[] = "/tmp/pmu_exporter_fuzz_elf_XXXXXX";

static void remove_file(void)
{
    (void)unlink(path);
}

/* Puts the input into a file, which is the same for all inputs. */
static const char *write_file(const uint8_t *data, size_t size)
{
    static int fd = -1;

    if (fd < 0) {
        fd = mkstemp(path);
        FUZZ_CHECK(fd >= 0 && atexit(remove_file) == 0);
    }
    FUZZ_CHECK(ftruncate(fd, 0) == 0);
    FUZZ_CHECK(pwrite(fd, data, size, 0) == (ssize_t)size);
    return path;
}

static void check_name(void *object, const char *name)
{
    (void)object;
    FUZZ_CHECK(strlen(name) < 256);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct elf_visitor visitor = {check_name, NULL};
    struct elf_image *image = NULL;
    struct path_doubt doubt;
    struct elf_identity identity;
    int fd = -1;
    struct elf_marker marker;
    uint64_t position;
    unsigned n = 0;

    FUZZ_CHECK(elf_file_open(write_file(data, size), &fd, &identity, &doubt) == ELF_FOUND);
    if (elf_image_open(fd, &image) != ELF_FOUND) {
        (void)close(fd);
        return 0;
    }
    if (elf_image_find_function(image, "f", 0, &position) == ELF_FOUND)
        FUZZ_CHECK(position < UINT64_MAX);
    (void)elf_image_find_function(image, "f", 8, &position);
    if (elf_image_find_marker(image, "p", "m", 0, &marker, &n) == ELF_FOUND)
        FUZZ_CHECK(n == 1);
    (void)elf_image_find_marker(image, "p", "m", 2, &marker, &n);
    elf_image_list_functions(image, &visitor);
    elf_image_list_markers(image, &visitor);
    (void)elf_image_close(image);
    (void)close(fd);
    return 0;
}
