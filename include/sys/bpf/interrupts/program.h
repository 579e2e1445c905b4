/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts softirqs and interrupts, and how long they take
 * (src/sys/bpf/interrupts/interrupts.bpf.c). What its keys mean stands in
 * sys/bpf/interrupts/counts.h, names for them in sys/interrupt.h.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/interrupts/counts.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/refusal.h"

struct interrupts_program;
struct switch_program;

/*
 * Loads the program and attaches it; it counts from then on. `of` is not asked, and may be NULL:
 * interrupts belong to nobody. The table has so many places, but at least 32 for each CPU, 330
 * bytes each: each CPU takes one for each vector and each interrupt that it has handled. 0, or
 * -errno with the reason in *ret_refusal.
 */
int interrupts_program_load(const struct switch_program *of, size_t entries,
                            struct interrupts_program **ret_program, enum bpf_refusal *ret_refusal);
struct interrupts_program *interrupts_program_free(struct interrupts_program *program);
DEFINE_AUTO(interrupts_program, struct interrupts_program *, interrupts_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *interrupts_program_table(const struct interrupts_program *program);

/* How many found no place in the table, or had no time that could be told. It only grows. */
uint64_t interrupts_program_lost(const struct interrupts_program *program);
