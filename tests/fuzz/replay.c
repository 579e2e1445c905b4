/* SPDX-License-Identifier: Apache-2.0 */

/* Gives every file of a directory to a fuzz target: replay DIRECTORY. Fails where there is none. */

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"

static int replay_file(int directory_fd, const char *name)
{
    AUTO_CLOSE int fd = openat(directory_fd, name, O_RDONLY | O_CLOEXEC);
    AUTO_FREE uint8_t *data = NULL;
    struct stat status;
    ssize_t n;

    if (fd < 0 || fstat(fd, &status) < 0)
        return -1;
    data = malloc((size_t)status.st_size + 1);
    if (!data)
        return -1;
    n = read(fd, data, (size_t)status.st_size);
    if (n != status.st_size)
        return -1;
    /* in a block of its size, so that a sanitizer sees one byte too many */
    data = realloc(data, n ? (size_t)n : 1);
    (void)printf("%s\n", name);
    (void)fflush(stdout);
    return LLVMFuzzerTestOneInput(data, (size_t)n);
}

int main(int argc, char **argv)
{
    DIR *directory = argc == 2 ? opendir(argv[1]) : NULL;
    struct dirent *entry;
    unsigned n_files = 0;
    int r = 0;

    if (!directory) {
        perror(argc == 2 ? argv[1] : "usage: replay DIRECTORY");
        return EXIT_FAILURE;
    }
    while (r == 0 && (entry = readdir(directory))) {
        if (entry->d_name[0] == '.')
            continue;
        r = replay_file(dirfd(directory), entry->d_name);
        n_files++;
    }
    (void)closedir(directory);
    (void)printf("%u files\n", n_files);
    return r == 0 && n_files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
