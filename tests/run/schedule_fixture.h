/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Traces that are made by hand, a record a line, with times in microseconds. */

#include "support/check.h"

#include <stdio.h>
#include <string.h>

#include "run/schedule_trace.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/kvm/counts.h"

#define US     UINT64_C(1000)
#define START  UINT64_C(5000000000) /* of recording, by CLOCK_MONOTONIC */
#define BOTH   (SCHEDULE_A_IS_OURS | SCHEDULE_B_IS_OURS)
#define SLEEPS 1 /* TASK_INTERRUPTIBLE */

static inline struct schedule_task fixture_task(uint32_t tid)
{
    struct schedule_task task = {.tid = tid, .pid = tid < 10 ? tid : tid - tid % 10};

    if (tid == 0)
        (void)snprintf(task.name, sizeof(task.name), "swapper/0");
    else
        (void)snprintf(task.name, sizeof(task.name), "t%u", tid);
    return task;
}

static inline struct schedule_record fixture_record(enum schedule_kind kind, uint64_t us,
                                                    unsigned cpu, uint32_t a, uint32_t b)
{
    return (struct schedule_record){.time_ns = START + us * US,
                                    .cpu = (uint16_t)cpu,
                                    .kind = (uint8_t)kind,
                                    .flags = BOTH,
                                    .a = fixture_task(a),
                                    .b = fixture_task(b)};
}

static inline void fixture_add(struct schedule_trace *trace, const struct schedule_record *record)
{
    assert_int_equal(schedule_trace_add(trace, record, START), 0);
}

static inline void fixture_switch(struct schedule_trace *trace, uint64_t us, unsigned cpu,
                                  uint32_t a, uint32_t state, uint32_t b)
{
    struct schedule_record record = fixture_record(SCHEDULE_SWITCH, us, cpu, a, b);

    record.state = state;
    fixture_add(trace, &record);
}

static inline void fixture_wake(struct schedule_trace *trace, uint64_t us, unsigned cpu, uint32_t a,
                                uint32_t b)
{
    const struct schedule_record record = fixture_record(SCHEDULE_WAKE, us, cpu, a, b);

    fixture_add(trace, &record);
}

static inline void fixture_runs(struct schedule_trace *trace, uint64_t us, unsigned cpu, uint32_t b)
{
    const struct schedule_record record = fixture_record(SCHEDULE_RUNS, us, cpu, b, b);

    fixture_add(trace, &record);
}

/* The thread's index in the trace. */
static inline uint32_t fixture_index(const struct schedule_trace *trace, uint32_t tid)
{
    for (uint32_t i = 0; i < trace->n_threads; i++)
        if (trace->threads[i].tid == tid)
            return i;
    fail_msg("no thread %u", tid);
    return 0;
}

/*
 * On CPU 0 the thread 11 wakes 12 at 100 us and sleeps from 300 us on; 12 runs, is preempted by 13
 * at 500 us, and comes back at 600 us, when 13 sleeps. CPU 1 is idle but for 700 to 800 us. It
 * lasts 1000 us.
 */
static inline struct schedule_trace *fixture_trace(void)
{
    struct schedule_trace *trace = schedule_trace_new();

    assert_non_null(trace);
    trace->is_machine = true;
    fixture_runs(trace, 5, 0, 11);
    fixture_runs(trace, 7, 1, 0);
    fixture_wake(trace, 100, 0, 11, 12);
    fixture_switch(trace, 300, 0, 11, SLEEPS, 12);
    fixture_wake(trace, 450, 1, 0, 13);
    fixture_switch(trace, 500, 0, 12, 0, 13);
    fixture_switch(trace, 600, 0, 13, SLEEPS, 12);
    fixture_wake(trace, 690, 0, 12, 13);
    fixture_switch(trace, 700, 1, 0, 0, 13);
    fixture_switch(trace, 800, 1, 13, SLEEPS, 0);
    trace->duration_ns = 1000 * US;
    return trace;
}

/* A request that was made and given to the device (0: not known) and completed at these times. */
static inline void fixture_request(struct schedule_trace *trace, uint64_t made_us,
                                   uint64_t issued_us, uint64_t ended_us, uint32_t operation,
                                   uint32_t bytes, uint32_t error)
{
    struct schedule_record record = fixture_record(SCHEDULE_REQUEST, ended_us, 1, 12, 0);

    record.to = bytes;
    record.state = error;
    record.request =
        (struct schedule_request_part){.begun_ns = made_us ? START + made_us * US : 0,
                                       .issued_ns = issued_us ? START + issued_us * US : 0,
                                       .device = 254 << 8,
                                       .operation = operation};
    fixture_add(trace, &record);
}

static inline void fixture_exit(struct schedule_trace *trace, uint64_t begun_us, uint64_t ended_us,
                                uint32_t thread, uint32_t vcpu, uint32_t code)
{
    struct schedule_record record = fixture_record(SCHEDULE_EXIT, ended_us, 0, thread, 0);

    record.exit = (struct schedule_exit_part){
        .begun_ns = START + begun_us * US, .isa = KVM_ISA_SVM, .code = code, .vcpu = vcpu};
    fixture_add(trace, &record);
}

/*
 * It lasts 20 ms. The thread 12 reads 100 times from vda, which take 1 us, 2 us, …, 100 us; one of
 * its writes fails after 500 us, and of a flush it is not known how long it took. The vCPUs 0 and 1
 * are the threads 11 and 12, and that of 13 is not known.
 */
static inline struct schedule_trace *fixture_ended_trace(void)
{
    struct schedule_trace *trace = fixture_trace();

    trace->requests_told.is_told = trace->exits_told.is_told = true;
    for (uint64_t i = 1; i <= 100; i++)
        fixture_request(trace, 100 * i, 100 * i + 2, 101 * i + 2, BLOCK_READ, 512, 0);
    schedule_trace_name_device(trace, 0, "vda");
    fixture_request(trace, 0, 12000, 12500, BLOCK_WRITE, 4096, (uint32_t)-5);
    fixture_request(trace, 0, 0, 13000, BLOCK_FLUSH, 0, 0);
    fixture_exit(trace, 1000, 1030, 11, 0, 0x7b);
    fixture_exit(trace, 1100, 1140, 11, 0, 0x7b);
    fixture_exit(trace, 1950, 2050, 12, 1, 0x78);
    fixture_exit(trace, 3000, 3020, 13, SCHEDULE_NO_VCPU, 0x7777);
    trace->duration_ns = 20000 * US;
    return trace;
}
