/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Reads the latencies of one target, which a bpf mechanism counts in the kernel, also where the
 * target's events are counted by another mechanism.
 */

#include "count/latency.h"
#include "count/mechanism.h"

struct latency_meter;

/*
 * Begins to read the latencies of the target: of the machine, of a cgroup and those below it, or of
 * the processes that the scope names. The mechanism is borrowed for the meter's life. 0; -ENOSPC:
 * there is no room for another target; -errno.
 */
int latency_meter_new(struct mechanism *bpf, const struct scope *scope,
                      struct latency_meter **ret_meter);
struct latency_meter *latency_meter_free(struct latency_meter *meter);
DEFINE_AUTO(latency_meter, struct latency_meter *, latency_meter_free)

/*
 * Takes the meter for a target that goes on: the next reading tells what was counted since the last
 * one, even if that is nothing, since more may be wanted of it than before. NULL: there is none, or
 * it was made with another mechanism, and stays where it is.
 */
struct latency_meter *latency_meter_adopt(struct latency_meter **meter,
                                          const struct mechanism *bpf);

/*
 * Has a meter begin that was made beside another one, and ends that one, which has told what was
 * counted until now: with the counters of its target it would be read once more, and tell what both
 * have. Without one of them, nothing is done.
 */
void latency_meter_hand_over(struct latency_meter **from, struct latency_meter *to);

/* Names other processes in the place of those before. 0 or -errno, as latency_meter_new(). */
int latency_meter_name_tasks(struct latency_meter *meter, const struct scope *scope);

/*
 * Adds to the sample what was counted since the last reading; nothing, if that is nothing, but for
 * the first time. The first reading after latency_meter_new() tells what was counted since then.
 * It is up to date with the mechanism's last refresh, or more.
 */
void latency_meter_read(struct latency_meter *meter, struct sample *sample);
