/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A BPF program that counts by key (sys/bpf/keyed.h), beside the one that runs at each switch,
 * which says who is who. Each has a function of its own that loads it: block_program_load() and its
 * like, in sys/bpf/<name>/program.h.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/refusal.h"

struct keyed_program;
struct switch_program;

/*
 * Loads a program and attaches it; it counts from then on. `of` says who is who, and may end before
 * it. The table of the program has so many places, 330 bytes each. 0, or -errno with the reason in
 * *ret_refusal, and then *ret_program stays as it is.
 */
typedef int keyed_program_load(const struct switch_program *of, size_t entries,
                               struct keyed_program **ret_program, enum bpf_refusal *ret_refusal);

struct keyed_program *keyed_program_free(struct keyed_program *program);
DEFINE_AUTO(keyed_program, struct keyed_program *, keyed_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *keyed_program_table(const struct keyed_program *program);

/*
 * How much of what happened it could not count, or not for whom it was, as far as it knows; each
 * program says what that is. It only grows.
 */
uint64_t keyed_program_lost(const struct keyed_program *program);
