/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * The walk up a user stack, by tables that user space has made of .eh_frame. Compilers leave out
 * frame pointers, so that only these tables say where a caller is. Where code is made at run time,
 * and where a file has no tables, frame pointers are followed instead; nothing is guessed.
 *
 * The functions of a step are global: the verifier looks at each of them once, and not again on
 * each way through those that call it. Their state stands in memory of the CPU, since only numbers
 * can be handed to global functions.
 */

#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "sys/bpf/kernel_types.bpf.h"
#include "sys/bpf/profile/layout.h"
#include "sys/bpf/profile/record.h"

/* Registers of a thread in user space. The kernel of each architecture has its own. */
struct pt_regs___x86 {
    unsigned long bp, ip, sp;
} KERNEL_TYPE;

struct pt_regs___arm64 {
    __u64 regs[31];
    __u64 sp, pc;
} KERNEL_TYPE;

#define AARCH64_FP 29
#define AARCH64_LR 30

/* Addresses of AArch64 may have a signature in their upper bits (pointer authentication). */
#define AARCH64_ADDRESS ((1ULL << 48) - 1)

/* No frame is larger: a frame pointer that leads further is none. */
#define FRAME_MOST (1ULL << 24)

#define MAPPED_ARRAY(called, values)                                                               \
    struct {                                                                                       \
        __uint(type, BPF_MAP_TYPE_ARRAY);                                                          \
        __uint(map_flags, BPF_F_MMAPABLE);                                                         \
        __type(key, __u32);                                                                        \
        __type(value, values);                                                                     \
        __uint(max_entries, 1);                                                                    \
    } called SEC(".maps")

MAPPED_ARRAY(rows, struct profile_rows);
MAPPED_ARRAY(rules, struct profile_rule);
MAPPED_ARRAY(pages, struct profile_page);
MAPPED_ARRAY(files, struct profile_file);
MAPPED_ARRAY(mappings, struct profile_mapping);

struct {
    __uint(type, BPF_MAP_TYPE_HASH);
    __type(key, __u32);
    __type(value, struct profile_process);
    __uint(max_entries, 1);
} processes SEC(".maps"); /* tgid -> its mappings */

/* The state of a walk, with the record that it makes. */
struct profile_scratch {
    __u64 pc, sp, fp, lr;
    __u32 first, n_mappings; /* of the process */
    __u32 is_exact;          /* pc is the place itself, and not that of a return */
    __u32 has_lr;            /* the return address is in lr still (AArch64) */
    __u32 outcome;
    __u32 is_unproven; /* a frame pointer has led here, and no call stands before it */
    __u32 n_proven; /* so many frames stand below the first place of that kind; 0: there is none */
    __u32 unused;
    struct profile_sample sample;
    __u64 frames[PROFILE_FRAMES_MOST + 1];
};

struct {
    __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
    __type(key, __u32);
    __type(value, struct profile_scratch);
    __uint(max_entries, 1);
} scratch SEC(".maps");

static __always_inline bool is_aarch64(void)
{
    return !bpf_core_field_exists(struct pt_regs___x86, ip);
}

static __always_inline bool read_word(__u64 address, __u64 *ret_word)
{
    return bpf_probe_read_user(ret_word, sizeof(*ret_word), (void *)address) == 0;
}

/*
 * The mapping that has the address, among n that begin at `first`: its number, or -1. They are at
 * most 2^16.
 */
__noinline int find_mapping(__u64 address, __u32 first, __u32 n)
{
    __u32 low = first, high = first + n;

    for (int i = 0; i < 17 && low < high; i++) {
        __u32 middle = low + (high - low) / 2;
        const struct profile_mapping *mapping = bpf_map_lookup_elem(&mappings, &middle);

        if (!mapping)
            return -1;
        if (address < mapping->start)
            high = middle;
        else if (address >= mapping->end)
            low = middle + 1;
        else
            return (int)middle;
    }
    return -1;
}

static __always_inline const struct unwind_row *row_at(__u32 number)
{
    __u32 pair = number / 2;
    const struct profile_rows *found = bpf_map_lookup_elem(&rows, &pair);

    return !found ? NULL : number & 1 ? &found->rows[1] : &found->rows[0];
}

