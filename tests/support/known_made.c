/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Code that is made at run time, for known_stacks.c: some that keeps frame pointers; some of which
 * the caller has pushed by itself where it goes on, as interpreters do; and some that keeps in the
 * register of the frame pointer something else, which may look like one. On x86-64 alone.
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

/* made(function, argument, third) calls the function; what `third` is, is the code's own. */
typedef void made_code(void (*function)(uint64_t argument), uint64_t argument, const void *third);

static made_code *keeps, *pushes, *misleads;

static made_code *make(uint8_t *place, const uint8_t *code, size_t n)
{
    made_code *made;

    memcpy(place, code, n);
    *(void **)&made = place;
    return made;
}

/* Once: what is mapped anew is not known at first. */
static void make_all(void)
{
    uint8_t *page;

    if (keeps)
        return;
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
#if !defined(__x86_64__)
    errno = ENOTSUP;
    die("code for x86-64");
#endif
    if (page == MAP_FAILED)
        die("mmap");
    keeps = make(page, keeping, sizeof(keeping));
    pushes = make(page + 64, pushing, sizeof(pushing));
    /* like the first one, but with `third` in the register: mov %rdx,%rbp */
    misleads = make(page + 128, keeping, sizeof(keeping));
    page[128 + 3] = 0xd5;
}

KNOWN void run_made(uint64_t ms)
{
    make_all();
    for (uint64_t i = 0; i < ms; i++)
        keeps(burn, turns_per_ms, NULL);
}

KNOWN void run_pushed(uint64_t ms)
{
    make_all();
    for (uint64_t i = 0; i < ms; i++)
        pushes(burn, turns_per_ms, *(void **)&keeps);
}

/* Goes on through code that pushes, three frames each time, and burns at the end. */
KNOWN void push_on(uint64_t left)
{
    if (left > 0)
        pushes(push_on, left - 1, *(void **)&keeps);
    else
        burn(turns_per_ms);
    BEHIND_CALL();
}

/* More frames than a sample has room for. */
KNOWN void run_pushed_deep(uint64_t ms)
{
    make_all();
    for (uint64_t i = 0; i < ms; i++)
        push_on(60);
}

/* Where the code that pushes would go on. */
static uint64_t pushed_place(void)
{
    return (uint64_t)(uintptr_t) * (void **)&pushes + GOES_ON;
}

/* What is taken for frames: one that an interpreter could have pushed, and one above it, from which
 * a root can be reached in one way or the other. */
static void mislead(uint64_t last_fp, uint64_t last_pc)
{
    volatile uint64_t words[4];

    words[0] = (uint64_t)(uintptr_t)&words[2];
    words[1] = pushed_place();
    words[2] = last_fp;
    words[3] = last_pc;
    misleads(burn, turns_per_ms, (const void *)words);
}

KNOWN void run_misleading(uint64_t ms)
{
    make_all();
    for (uint64_t i = 0; i < ms; i += 3) {
        mislead(0, pushed_place());
        mislead(pushed_place(), 0);
        misleads(burn, turns_per_ms, NULL);
    }
}
