/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load that knows what it has made, for a cgroup that is counted while something fails.
 *
 *     control_load CGROUP_PROCS
 *
 * enters the cgroup whose cgroup.procs that is, says "ready", and then touches fresh memory and
 * sleeps in turns. The line "rest" stops that and is answered by "FAULTS SWITCHES": the page faults
 * and context switches of the process since it has been in the cgroup, as the kernel accounts them
 * to it. "go" is answered by "ok", and it goes on. It ends with its input.
 */
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/program.h"

#define PAGES           64
#define MILLISECONDS    5 /* from turn to turn */
#define LONGEST_COMMAND 16

struct counts {
    long faults, switches;
};

static struct counts count(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_SELF, &usage) < 0)
        die("getrusage");
    return (struct counts){usage.ru_minflt + usage.ru_majflt, usage.ru_nvcsw + usage.ru_nivcsw};
}

static void touch(char *memory, size_t page)
{
    if (madvise(memory, PAGES * page, MADV_DONTNEED) < 0)
        die("madvise");
    for (size_t i = 0; i < PAGES; i++)
        *(volatile char *)(memory + i * page) = 1;
}

/* Returns false at the end of the input. */
static bool obey(const struct counts *begin, bool *goes)
{
    char line[LONGEST_COMMAND] = "";

    if (!fgets(line, sizeof(line), stdin))
        return false;
    *goes = strcmp(line, "go\n") == 0;
    if (*goes) {
        (void)puts("ok");
    } else {
        const struct counts now = count();

        (void)printf("%ld %ld\n", now.faults - begin->faults, now.switches - begin->switches);
    }
    return true;
}

int main(int argc, char **argv)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct pollfd input = {STDIN_FILENO, POLLIN, 0};
    struct counts begin;
    bool goes = true;
    char *memory;

    if (argc != 2) {
        (void)fprintf(stderr, "usage: control_load CGROUP_PROCS\n");
        return 2;
    }
    memory = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die("mmap");
    (void)madvise(memory, PAGES * page, MADV_NOHUGEPAGE); /* EINVAL where there are none */
    (void)setvbuf(stdin, NULL, _IONBF, 0);
    (void)setvbuf(stdout, NULL, _IOLBF, 0);
    enter_cgroup(argv[1]);
    begin = count();
    (void)puts("ready");
    while (true) {
        if (poll(&input, 1, goes ? MILLISECONDS : -1) < 0 && errno != EINTR)
            die("poll");
        if (input.revents && !obey(&begin, &goes))
            return 0;
        if (goes)
            touch(memory, page);
    }
}
