/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Traces of the scheduler as others read them. Times are seconds since recording began; names of
 * threads may have anything in them, and become valid texts here.
 */

#include "base/text.h"
#include "run/schedule_trace.h"

/* Bounds of a report: who ran longest, and what was most frequent, is listed first. */
#define SCHEDULE_LISTED_THREADS 1000
#define SCHEDULE_LISTED_SHARES  32 /* of each CPU */
#define SCHEDULE_LISTED_PAIRS   200
#define SCHEDULE_LISTED_ENDED   500 /* lines of requests, and of exits */

/*
 * Appends what a trace comes to:
 *
 *     {"clock": "CLOCK_MONOTONIC", "seconds", "lost", "full", "gaps", "events", "switches",
 *      "preemptions", "wake_ups", "starts", "migrations", "ran_seconds", "waited_seconds",
 *      "n_threads", "threads": [{"tid", "pid", "name", "process", "ran_seconds", "slices",
 * "voluntary", "involuntary", "waits", "waited_seconds", "longest_wait": WAIT|null, "blocks",
 *      "blocked_seconds", "wake_ups", "migrations"}],
 *      "cpus": [{"cpu", "ran_seconds", "idle_seconds", "switches", "wake_ups",
 *                "threads": [{"thread": THREAD, "seconds", "slices"}]}],
 *      "preempted": [{"by": THREAD, "thread": THREAD, "count"}],
 *      "longest_waits": [WAIT],
 *      "requests": {"refusal", "count", "bytes", "errors",
 *                   "by_device": [{"device", "operation", "count", "bytes", "errors",
 *                                  "queued_mean_seconds", TOOK}]},
 *      "exits": {"refusal", "count", "seconds", "n_lines",
 *                "by_vcpu": [{"guest": THREAD, "vcpu", "reason", "count", TOOK}]}}
 *
 * with THREAD {"tid", "pid", "name"} and WAIT {"thread": THREAD, "start", "seconds",
 * "waker": THREAD|null}; idle_seconds is null but for the machine. TOOK is "seconds",
 * "mean_seconds", "p50_seconds", "p99_seconds" and "longest": {"thread": THREAD, "start",
 * "seconds"}, null where not known. "requests" and "exits" are null of a run of an earlier version;
 * "refusal" says why there are none, or is null. 0 or -ENOMEM.
 */
int schedule_text_append_report(const struct schedule_trace *trace, struct text *text);

/*
 * Appends a line of names, and a line for each event:
 *
 *     seconds, event, cpu: when what happened where; "runs", "switch", "wake", "start", "move",
 *                          "request", "exit", which are told of when they have ended
 *     tid, pid, name       who leaves the CPU, wakes, starts or was found running; who has caused
 *                          the request, and the thread of the vCPU
 *     state, ran_seconds   of a switch: how it leaves, as ps(1) has it, R: preempted; for how long
 *                          it had the CPU
 *     to_tid, to_pid, to_name
 *                          who comes, is woken, started or moved
 *     waited_seconds       of a switch: how long who comes has waited for a CPU
 *     blocked_seconds      and for how long it was blocked before
 *     waker_tid            and who woke it
 *     from_cpu, to_cpu     of a move
 *     lost                 how many events of the CPU are missing before this one
 *     device, operation, bytes, error, queued_seconds
 *                          of a request; error is an errno, 0: it has not failed
 *     reason, vcpu         of an exit
 *     took_seconds         a request, from when it was given to the device; the guest was outside
 *
 * What is not known is empty. 0 or -ENOMEM.
 */
int schedule_text_append_csv(const struct schedule_trace *trace, struct text *text);

/*
 * Appends the trace in the trace-event format of Chrome, which Perfetto and chrome://tracing open
 * ("Trace Event Format", Google, 2016): a track for each CPU with who had it, and one for each
 * thread of the target with when it had which CPU, and when it waited for one and who had woken it;
 * requests as asynchronous slices of their device, and exits of guests as slices of their vCPU.
 * Times are CLOCK_MONOTONIC since recording began, in microseconds. Lost records are instants on
 * their CPU, and stand in "otherData". Threads that take turns at once, or whose names have to be
 * escaped, can make it long: if it takes more than about most_bytes, it ends before, and an instant
 * of the whole trace says so. 0 or -ENOMEM.
 */
int schedule_text_append_trace_events(const struct schedule_trace *trace, size_t most_bytes,
                                      struct text *text);
