/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the requests to block devices and the exits of guests of a trace come to: by device and
 * operation, and by guest, vCPU and reason. Percentiles are those of all of them, by nearest rank.
 */

#include "run/schedule_trace.h"

struct schedule_durations {
    uint64_t n;  /* whose duration is known */
    uint64_t ns; /* of all of them */
    uint64_t p50_ns, p99_ns;
    size_t longest; /* the index of the longest one; undefined if there is none */
};

struct schedule_request_figures {
    uint32_t device, operation;
    uint64_t n, bytes, n_errors;
    struct schedule_durations took; /* given to the device, until completed */
    uint64_t n_queued, queued_ns;   /* made, until given to the device */
};

struct schedule_exit_figures {
    uint32_t process; /* of the guest: its first thread */
    uint32_t vcpu, isa, code;
    struct schedule_durations took; /* until the guest was entered again */
};

/* Each list has those first whose time was longest in all. */
struct schedule_ended_report {
    struct schedule_request_figures *requests;
    size_t n_requests;
    struct schedule_exit_figures *exits;
    size_t n_exits;
};

/* 0 or -ENOMEM. The report is to be ended by schedule_ended_report_done() in any case. */
int schedule_ended_report_make(const struct schedule_trace *trace,
                               struct schedule_ended_report *ret_report);
void schedule_ended_report_done(struct schedule_ended_report *report);

/* How long a request was with the device; SCHEDULE_UNKNOWN_NS: it is not known. */
static inline uint64_t schedule_request_took(const struct schedule_request *request)
{
    if (request->issued_ns == SCHEDULE_UNKNOWN_NS)
        return SCHEDULE_UNKNOWN_NS;
    return request->ended_ns > request->issued_ns ? request->ended_ns - request->issued_ns : 0;
}

/* And how long it was in the queue before. */
static inline uint64_t schedule_request_queued(const struct schedule_request *request)
{
    if (request->issued_ns == SCHEDULE_UNKNOWN_NS || request->begun_ns == SCHEDULE_UNKNOWN_NS)
        return SCHEDULE_UNKNOWN_NS;
    return request->issued_ns > request->begun_ns ? request->issued_ns - request->begun_ns : 0;
}

/* How long a guest was outside. */
static inline uint64_t schedule_exit_took(const struct schedule_exit *exit)
{
    return exit->ended_ns > exit->begun_ns ? exit->ended_ns - exit->begun_ns : 0;
}
