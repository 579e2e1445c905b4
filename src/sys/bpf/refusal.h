/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sys/bpf/switch/program.h"

/* What the failure to load a BPF program means here. error: negative errno. */
enum switch_refusal switch_refusal_find(int error);

/* Whether a lockdown file ("none [integrity] confidentiality") says that the kernel keeps its
 * memory from root, as it does in the last of its states only. */
bool switch_refusal_is_locked(const char *text);

/* Whether a status file of procfs says that all these capabilities (a mask) are effective. */
bool switch_refusal_has_capabilities(const char *status, uint64_t wanted);
