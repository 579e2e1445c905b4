/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* How much of what happened a program could not count or tell. */

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

__u64 n_lost;

static __always_inline void note_loss(void)
{
    __sync_fetch_and_add(&n_lost, 1);
}