/* The rule for an address of a file, from its base: its number, or -1. */
__noinline int find_rule(__u32 page, __u32 address)
{
    const struct profile_page *found = bpf_map_lookup_elem(&pages, &page);
    const struct unwind_row *row;
    __u32 low, high;

    if (!found || found->n == 0)
        return -1;
    low = found->first; /* it holds from the page's first address on */
    high = found->first + found->n;
    for (int i = 0; i < 17 && high - low > 1; i++) {
        __u32 middle = low + (high - low) / 2;

        row = row_at(middle);
        if (!row)
            return -1;
        if (row->address <= (address & ((1U << UNWIND_PAGE_BITS) - 1)))
            low = middle;
        else
            high = middle;
    }
    row = row_at(low);
    return row ? row->rule : -1;
}

/* What a step has found the registers of the caller to be. */
struct caller {
    __u64 pc, sp, fp;
};

/* Ends the walk, with the reason. It returns 1, as steps do that are the last. */
static __always_inline int stop(struct profile_scratch *walk, __u32 outcome)
{
    walk->outcome = outcome;
    return 1;
}

/* Ends the walk, since the file has no table yet. User space is told which file that is, so that it
 * makes one. */
static __always_inline int stop_without_table(struct profile_scratch *walk, __u32 file)
{
    walk->sample.file = file;
    return stop(walk, PROFILE_NO_TABLE);
}

static __always_inline int go_on(struct profile_scratch *walk, const struct caller *caller)
{
    walk->pc = is_aarch64() ? caller->pc & AARCH64_ADDRESS : caller->pc;
    walk->sp = caller->sp;
    walk->fp = caller->fp;
    walk->is_exact = 0;
    walk->has_lr = 0;
    walk->is_unproven = 0;
    return walk->pc == 0 ? stop(walk, PROFILE_COMPLETE) : 0;
}

/*
 * Whether a call stands right before an address, as before each to which one returns. It tells a
 * frame pointer from a register that serves for something else.
 */
static __always_inline bool is_behind_call(__u64 address)
{
    __u64 code;

    if (!read_word(address - 8, &code))
        return true; /* it is not in memory */
    if (is_aarch64()) {
        const __u32 instruction = code >> 32;

        return instruction >> 26 == 0x25 ||
               (instruction & 0xfffff01f) == 0xd63f0000 || /* bl, blr */
               instruction >> 24 == 0xd7;                  /* blraa and its like */
    }
    /* call rel32; call of a register or of a word in memory, with 0, 1 or 4 bytes of displacement
     */
    return (code >> 24 & 0xff) == 0xe8 || (code >> 48 & 0x38ff) == 0x10ff ||
           (code >> 40 & 0x38ff) == 0x10ff || (code >> 32 & 0x38ff) == 0x10ff ||
           (code >> 16 & 0x38ff) == 0x10ff || (code >> 8 & 0x38ff) == 0x10ff;
}

/*
 * Code that keeps frame pointers: fp leads to the caller's, and the return address behind it.
 * A program sets fp to 0 at its root; code that was made at run time (is_made) is none, and may
 * have a 0 there for other reasons.
 *
 * Interpreters, as Java's, push the place where they go on themselves, and no call stands before
 * it. In code that was made at run time such a place is taken, but it is believed only if the walk
 * gets to the root from there. The tables that it needs for that are asked for in any case.
 */
static __always_inline int step_by_frame_pointer(struct profile_scratch *walk, bool is_made)
{
    const __u32 at_zero = is_made || walk->n_proven > 0 ? PROFILE_BROKEN : PROFILE_COMPLETE;
    struct caller caller = {.sp = walk->fp + 16};

    if (walk->fp == 0)
        return stop(walk, at_zero);
    if (walk->fp < walk->sp || walk->fp - walk->sp > FRAME_MOST || walk->fp & 7)
        return stop(walk, PROFILE_BROKEN);
    if (!read_word(walk->fp, &caller.fp) || !read_word(walk->fp + 8, &caller.pc))
        return stop(walk, PROFILE_UNREADABLE);
    if (go_on(walk, &caller))
        return stop(walk, at_zero);
    walk->is_unproven = !is_behind_call(walk->pc);
    if (walk->is_unproven && walk->n_proven == 0)
        walk->n_proven = walk->sample.n_user;
    return 0;
}

