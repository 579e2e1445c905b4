/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Requests to a device overlap, and so they are asynchronous slices (phases b and e), which a
 * viewer lays beside each other; each device is a process. Exits of a vCPU come one after the
 * other, but their ends are not those of its slices on CPUs: each has a track of its own. What does
 * not change from slice to slice is written as shortly as it can be: there may be 300,000.
 */
#include "run/schedule_ended_trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "expose/json_text.h"
#include "run/schedule_ended_report.h"
#include "sys/kvm_exit_reasons.h"

static void append_us(struct text *text, uint64_t ns)
{
    text_append_format(text, "%" PRIu64 ".%03u", ns / 1000, (unsigned)(ns % 1000));
}

static void append_thread(const struct schedule_trace *trace, uint32_t thread, struct text *text)
{
    char name[SCHEDULE_NAME_SIZE + 12];

    (void)snprintf(name, sizeof(name), "%s:%" PRIu32, trace->threads[thread].name,
                   trace->threads[thread].tid);
    json_append_string(text, name);
}

/* Begins or ends the slice of a request. */
static void append_end(const struct schedule_trace *trace, size_t index, char phase, int pid,
                       struct text *text)
{
    const struct schedule_request *request = &trace->requests[index];

    text_append_format(text,
                       ",\n{\"ph\":\"%c\",\"cat\":\"block\",\"id\":%zu,\"pid\":%d,\"ts\":", phase,
                       index, pid);
    append_us(text, phase == 'b' && request->issued_ns != SCHEDULE_UNKNOWN_NS ? request->issued_ns
                                                                              : request->ended_ns);
    text_append_format(text, ",\"name\":\"%s\"", block_operation_name(request->operation));
}

static void append_request(const struct schedule_trace *trace, size_t index, int first_pid,
                           struct text *text)
{
    const struct schedule_request *request = &trace->requests[index];
    const int pid = first_pid + (int)request->device;

    append_end(trace, index, 'b', pid, text);
    text_append_string(text, ",\"args\":{\"by\":");
    append_thread(trace, request->thread, text);
    text_append_format(text, ",\"bytes\":%" PRIu32, request->bytes);
    if (request->error)
        text_append_format(text, ",\"error\":%" PRIu32, request->error);
    text_append_string(text, "}}");
    append_end(trace, index, 'e', pid, text);
    text_append_char(text, '}');
}

static void append_exit(const struct schedule_trace *trace, const struct schedule_exit *exit,
                        int pid, struct text *text)
{
    char reason[KVM_EXIT_REASON_SIZE];

    kvm_exit_reason_name(exit->isa, exit->code, reason);
    text_append_format(text, ",\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":", pid,
                       trace->threads[exit->thread].tid);
    append_us(text, exit->begun_ns);
    text_append_string(text, ",\"dur\":");
    append_us(text, schedule_exit_took(exit));
    text_append_string(text, ",\"name\":");
    json_append_string(text, reason);
    if (exit->vcpu != SCHEDULE_NO_VCPU)
        text_append_format(text, ",\"args\":{\"vcpu\":%" PRIu32 "}", exit->vcpu);
    text_append_char(text, '}');
}

static void append_process(const char *name, int pid, struct text *text)
{
    text_append_format(
        text, ",\n{\"ph\":\"M\",\"pid\":%d,\"name\":\"process_name\",\"args\":{\"name\":", pid);
    json_append_string(text, name);
    text_append_string(text, "}}");
}

/* Names the track of each thread that has left a guest. 0 or -ENOMEM. */
static int append_vcpus(const struct schedule_trace *trace, int pid, struct text *text)
{
    AUTO_FREE bool *is_vcpu = calloc(trace->n_threads, sizeof(*is_vcpu));

    if (!is_vcpu)
        return -ENOMEM;
    for (size_t i = 0; i < trace->n_exits; i++)
        is_vcpu[trace->exits[i].thread] = true;
    for (size_t i = 0; i < trace->n_threads; i++) {
        if (!is_vcpu[i])
            continue;
        text_append_format(text,
                           ",\n{\"ph\":\"M\",\"pid\":%d,\"tid\":%" PRIu32
                           ",\"name\":\"thread_name\",\"args\":{\"name\":",
                           pid, trace->threads[i].tid);
        append_thread(trace, (uint32_t)i, text);
        text_append_string(text, "}}");
    }
    return 0;
}

void schedule_ended_append_trace_event(const struct schedule_trace *trace,
                                       const struct schedule_event *event, int first_pid,
                                       struct text *text)
{
    if (event->kind == SCHEDULE_REQUEST)
        append_request(trace, event->state, first_pid + 1, text);
    else
        append_exit(trace, &trace->exits[event->state], first_pid, text);
}

int schedule_ended_append_names(const struct schedule_trace *trace, int first_pid,
                                struct text *text)
{
    for (size_t i = 0; i < trace->n_devices; i++)
        append_process(trace->devices[i].name, first_pid + 1 + (int)i, text);
    if (trace->n_exits == 0)
        return 0;
    append_process("Exits of guests", first_pid, text);
    return append_vcpus(trace, first_pid, text);
}
