/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What the scheduler has done with the threads of a target, event by event, in the order of time,
 * and which requests to block devices and exits of guests of theirs have ended. It is what a run of
 * kind `schedule` records. It can be shared once it is complete, and is not changed any more.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/reference.h"
#include "base/text.h"
#include "sys/block_device.h"
#include "sys/bpf/schedule/record.h"

/*
 * Events of one trace. They take 10 MB in memory (24 MB where all are requests), and as a file some
 * 30 MB of CSV or 43 MB for Perfetto (60 MB where all are requests, 95 MB where all are
 * preemptions, of which the end is then left out): the server hands out no answer of more than 64
 * MiB.
 */
#define SCHEDULE_EVENTS_MAX 300000

#define SCHEDULE_IDLE   UINT32_C(0) /* the thread that stands for the idle tasks of all CPUs */
#define SCHEDULE_NOBODY UINT32_MAX  /* no thread */

/* A thread. One that was born with the number of another one that has ended is another thread. */
struct schedule_thread {
    uint32_t tid, pid;             /* in the initial PID namespace */
    uint32_t leader;               /* the first thread of its process, by its index */
    char name[SCHEDULE_NAME_SIZE]; /* the last one that it had; bytes with anything in them. Empty:
                                      it is there as a leader only, and nobody has named it */
};

struct schedule_event {
    uint64_t time_ns; /* since recording began */
    uint32_t a, b;    /* threads by their index, as enum schedule_kind says */
    uint32_t state;   /* as in struct schedule_record; of a request or an exit its index */
    uint32_t lost;
    uint16_t to;
    uint16_t cpu;
    uint8_t kind, flags;
};

#define SCHEDULE_UNKNOWN_NS UINT64_MAX

/* No time of a trace that is read is later: up to here a double has each nanosecond. */
#define SCHEDULE_LATEST_NS (UINT64_C(1) << 53)

/* Devices of one trace; requests to any more are those of the last one. */
#define SCHEDULE_DEVICES_MAX 1000

struct schedule_device {
    uint64_t number;                   /* makedev(3) */
    char name[BLOCK_DEVICE_NAME_SIZE]; /* bytes with anything in them. Empty: not known yet */
};

/* A request to a block device, which is completed. Times are since recording began. */
struct schedule_request {
    uint64_t begun_ns, issued_ns; /* made, and given to the device; SCHEDULE_UNKNOWN_NS */
    uint64_t ended_ns;
    uint32_t bytes;
    uint32_t error;     /* errno; 0: it has not failed */
    uint32_t thread;    /* who has caused it */
    uint32_t device;    /* by its index */
    uint32_t operation; /* enum block_operation */
};

/* A guest has left the processor, until it entered again. */
struct schedule_exit {
    uint64_t begun_ns, ended_ns;
    uint32_t thread;    /* that of the vCPU */
    uint32_t vcpu;      /* SCHEDULE_NO_VCPU: not known */
    uint32_t isa, code; /* why, as in sys/bpf/kvm/counts.h */
};

/* Requests, or exits: whether they were recorded. */
struct schedule_told {
    bool is_told;
    char refusal[96]; /* why not, for people; empty: a version has recorded it that did not look */
};

struct schedule_trace {
    struct reference reference;
    struct schedule_thread *threads;
    size_t n_threads, most_threads;
    struct schedule_event *events;
    size_t n_events, most_events;
    struct schedule_told requests_told, exits_told;
    struct schedule_device *devices;
    size_t n_devices, most_devices;
    struct schedule_request *requests; /* in the order in which they came out of the ring */
    size_t n_requests, most_requests;
    struct schedule_exit *exits;
    size_t n_exits, most_exits;
    size_t n_cpus;        /* one more than the highest number of a CPU in it */
    uint64_t duration_ns; /* from the beginning of recording to its end */
    uint64_t begun_ns;    /* until then each CPU has told which thread of the target it ran */
    uint64_t n_lost;      /* records that found no room in the kernel's ring */
    bool is_machine;      /* it is of all threads, so that it has the idle ones too */
    bool is_full;         /* it has ended since there were SCHEDULE_EVENTS_MAX events */
    uint32_t *index;      /* of the threads, by their numbers, while it is made */
    size_t most_index;
};

struct schedule_trace *schedule_trace_new(void); /* NULL: no memory */
struct schedule_trace *schedule_trace_ref(struct schedule_trace *trace);
struct schedule_trace *schedule_trace_unref(struct schedule_trace *trace);
DEFINE_AUTO(schedule_trace, struct schedule_trace *, schedule_trace_unref)

/*
 * Adds a record of the kernel, which may be a little older than those before it. start_ns: when
 * recording began, by CLOCK_MONOTONIC. 0; -ENOSPC: the trace is full; -ENOMEM.
 */
int schedule_trace_add(struct schedule_trace *trace, const struct schedule_record *record,
                       uint64_t start_ns);

/*
 * Names a thread that has no name yet: a leader that has done nothing itself. A name of the
 * kernel's records stands before it.
 */
void schedule_trace_name(struct schedule_trace *trace, uint32_t thread, const char *name);

/* Names a device. */
void schedule_trace_name_device(struct schedule_trace *trace, size_t device, const char *name);

/* Whether the event is one of the scheduler, on its CPU: none that has only ended there. */
static inline bool schedule_event_is_on_cpu(const struct schedule_event *event)
{
    return event->kind != SCHEDULE_REQUEST && event->kind != SCHEDULE_EXIT;
}

/* The letter of the state in which a thread leaves its CPU, as ps(1) shows it; 'R': it could have
 * gone on. */
char schedule_state_letter(uint32_t state);

/* Whether a thread in this state is never seen again. */
bool schedule_state_is_end(uint32_t state);

/* Appends the trace as bytes that compress well. 0 or -ENOMEM. */
int schedule_trace_pack(const struct schedule_trace *trace, struct text *bytes);

/* Makes a trace of such bytes. 0; -EBADMSG: they are none; -ENOMEM. */
int schedule_trace_unpack(const void *bytes, size_t length, struct schedule_trace **ret_trace);
