/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the keys of programs that count by key are called. A name that sysfs has is read from there
 * at most once in 10 s, since that takes longer than all the rest of counting a key: some
 * microseconds a device, some 20 an interrupt. So a number that is given to another device may bear
 * the name of the one before for that long. A device that has gone keeps its name while it is
 * remembered.
 */

#include "count/bpf/call_lines.h"
#include "count/breakdown.h"

struct followed_spans;

/* What a key stands for. */
struct observed_key {
    enum breakdown_kind kind;
    struct breakdown_line line;
};

/* What has a name in sysfs. */
enum named { NAMED_NOTHING, NAMED_DEVICE, NAMED_INTERRUPT };

/* A name that was read. */
struct known_name {
    enum named what;
    uint64_t number; /* of the device or the interrupt */
    uint64_t read_ns;
    char name[BREAKDOWN_LABEL_BYTES];
};

#define KNOWN_NAMES 256

/* Where names are found. */
struct observer_sources {
    int sysfs_fd; /* the root of sysfs, where devices and interrupts have their names; borrowed */
    const struct followed_spans *spans; /* borrowed */
    const struct call_lines *calls;     /* which system calls are called by their names; borrowed */
    uint64_t now_ns;                    /* CLOCK_MONOTONIC; whoever asks for names sets it before */
    /* Each number has one place, in which the last one that wanted it is remembered. */
    struct known_name known[KNOWN_NAMES];
};

typedef void observer_name(struct observer_sources *from, const struct keyed_key *key,
                           struct observed_key *ret_key);

observer_name observer_name_block;
observer_name observer_name_interrupt;
observer_name observer_name_kvm;
observer_name observer_name_tcp;
observer_name observer_name_span;
observer_name observer_name_system_call;
