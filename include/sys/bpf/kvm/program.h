/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts why guests of KVM leave the processor, and how long it takes until
 * they are back (src/sys/bpf/kvm/kvm.bpf.c). What its keys mean stands in sys/bpf/kvm/counts.h,
 * names of the reasons in sys/kvm_exit_reasons.h.
 */

#include "sys/bpf/keyed_program.h"
#include "sys/bpf/kvm/counts.h"

/*
 * Loads the program. The table takes a place for each reason and each vCPU of a guest; beside it
 * the program takes 96 KiB, in which exits are remembered until the entry. Of the reasons for a
 * refusal, BPF_REFUSAL_NO_KVM may pass: KVM is a module that is not loaded yet. While the program
 * is there, it cannot be unloaded.
 *
 * Lost is what found no place in the table, and exits that could not be remembered because there
 * were too many threads of vCPUs, or that have never ended in an entry.
 */
keyed_program_load kvm_program_load;
