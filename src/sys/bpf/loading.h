/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the loaders of all programs in the kernel have in common. */

#include <stdbool.h>
#include <stddef.h>

#include "sys/bpf/refusal.h"

struct bpf_object;
struct switch_program;

/*
 * Calls `load`, which gives 0 or -errno, while libbpf prints nothing: we say ourselves what a
 * failure means. Its result; if it failed, with the reason in *ret_refusal.
 */
int bpf_load_quietly(int (*load)(void *program), void *program, enum bpf_refusal *ret_refusal);

/*
 * Prepares a program that counts by key (sys/bpf/keyed.h) and is not loaded yet: its table gets so
 * many places, and the maps of slots.bpf.h and slot_control.bpf.h, as far as it has them, are those
 * of the program at each switch. *ret_v1: whether cgroups are those of cgroup v1. 0 or -errno.
 */
int bpf_prepare_keyed(struct bpf_object *object, const struct switch_program *of, size_t entries,
                      bool *ret_v1);

/* The descriptor of the table of such a program, when it is loaded. It stays the program's. */
int bpf_keyed_map(const struct bpf_object *object);
