/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Code that is made at run time, for known_stacks.c: some that keeps frame pointers; some of which
 * the caller has pushed by itself where it goes on, as interpreters do; and some that keeps in the
 * register of the frame pointer what only looks like one. On x86-64 alone.
 */
#include <sys/mman.h>

#include "support/known_stacks.h"
#include "support/program.h"

/* Keeps a frame pointer, and calls burn(turns). */
static const uint8_t keeping[] = {
    0x55,             /* push %rbp */
    0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
    0x48, 0x89, 0xf8, /* mov %rdi,%rax */
    0x48, 0x89, 0xf7, /* mov %rsi,%rdi */
    0xff, 0xd0,       /* call *%rax */
    0x5d,             /* pop %rbp */
    0xc3,             /* ret */
};

/* The same, but pushes where it goes on and jumps to `next`, with the same arguments. */
static const uint8_t pushing[] = {
    0x55,                                           /* push %rbp */
    0x48, 0x89, 0xe5,                               /* mov %rsp,%rbp */
    0x48, 0x8d, 0x0d, 0x0b, 0x00, 0x00, 0x00,       /* lea 11(%rip),%rcx */
    0x51,                                           /* push %rcx */
    0xff, 0xe2,                                     /* jmp *%rdx */
    0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, 0x90, /* nop */
    0x5d,                                           /* pop %rbp */
    0xc3,                                           /* ret */
};
#define GOES_ON (sizeof(pushing) - 2) /* its place in there */

/* Calls burn(turns), with another word in the register. */
static const uint8_t misleading[] = {
    0x55,             /* push %rbp */
    0x48, 0x89, 0xd5, /* mov %rdx,%rbp */
    0x48, 0x89, 0xf8, /* mov %rdi,%rax */
    0x48, 0x89, 0xf7, /* mov %rsi,%rdi */
    0xff, 0xd0,       /* call *%rax */
    0x5d,             /* pop %rbp */
    0xc3,             /* ret */
};

typedef void made_code(void (*burn)(uint64_t turns), uint64_t turns, const void *third);

static uint8_t *page;

static made_code *make(const uint8_t *code, size_t n, size_t at)
{
    made_code *made;

#if !defined(__x86_64__)
    errno = ENOTSUP;
    die("code for x86-64");
#endif
    if (!page) {
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0);
        if (page == MAP_FAILED)
            die("mmap");
    }
    memcpy(page + at, code, n);
    *(void **)&made = page + at;
    return made;
}

KNOWN void run_made(uint64_t ms)
{
    made_code *keeps = make(keeping, sizeof(keeping), 0);

    for (uint64_t i = 0; i < ms; i++)
        keeps(burn, unit, NULL);
}

KNOWN void run_pushed(uint64_t ms)
{
    made_code *keeps = make(keeping, sizeof(keeping), 0);
    made_code *pushes = make(pushing, sizeof(pushing), 64);

    for (uint64_t i = 0; i < ms; i++)
        pushes(burn, unit, *(void **)&keeps);
}

KNOWN void run_misleading(uint64_t ms)
{
    made_code *misleads = make(misleading, sizeof(misleading), 0);
    made_code *pushes = make(pushing, sizeof(pushing), 64);
    /* what it takes for frames: one that an interpreter could have pushed, and the last one of all
     */
    volatile uint64_t words[4];

    words[0] = (uint64_t)(uintptr_t)&words[2];
    words[1] = words[3] = (uint64_t)(uintptr_t) * (void **)&pushes + GOES_ON;
    words[2] = 0;
    for (uint64_t i = 0; i < ms; i++)
        misleads(burn, unit, (const void *)words);
}
