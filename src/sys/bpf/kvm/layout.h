/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Where the running kernel has what the program for KVM reads. Its loader finds out. */

#include <linux/types.h>

/* Values of `vcpu`. */
#define KVM_VCPU_UNTOLD   0 /* kvm_entry does not tell of which vCPU it is */
#define KVM_VCPU_ARGUMENT 1 /* its first argument is the number */

/* What ended the turn of a guest of arm64, if it was a trap (ARM_EXCEPTION_TRAP). */
#define KVM_ARM64_TRAP 2

struct kvm_layout {
    __u32 reason; /* offset of the reason in the record of kvm_exit */
    __u32 second; /* offset of the kind of the processor; arm64: of the class of a trap */
    __u32 vcpu;   /* offset of the number in the vCPU that is the first argument of kvm_entry */
    __u32 is_arm64;
};