/* The frame of a signal handler: the registers of who was interrupted stand above sp. */
static __always_inline int step_out_of_signal(struct profile_scratch *walk)
{
    const bool is_arm = is_aarch64();
    struct caller caller;
    __u64 lr = 0;
    const bool is_read =
        read_word(walk->sp + (is_arm ? UNWIND_SIGNAL_AARCH64_PC : UNWIND_SIGNAL_X86_64_PC),
                  &caller.pc) &&
        read_word(walk->sp + (is_arm ? UNWIND_SIGNAL_AARCH64_SP : UNWIND_SIGNAL_X86_64_SP),
                  &caller.sp) &&
        read_word(walk->sp + (is_arm ? UNWIND_SIGNAL_AARCH64_FP : UNWIND_SIGNAL_X86_64_FP),
                  &caller.fp) &&
        (!is_arm || read_word(walk->sp + UNWIND_SIGNAL_AARCH64_LR, &lr));

    if (!is_read)
        return stop(walk, PROFILE_UNREADABLE);
    if (go_on(walk, &caller))
        return 1;
    walk->is_exact = 1;
    walk->has_lr = is_arm;
    walk->lr = lr;
    return 0;
}

static __always_inline __u64 offset_of(__s16 words)
{
    return (__u64)((__s64)words * 8);
}

/* The canonical frame address. False: it cannot be read. */
static __always_inline bool find_cfa(const struct profile_scratch *walk,
                                     const struct unwind_rule *rule, __u64 *ret_cfa)
{
    const __u64 base =
        rule->cfa == UNWIND_CFA_FP || rule->cfa == UNWIND_CFA_FP_DEREF ? walk->fp : walk->sp;

    *ret_cfa = base + offset_of(rule->cfa_offset);
    if (rule->cfa == UNWIND_CFA_PLT)
        *ret_cfa = walk->sp + 8 + ((__s16)(walk->pc & 15) >= rule->extra ? 8 : 0);
    if (rule->cfa == UNWIND_CFA_SP_DEREF || rule->cfa == UNWIND_CFA_FP_DEREF) {
        if (!read_word(*ret_cfa, ret_cfa))
            return false;
        *ret_cfa += offset_of(rule->extra);
    }
    return true;
}

/* From the registers of a function to those of its caller, by the rule. Not 0: the walk ends. */
__noinline int step_by_rule(__u32 number)
{
    const __u32 zero = 0;
    struct profile_scratch *walk = bpf_map_lookup_elem(&scratch, &zero);
    const struct profile_rule *found = bpf_map_lookup_elem(&rules, &number);
    const struct unwind_rule *rule;
    struct caller caller;
    bool is_read = true;

    if (!walk || !found)
        return 1;
    rule = &found->rule;
    if (rule->cfa == UNWIND_CFA_END)
        return stop(walk, PROFILE_COMPLETE);
    if (rule->cfa == UNWIND_CFA_SIGNAL)
        return step_out_of_signal(walk);
    if (rule->cfa == UNWIND_CFA_NONE || (rule->ra == UNWIND_REGISTER_SAME && !walk->has_lr) ||
        rule->ra == UNWIND_REGISTER_LOST)
        return stop(walk, PROFILE_NO_RULE);
    if (!find_cfa(walk, rule, &caller.sp))
        return stop(walk, PROFILE_UNREADABLE);
    caller.pc = walk->lr;
    if (rule->ra == UNWIND_REGISTER_AT_CFA)
        is_read = read_word(caller.sp + offset_of(rule->ra_offset), &caller.pc);
    caller.fp = rule->fp == UNWIND_REGISTER_SAME ? walk->fp : 0;
    if (rule->fp == UNWIND_REGISTER_AT_CFA)
        is_read = is_read && read_word(caller.sp + offset_of(rule->fp_offset), &caller.fp);
    if (!is_read)
        return stop(walk, PROFILE_UNREADABLE);
    /* the stack of a caller is above; only a leaf of AArch64 may have none of its own */
    if (caller.sp < walk->sp || (caller.sp == walk->sp && !walk->has_lr))
        return stop(walk, PROFILE_BROKEN);
    return go_on(walk, &caller);
}

