/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the loaders of all programs in the kernel have in common. */

#include "sys/bpf/refusal.h"

/*
 * Calls `load`, which gives 0 or -errno. From then on libbpf prints nothing, since its lines would
 * pass by the throttle of the log: we say ourselves what a failure means. The result of `load`; if
 * it failed, with the reason in *ret_refusal.
 */
int bpf_load_quietly(int (*load)(void *program), void *program, enum bpf_refusal *ret_refusal);
