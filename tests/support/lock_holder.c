/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program that holds the lock of its own mappings for as long as somebody likes.
 *
 *     lock_holder CGROUP_PROCS FILE
 *
 * enters the cgroup whose cgroup.procs that is, writes to FILE by a mapping, and waits for the end
 * of its standard input. Then a thread maps executable memory, and something else in the place of
 * the mapping of FILE: the kernel writes to the file system what was written, with the lock held.
 * If that file system is FUSE, and its server has stopped, the lock is held until it goes on.
 * Meanwhile the program burns CPU time, until it is killed, or whoever started it ends.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define BYTES 4096

static void check(bool is_well, const char *what)
{
    if (is_well)
        return;
    perror(what);
    exit(EXIT_FAILURE);
}

static void enter(const char *procs)
{
    const int fd = open(procs, O_WRONLY | O_CLOEXEC);

    check(fd >= 0 && write(fd, "0", 1) == 1 && close(fd) == 0, procs);
}

static char *write_by_mapping(const char *path)
{
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    char *bytes =
        fd < 0 ? MAP_FAILED : mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    check(bytes != MAP_FAILED && close(fd) == 0, path);
    bytes[0] = 'x';
    return bytes;
}

static void *hold(void *bytes)
{
    const int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    check(mmap(NULL, BYTES, PROT_READ | PROT_EXEC, MAP_PRIVATE, program, 0) != MAP_FAILED, "exe");
    (void)mmap(bytes, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
               0);
    return NULL;
}

static void burn(void)
{
    for (volatile unsigned long value = 1;;)
        value = value * 3 + 1;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    char *bytes;
    char byte;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 3)
        return EXIT_FAILURE;
    enter(argv[1]);
    bytes = write_by_mapping(argv[2]);
    (void)printf("written\n");
    (void)fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    check(pthread_create(&thread, NULL, hold, bytes) == 0, "pthread_create");
    burn();
}
