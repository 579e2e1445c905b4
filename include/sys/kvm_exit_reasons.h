/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Names of the reasons why a guest of KVM leaves the processor to its host: those that the kernel
 * writes into its traces and that `perf kvm stat` shows ("IO_INSTRUCTION" of Intel, "io" of AMD,
 * "DABT_LOW" of arm64). They are told by name and not by number because the numbers of each
 * processor are others. It is pure.
 */

#include <stdint.h>

#include "sys/bpf/kvm/counts.h"

#define KVM_EXIT_REASON_SIZE 32 /* of the longest name, with its NUL */

/*
 * The name of a reason, given as the program in the kernel tells it (enum kvm_isa). One that is not
 * known is its number in hexadecimal: "0x7e".
 */
void kvm_exit_reason_name(uint32_t isa, uint32_t code, char ret_name[KVM_EXIT_REASON_SIZE]);
