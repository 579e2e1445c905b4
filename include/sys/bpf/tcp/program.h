/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The BPF program that counts retransmits of TCP, and how long connects take, by cgroup
 * (src/sys/bpf/tcp/tcp.bpf.c). What it counts stands in sys/bpf/tcp/counts.h.
 */

#include "sys/bpf/keyed_program.h"
#include "sys/bpf/tcp/counts.h"

/*
 * Loads the program. The table takes a place for each cgroup and each watched process that has used
 * TCP; beside it the program takes 384 KiB, in which connects are remembered until they end. Where
 * cgroups are those of cgroup v1, everything belongs to the rest.
 *
 * Lost is what found no place in the table, and connects that could not be remembered because too
 * many were on their way at once.
 */
keyed_program_load tcp_program_load;
