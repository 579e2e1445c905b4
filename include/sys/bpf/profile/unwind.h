/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * How a frame is unwound: from the registers of a function to those of its caller. A rule says
 * where the canonical frame address (CFA) of the frame is, and where, from there, the caller's
 * frame pointer and the return address are. (DWARF 5, 6.4; CFA and registers as the psABIs of
 * x86-64 and AArch64 name them.) It is what .eh_frame says, reduced to what compilers write. The
 * stack pointer of the caller is the CFA.
 */

#include <linux/types.h>

/* Where the CFA is. */
enum unwind_cfa {
    UNWIND_CFA_NONE,     /* no rule: whoever stands here cannot be unwound by tables */
    UNWIND_CFA_END,      /* the function has no caller: the stack ends here */
    UNWIND_CFA_SP,       /* sp + cfa */
    UNWIND_CFA_FP,       /* fp + cfa */
    UNWIND_CFA_SP_DEREF, /* the word at sp + cfa, plus extra */
    UNWIND_CFA_FP_DEREF, /* the word at fp + cfa, plus extra */
    UNWIND_CFA_PLT,      /* sp + 8, plus 8 if (pc & 15) >= extra (an entry of the PLT, x86-64) */
    UNWIND_CFA_SIGNAL, /* the frame of a signal handler: sp, fp and pc of who was interrupted stand
                          at fixed places above sp (UNWIND_SIGNAL_…), and pc is exact */
};

/* Where the frame pointer (rbp, x29) and the return address of the caller are. */
enum unwind_register {
    UNWIND_REGISTER_SAME,   /* in the register (the return address: in x30 of AArch64, and only in
                               the frame that was interrupted) */
    UNWIND_REGISTER_AT_CFA, /* in memory, at CFA + its offset */
    UNWIND_REGISTER_LOST,   /* it cannot be told */
};

/* All offsets are in units of 8 bytes; so is extra, but for UNWIND_CFA_PLT. */
struct unwind_rule {
    __u8 cfa;    /* enum unwind_cfa */
    __u8 fp;     /* enum unwind_register */
    __u8 ra;     /* enum unwind_register; on x86-64 AT_CFA with offset -1 always */
    __u8 unused; /* 0 */
    __s16 cfa_offset;
    __s16 fp_offset;
    __s16 ra_offset;
    __s16 extra;
};

/* From this address up to that of the next row, the rule with this number holds. */
struct unwind_row {
    __u16 address; /* the lower 16 bits: rows stand in pages of 64 KiB of addresses */
    __u16 rule;
};

#define UNWIND_PAGE_BITS 16

/*
 * Where a signal frame keeps registers, from sp on, in bytes. x86-64: struct rt_sigframe behind the
 * return address; AArch64: struct rt_sigframe, whose struct ucontext stands behind siginfo.
 */
#define UNWIND_SIGNAL_X86_64_SP  160
#define UNWIND_SIGNAL_X86_64_FP  120
#define UNWIND_SIGNAL_X86_64_PC  168
#define UNWIND_SIGNAL_AARCH64_SP 560
#define UNWIND_SIGNAL_AARCH64_FP 544
#define UNWIND_SIGNAL_AARCH64_LR 552
#define UNWIND_SIGNAL_AARCH64_PC 568
