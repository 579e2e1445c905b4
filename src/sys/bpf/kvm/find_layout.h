/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Where the running kernel's KVM has what programs read of it, by the types that sysfs shows. */

#include <stdbool.h>

#include "sys/bpf/kvm/layout.h"
#include "sys/bpf/refusal.h"

/* Whether the module, or what stands for it, is there. It costs next to nothing to find out. */
bool kvm_is_loaded(void);

/*
 * BPF_REFUSAL_NONE, or why no program can follow KVM here: it is not loaded, its types are not
 * there, or are others than we know. Types take milliseconds.
 */
enum bpf_refusal kvm_layout_find(struct kvm_layout *ret_layout);

/* Whether tracefs tells us the number of kvm_exit, without which nobody can attach to it. */
bool kvm_exit_is_seen(void);
