/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts softirqs and interrupts, and how long they take
 * (src/sys/bpf/interrupts/interrupts.bpf.c). What its keys mean stands in
 * sys/bpf/interrupts/counts.h, names for them in sys/interrupt.h.
 */

#include "sys/bpf/interrupts/counts.h"
#include "sys/bpf/keyed_program.h"

/*
 * Loads the program. `of` is not asked, and may be NULL: interrupts belong to nobody. The table has
 * at least 32 places for each CPU: each CPU takes one for each vector and each interrupt that it
 * has handled.
 *
 * Lost is what found no place in the table, or had no time that could be told.
 */
keyed_program_load interrupts_program_load;
