/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts why guests of KVM leave the processor, and how long it takes until
 * they are back (src/sys/bpf/kvm/kvm.bpf.c). What its keys mean stands in sys/bpf/kvm/counts.h,
 * names of the reasons in sys/kvm_exit_reasons.h.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/bpf/refusal.h"

struct kvm_program;
struct switch_program;

/*
 * Loads the program and attaches it; it counts from then on. `of` says who is who, and may end
 * before it. The table has so many places, 330 bytes each: each guest takes one for each reason and
 * each vCPU. Beside it the program takes 96 KiB, in which exits are remembered until the entry. 0,
 * or -errno with the reason in *ret_refusal. Of these, BPF_REFUSAL_NO_KVM may pass: KVM is a module
 * that is not loaded yet. While the program is there, it cannot be unloaded.
 */
int kvm_program_load(const struct switch_program *of, size_t entries,
                     struct kvm_program **ret_program, enum bpf_refusal *ret_refusal);
struct kvm_program *kvm_program_free(struct kvm_program *program);
DEFINE_AUTO(kvm_program, struct kvm_program *, kvm_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *kvm_program_table(const struct kvm_program *program);

/*
 * How much found no place in the table, and how many exits could not be remembered because there
 * were too many threads of vCPUs, or have never ended in an entry. It only grows.
 */
uint64_t kvm_program_lost(const struct kvm_program *program);
