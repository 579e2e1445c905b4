/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts retransmits of TCP, and how long connects take, by cgroup
 * (src/sys/bpf/tcp/tcp.bpf.c). What it counts stands in sys/bpf/tcp/counts.h.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/keyed_table.h"
#include "sys/bpf/refusal.h"
#include "sys/bpf/tcp/counts.h"

struct switch_program;
struct tcp_program;

/*
 * Loads the program and attaches it; it counts from then on. `of` says who is who, and may end
 * before it. The table has so many places, 330 bytes each: one for each cgroup and each watched
 * process that has used TCP. Beside it the program takes 384 KiB, in which connects are remembered
 * until they end. Where cgroups are those of cgroup v1, everything belongs to the rest. 0, or
 * -errno with the reason in *ret_refusal.
 */
int tcp_program_load(const struct switch_program *of, size_t entries,
                     struct tcp_program **ret_program, enum bpf_refusal *ret_refusal);
struct tcp_program *tcp_program_free(struct tcp_program *program);
DEFINE_AUTO(tcp_program, struct tcp_program *, tcp_program_free)

/* What it has counted. Borrowed. */
struct keyed_table *tcp_program_table(const struct tcp_program *program);

/*
 * How much found no place in the table, and how many connects could not be remembered because too
 * many were on their way at once. It only grows.
 */
uint64_t tcp_program_lost(const struct tcp_program *program);
