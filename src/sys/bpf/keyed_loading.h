/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the loaders of programs that count by key have in common. */

#include <stdbool.h>
#include <stddef.h>

struct bpf_object;
struct switch_program;

/*
 * Prepares a program that counts by key (sys/bpf/keyed.h) and is not loaded yet: its table gets so
 * many places, and the maps of slots.bpf.h and slot_control.bpf.h, as far as it has them, are those
 * of the program at each switch. *ret_v1: whether cgroups are those of cgroup v1. 0 or -errno.
 */
int bpf_prepare_keyed(struct bpf_object *object, const struct switch_program *of, size_t entries,
                      bool *ret_v1);

/* The descriptor of the table of such a program, when it is loaded. It stays the program's. */
int bpf_keyed_map(const struct bpf_object *object);
