/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/*
 * What user space tells the program at each switch of slots, for other programs: they share that
 * memory (bpf_prepare_keyed()).
 */

#include "sys/bpf/slots.bpf.h"

struct {
    __uint(type, BPF_MAP_TYPE_ARRAY);
    __uint(map_flags, BPF_F_MMAPABLE);
    __type(key, __u32);
    __type(value, struct switch_control);
    __uint(max_entries, 1);
} slot_control SEC(".maps");

static __always_inline const volatile struct switch_control *find_control(void)
{
    const __u32 key = 0;

    return bpf_map_lookup_elem(&slot_control, &key);
}

/* It changes whenever a cgroup gets or loses its slot. */
static __always_inline __u32 slots_generation(void)
{
    const volatile struct switch_control *control = find_control();

    return control ? control->generation : 0;
}

/* The slot of a process; SWITCH_SLOT_NONE: it is not watched, or no process is. */
static __always_inline __u32 slot_of_watched(__u32 tgid)
{
    const volatile struct switch_control *control = find_control();

    return control && control->watches ? slot_of_process(tgid) : SWITCH_SLOT_NONE;
}