/* Notes the frame where the walk stands. */
static __always_inline void note_frame(struct profile_scratch *walk, __u64 frame)
{
    const __u32 place = walk->sample.n_kernel + walk->sample.n_user;

    if (place <= PROFILE_FRAMES_MOST) { /* it is; the verifier does not know it */
        walk->frames[place & PROFILE_FRAMES_MOST] = frame;
        walk->sample.n_user++;
    }
}

/* One step: notes the frame and goes to its caller. Not 0: the walk has ended. */
__noinline int step(__u32 zero)
{
    struct profile_scratch *walk = bpf_map_lookup_elem(&scratch, &zero);
    const struct profile_mapping *mapping;
    const struct profile_file *file;
    union profile_pages file_pages;
    __u64 address;
    int number;
    __u32 key, of_file, from_base;

    if (!walk)
        return 1;
    address = walk->is_exact ? walk->pc : walk->pc - 1;
    number = find_mapping(address, walk->first, walk->n_mappings);
    key = (__u32)number;
    mapping = number < 0 ? NULL : bpf_map_lookup_elem(&mappings, &key);
    if (walk->is_unproven && (!mapping || mapping->file != PROFILE_FILE_ANONYMOUS))
        return stop(walk, PROFILE_BROKEN);
    if (!mapping || mapping->file == PROFILE_FILE_ANONYMOUS) {
        note_frame(walk, PROFILE_FRAME_ADDRESS | address);
        return mapping ? step_by_frame_pointer(walk, true) : stop(walk, PROFILE_NO_MAPPING);
    }
    of_file = key = mapping->file;
    from_base = (__u32)(address - mapping->bias);
    note_frame(walk, (__u64)key << 32 | from_base);
    file = bpf_map_lookup_elem(&files, &key);
    if (!file)
        return stop_without_table(walk, of_file);
    file_pages.both = *(volatile __u64 *)&file->pages.both;
    number = from_base >> UNWIND_PAGE_BITS < file_pages.n
                 ? find_rule(file_pages.first + (from_base >> UNWIND_PAGE_BITS), from_base)
                 : -1;
    key = (__u32)number;
    if (number >= 0) {
        const struct profile_rule *rule = bpf_map_lookup_elem(&rules, &key);

        if (rule && rule->rule.cfa != UNWIND_CFA_NONE)
            return step_by_rule(key);
    }
    if (file->flags & PROFILE_FILE_BY_FRAME_POINTER)
        return step_by_frame_pointer(walk, false);
    return file_pages.n == 0 ? stop_without_table(walk, of_file) : stop(walk, PROFILE_NO_RULE);
}

/* Sets the walk to where the thread was in user space. */
static __always_inline void begin_walk(struct profile_scratch *walk, struct task_struct *task)
{
    const void *regs = (const void *)bpf_task_pt_regs(task);

    if (is_aarch64()) {
        const struct pt_regs___arm64 *arm = regs;

        walk->pc = arm->pc;
        walk->sp = arm->sp;
        walk->fp = arm->regs[AARCH64_FP];
        walk->lr = arm->regs[AARCH64_LR] & AARCH64_ADDRESS;
    } else {
        const struct pt_regs___x86 *x86 = regs;

        walk->pc = x86->ip;
        walk->sp = x86->sp;
        walk->fp = x86->bp;
    }
    walk->is_exact = 1;
    walk->has_lr = is_aarch64();
    walk->is_unproven = walk->n_proven = 0;
}

/*
 * Ends a walk that has not got to the root at the last place that is sure. One that has as many
 * frames as there is room for stays: chance makes no such chain.
 */
static __always_inline void drop_unproven(struct profile_scratch *walk)
{
    if (walk->n_proven == 0 || walk->outcome == PROFILE_COMPLETE ||
        walk->outcome == PROFILE_TRUNCATED)
        return;
    walk->sample.n_user = (__u16)walk->n_proven;
    walk->outcome = PROFILE_BROKEN;
}
