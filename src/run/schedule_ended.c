/* SPDX-License-Identifier: Apache-2.0 */
#include "run/schedule_ended.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"

/*
 * What a request has failed with: a kernel tells a negative errno, or its own status (blk_status_t,
 * of which only those stand here that have never changed).
 */
static uint32_t error_of(uint32_t told)
{
    static const uint8_t of_status[] = {0,         EOPNOTSUPP, ETIMEDOUT, ENOSPC, ENOLINK,
                                        EREMOTEIO, EBADE,      ENODATA,   EILSEQ, ENOMEM};

    if ((int32_t)told < 0)
        return 0 - told;
    if (told < ARRAY_SIZE(of_status))
        return of_status[told];
    return EIO;
}

/* A time of the kernel since recording began. 0 means that it is not known. */
static uint64_t since(uint64_t time_ns, uint64_t start_ns)
{
    if (time_ns == 0)
        return SCHEDULE_UNKNOWN_NS;
    return time_ns > start_ns ? time_ns - start_ns : 0;
}

/* The index of a device. There are few. 0 or -ENOMEM. */
static int find_device(struct schedule_trace *trace, uint64_t number, uint32_t *ret_device)
{
    struct schedule_device *devices;
    size_t i = 0;

    while (i < trace->n_devices && trace->devices[i].number != number)
        i++;
    if (i == SCHEDULE_DEVICES_MAX)
        i--;
    *ret_device = (uint32_t)i;
    if (i < trace->n_devices)
        return 0;
    devices = array_reserve(trace->devices, sizeof(*devices), &trace->most_devices, i + 1);
    if (!devices)
        return -ENOMEM;
    trace->devices = devices;
    devices[trace->n_devices++] = (struct schedule_device){.number = number};
    return 0;
}

static int add_request(struct schedule_trace *trace, const struct schedule_record *record,
                       uint64_t start_ns, struct schedule_event *event)
{
    struct schedule_request request = {.begun_ns = since(record->request.begun_ns, start_ns),
                                       .issued_ns = since(record->request.issued_ns, start_ns),
                                       .ended_ns = event->time_ns,
                                       .bytes = record->to,
                                       .error = error_of(record->state),
                                       .thread = event->a,
                                       .operation = record->request.operation};
    struct schedule_request *requests = array_reserve(trace->requests, sizeof(*requests),
                                                      &trace->most_requests, trace->n_requests + 1);

    if (!requests)
        return -ENOMEM;
    trace->requests = requests;
    if (find_device(trace, record->request.device, &request.device) < 0)
        return -ENOMEM;
    event->state = (uint32_t)trace->n_requests;
    requests[trace->n_requests++] = request;
    return 0;
}

static int add_exit(struct schedule_trace *trace, const struct schedule_record *record,
                    uint64_t start_ns, struct schedule_event *event)
{
    struct schedule_exit *exits =
        array_reserve(trace->exits, sizeof(*exits), &trace->most_exits, trace->n_exits + 1);

    if (!exits)
        return -ENOMEM;
    trace->exits = exits;
    event->state = (uint32_t)trace->n_exits;
    exits[trace->n_exits++] = (struct schedule_exit){
        .begun_ns = record->exit.begun_ns > start_ns ? record->exit.begun_ns - start_ns : 0,
        .ended_ns = event->time_ns,
        .thread = event->a,
        .vcpu = record->exit.vcpu,
        .isa = record->exit.isa,
        .code = record->exit.code};
    return 0;
}

int schedule_ended_add(struct schedule_trace *trace, const struct schedule_record *record,
                       uint64_t start_ns, struct schedule_event *event)
{
    event->to = 0;
    return record->kind == SCHEDULE_REQUEST ? add_request(trace, record, start_ns, event)
                                            : add_exit(trace, record, start_ns, event);
}

void schedule_trace_name_device(struct schedule_trace *trace, size_t device, const char *name)
{
    (void)snprintf(trace->devices[device].name, sizeof(trace->devices[device].name), "%s", name);
}
