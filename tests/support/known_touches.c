/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A load of three functions with known shares of its page faults, for tests of profiles.
 *
 *     known_touches CGROUP_PROCS PERCENT
 *
 * enters the cgroup whose cgroup.procs that is ("-": stays), and goes on until it is killed, or
 * whoever started it ends. Of the pages of a round, the first is touched in touch_first(), PERCENT
 * of the rest in touch_more(), the others in touch_less(). Between two rounds it burns CPU time, so
 * that who samples by time finds the first page too often.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "support/share_load.h"

#define PAGES 64
#define PAUSE (20 * STEPS) /* in steps of burning: many times what a round takes */

static KEPT void touch_first(volatile char *page)
{
    *page = 1;
}

static KEPT void touch_more(volatile char *page)
{
    *page = 2;
}

static KEPT void touch_less(volatile char *page)
{
    *page = 3;
}

static KEPT void burn(void)
{
    for (unsigned long i = 0; i < PAUSE; i++)
        __asm__ volatile("" : "+r"(i));
}

int main(int argc, char **argv)
{
    const unsigned long percent = begin_share_load(argc, argv);
    const size_t size = (size_t)sysconf(_SC_PAGESIZE);
    char *pages =
        mmap(NULL, PAGES * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t chance = 1;

    if (pages == MAP_FAILED || madvise(pages, PAGES * size, MADV_NOHUGEPAGE) < 0)
        exit(EXIT_FAILURE);
    for (;;) {
        touch_first(pages);
        for (size_t i = 1; i < PAGES; i++)
            (draw_first(&chance, percent) ? touch_more : touch_less)(pages + i * size);
        if (madvise(pages, PAGES * size, MADV_DONTNEED) < 0)
            exit(EXIT_FAILURE);
        burn();
    }
}
