/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What the keys of the program for KVM mean (sys/bpf/keyed.h). The program in the kernel and user
 * space share it.
 *
 *              detail     subject
 *   an exit    KVM_EXIT   the processor's kind << 32 | its code of the reason
 *   an entry   KVM_ENTRY  number of the vCPU in its guest, or KVM_VCPU_UNKNOWN (arm64)
 *
 * An exit is counted when the same thread enters the guest again, as by `perf kvm stat`. Tally 0 is
 * how many there were, and distribution 0 has the time in between: the host's work for the guest,
 * and what the guest waits for where it halts. The last exit of a vCPU is not counted.
 */
#define KVM_EXIT  0
#define KVM_ENTRY 1

#define KVM_VCPU_UNKNOWN 0xffffffffffffffffull

#define KVM_TALLY 0 /* exits, entries */

/* The first bucket of the distribution counts up to 2^this s, 119 ns. */
#define KVM_FIRST_EXPONENT (-23)

/*
 * Whose codes: those of x86 are numbers of the kernel's trace. The code of VMX is the basic reason,
 * without the flags above its 16 bits. That of arm64 is what ended the guest's turn (an exception
 * of kvm_asm.h); of a trap it is its exception class with KVM_EXIT_TRAP.
 */
enum kvm_isa {
    KVM_ISA_VMX = 1,
    KVM_ISA_SVM = 2,
    KVM_ISA_ARM64 = 0xa64,
};

#define KVM_EXIT_TRAP 0x40000000u
