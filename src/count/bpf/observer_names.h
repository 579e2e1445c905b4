/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the keys of programs that count by key are called. */

#include "count/bpf/call_lines.h"
#include "count/breakdown.h"

struct followed_spans;

/* Where names are found. Borrowed. */
struct observer_sources {
    int sysfs_fd; /* the root of sysfs, where devices and interrupts have their names */
    const struct followed_spans *spans;
    const struct call_lines *calls; /* which system calls are called by their names */
};

/* What a key stands for. */
struct observed_key {
    enum breakdown_kind kind;
    struct breakdown_line line;
};

typedef void observer_name(const struct observer_sources *from, const struct keyed_key *key,
                           struct observed_key *ret_key);

observer_name observer_name_block;
observer_name observer_name_interrupt;
observer_name observer_name_kvm;
observer_name observer_name_tcp;
observer_name observer_name_span;
observer_name observer_name_system_call;
