/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Closing what takes the kernel long to close. A probe (kprobe, uprobe) goes only after every CPU
 * has been through a quiet state: 60 to 90 ms each, one after the other, however many threads close
 * (Linux 6.18: perf_trace_event_unreg() waits with a lock held). The last event of a tracepoint
 * takes 10 to 40 ms. A cycle that ends targets or applies a configuration would stand still for
 * seconds. So a thread closes them, one by one and not while others are being opened, and ends when
 * none is left.
 *
 * Until then such a descriptor counts as an open file, and its probe is hit. All functions may be
 * called by any thread.
 */

#include <stddef.h>

/* Notes that closing this descriptor takes long. Without memory for that it will be closed at once.
 */
enum late_close_kind { LATE_CLOSE_TRACEPOINT = 1, LATE_CLOSE_PROBE };
void late_close_mark(int fd, enum late_close_kind kind);

/* Closes a descriptor: at once, or, if it was marked, by the thread. */
void late_close(int fd);

/* How many probes are marked or are still being closed: so many the kernel has of us. */
size_t late_close_n_probes(void);
