/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/bpf/cells.h"

/*
 * Enters as a user of the target's slot, which is made if need be; the system has none, and gets
 * BPF_SLOT_OF_SYSTEM. 0; -ENOSPC: all slots are taken; -errno.
 */
int bpf_enter_slot(struct bpf *bpf, const struct scope *scope, size_t *ret_slot);

/* Opens what is closed of a set, as far as it can be (struct mechanism, open). */
void bpf_open_set(struct bpf *bpf, struct counter_set *set);
