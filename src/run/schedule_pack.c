/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A trace as bytes: a version, what it is as a whole, the threads, and then each part of all events
 * in turn, since equal parts compress well beside each other. Times are differences from the event
 * before. Devices, requests and exits follow likewise; version 2 had none of them, and is still
 * read. It is what somebody keeps, and so what is read may be damaged.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/varint.h"
#include "run/schedule_trace.h"

#define VERSION           3
#define VERSION_OF_EVENTS 2

/* How a part of an item is read and written: where it is, and its bytes. */
struct part {
    size_t offset, size;
};

#define PART(type, name)                                                                           \
    {                                                                                              \
        offsetof(struct type, name), sizeof(((struct type){0}).name)                               \
    }

/* Items of one kind, and their parts; the times of events are apart. */
struct items {
    size_t size;
    const struct part *parts;
    size_t n_parts;
};

static const struct part event_parts[] = {
    PART(schedule_event, kind), PART(schedule_event, flags), PART(schedule_event, cpu),
    PART(schedule_event, a),    PART(schedule_event, b),     PART(schedule_event, state),
    PART(schedule_event, to),   PART(schedule_event, lost),
};
static const struct part request_parts[] = {
    PART(schedule_request, begun_ns), PART(schedule_request, issued_ns),
    PART(schedule_request, ended_ns), PART(schedule_request, bytes),
    PART(schedule_request, error),    PART(schedule_request, thread),
    PART(schedule_request, device),   PART(schedule_request, operation),
};
static const struct part exit_parts[] = {
    PART(schedule_exit, begun_ns), PART(schedule_exit, ended_ns), PART(schedule_exit, thread),
    PART(schedule_exit, vcpu),     PART(schedule_exit, isa),      PART(schedule_exit, code),
};

#define ITEMS(type, parts)                                                                         \
    {                                                                                              \
        sizeof(struct type), parts, ARRAY_SIZE(parts)                                              \
    }
static const struct items events = ITEMS(schedule_event, event_parts);
static const struct items requests = ITEMS(schedule_request, request_parts);
static const struct items exits = ITEMS(schedule_exit, exit_parts);

static uint64_t get_part(const char *item, const struct part *part)
{
    const char *at = item + part->offset;
    uint64_t whole;
    uint32_t wide;
    uint16_t half;

    switch (part->size) {
    case sizeof(whole):
        memcpy(&whole, at, sizeof(whole));
        return whole;
    case sizeof(wide):
        memcpy(&wide, at, sizeof(wide));
        return wide;
    case sizeof(half):
        memcpy(&half, at, sizeof(half));
        return half;
    default:
        return (unsigned char)*at;
    }
}

static void set_part(char *item, const struct part *part, uint64_t value)
{
    char *at = item + part->offset;
    const uint32_t wide = (uint32_t)value;
    const uint16_t half = (uint16_t)value;

    if (part->size == sizeof(value))
        memcpy(at, &value, sizeof(value));
    else if (part->size == sizeof(wide))
        memcpy(at, &wide, sizeof(wide));
    else if (part->size == sizeof(half))
        memcpy(at, &half, sizeof(half));
    else
        *at = (char)value;
}

static void put_parts(struct text *bytes, const struct items *of, const void *items, size_t n)
{
    for (size_t part = 0; part < of->n_parts; part++)
        for (size_t i = 0; i < n; i++)
            varint_put(bytes, get_part((const char *)items + i * of->size, &of->parts[part]));
}

static void take_parts(struct varint_reader *reader, const struct items *of, void *items, size_t n)
{
    for (size_t part = 0; part < of->n_parts; part++)
        for (size_t i = 0; i < n; i++)
            set_part((char *)items + i * of->size, &of->parts[part], varint_take(reader));
}

static void put_told(struct text *bytes, const struct schedule_told *told)
{
    varint_put(bytes, told->is_told);
    varint_put(bytes, strlen(told->refusal));
    text_append(bytes, told->refusal, strlen(told->refusal));
}

static void put_ended(struct text *bytes, const struct schedule_trace *trace)
{
    put_told(bytes, &trace->requests_told);
    put_told(bytes, &trace->exits_told);
    varint_put(bytes, trace->n_devices);
    for (size_t i = 0; i < trace->n_devices; i++) {
        varint_put(bytes, trace->devices[i].number);
        text_append(bytes, trace->devices[i].name, sizeof(trace->devices[i].name));
    }
    varint_put(bytes, trace->n_requests);
    put_parts(bytes, &requests, trace->requests, trace->n_requests);
    varint_put(bytes, trace->n_exits);
    put_parts(bytes, &exits, trace->exits, trace->n_exits);
}

int schedule_trace_pack(const struct schedule_trace *trace, struct text *bytes)
{
    uint64_t before = 0;

    varint_put(bytes, VERSION);
    varint_put(bytes, trace->duration_ns);
    varint_put(bytes, trace->begun_ns);
    varint_put(bytes, trace->n_lost);
    varint_put(bytes, trace->is_full | (unsigned)trace->is_machine << 1);
    varint_put(bytes, trace->n_threads);
    for (size_t i = 0; i < trace->n_threads; i++) {
        varint_put(bytes, trace->threads[i].tid);
        varint_put(bytes, trace->threads[i].pid);
        varint_put(bytes, trace->threads[i].leader);
        text_append(bytes, trace->threads[i].name, SCHEDULE_NAME_SIZE);
    }
    varint_put(bytes, trace->n_events);
    for (size_t i = 0; i < trace->n_events; i++) {
        varint_put(bytes, varint_of_difference(trace->events[i].time_ns - before));
        before = trace->events[i].time_ns;
    }
    put_parts(bytes, &events, trace->events, trace->n_events);
    put_ended(bytes, trace);
    return text_error(bytes);
}

static int take_threads(struct varint_reader *reader, struct schedule_trace *trace)
{
    const uint64_t n = varint_take(reader);

    if (n == 0 || n > 2 * (uint64_t)SCHEDULE_EVENTS_MAX + 1 ||
        n * SCHEDULE_NAME_SIZE > (uint64_t)(reader->end - reader->at))
        return -EBADMSG;
    free(trace->threads);
    trace->threads = calloc(n, sizeof(*trace->threads));
    trace->n_threads = trace->most_threads = trace->threads ? n : 0;
    if (!trace->threads)
        return -ENOMEM;
    for (uint64_t i = 0; i < n; i++) {
        struct schedule_thread *thread = &trace->threads[i];

        thread->tid = (uint32_t)varint_take(reader);
        thread->pid = (uint32_t)varint_take(reader);
        thread->leader = (uint32_t)varint_take(reader);
        if (reader->end - reader->at < SCHEDULE_NAME_SIZE)
            return -EBADMSG;
        memcpy(thread->name, reader->at, SCHEDULE_NAME_SIZE);
        thread->name[SCHEDULE_NAME_SIZE - 1] = '\0';
        reader->at += SCHEDULE_NAME_SIZE;
    }
    return 0;
}

static int take_events(struct varint_reader *reader, struct schedule_trace *trace)
{
    const uint64_t n = varint_take(reader);
    uint64_t time_ns = 0;

    if (n > SCHEDULE_EVENTS_MAX || n > (uint64_t)(reader->end - reader->at))
        return -EBADMSG;
    trace->events = calloc(n + 1, sizeof(*trace->events));
    if (!trace->events)
        return -ENOMEM;
    trace->n_events = trace->most_events = n;
    for (uint64_t i = 0; i < n; i++) {
        time_ns += varint_to_difference(varint_take(reader));
        trace->events[i].time_ns = time_ns;
    }
    take_parts(reader, &events, trace->events, n);
    return 0;
}

/* Takes so many bytes. Whether they are there. */
static bool take_bytes(struct varint_reader *reader, char *ret_bytes, size_t n)
{
    if ((size_t)(reader->end - reader->at) < n) {
        reader->is_bad = true;
        return false;
    }
    memcpy(ret_bytes, reader->at, n);
    reader->at += n;
    return true;
}

static int take_told(struct varint_reader *reader, struct schedule_told *told)
{
    uint64_t length;

    told->is_told = varint_take(reader);
    length = varint_take(reader);
    return length < sizeof(told->refusal) && take_bytes(reader, told->refusal, length) ? 0
                                                                                       : -EBADMSG;
}

static int take_devices(struct varint_reader *reader, struct schedule_trace *trace)
{
    const uint64_t n = varint_take(reader);

    if (n > SCHEDULE_DEVICES_MAX)
        return -EBADMSG;
    trace->devices = calloc(n + 1, sizeof(*trace->devices));
    if (!trace->devices)
        return -ENOMEM;
    trace->n_devices = trace->most_devices = n;
    for (uint64_t i = 0; i < n; i++) {
        struct schedule_device *device = &trace->devices[i];

        device->number = varint_take(reader);
        if (!take_bytes(reader, device->name, sizeof(device->name)))
            return -EBADMSG;
        device->name[sizeof(device->name) - 1] = '\0';
    }
    return 0;
}

/* Takes items, whose number stands before them. */
static int take_items(struct varint_reader *reader, const struct items *of, void **ret_items,
                      size_t *ret_n)
{
    const uint64_t n = varint_take(reader);

    if (n > SCHEDULE_EVENTS_MAX || n * of->n_parts > (uint64_t)(reader->end - reader->at))
        return -EBADMSG;
    *ret_items = calloc(n + 1, of->size);
    if (!*ret_items)
        return -ENOMEM;
    *ret_n = n;
    take_parts(reader, of, *ret_items, n);
    return 0;
}

static int take_ended(struct varint_reader *reader, struct schedule_trace *trace)
{
    void *items = NULL;
    int r = take_told(reader, &trace->requests_told);

    if (r == 0)
        r = take_told(reader, &trace->exits_told);
    if (r == 0)
        r = take_devices(reader, trace);
    if (r == 0)
        r = take_items(reader, &requests, &items, &trace->n_requests);
    trace->requests = TAKE(items);
    if (r == 0)
        r = take_items(reader, &exits, &items, &trace->n_exits);
    trace->exits = TAKE(items);
    return r;
}

static bool is_time(uint64_t time_ns)
{
    return time_ns <= SCHEDULE_LATEST_NS;
}

static bool check_request(const struct schedule_trace *trace,
                          const struct schedule_request *request)
{
    return request->thread < trace->n_threads && request->device < trace->n_devices &&
           (is_time(request->begun_ns) || request->begun_ns == SCHEDULE_UNKNOWN_NS) &&
           (is_time(request->issued_ns) || request->issued_ns == SCHEDULE_UNKNOWN_NS) &&
           is_time(request->ended_ns);
}

static bool check_exit(const struct schedule_trace *trace, const struct schedule_exit *exit)
{
    return exit->thread < trace->n_threads && is_time(exit->begun_ns) && is_time(exit->ended_ns);
}

static bool check_ended(const struct schedule_trace *trace)
{
    for (size_t i = 0; i < trace->n_requests; i++)
        if (!check_request(trace, &trace->requests[i]))
            return false;
    for (size_t i = 0; i < trace->n_exits; i++)
        if (!check_exit(trace, &trace->exits[i]))
            return false;
    return true;
}

/* Whether what an event refers to is there. */
static bool check_event(const struct schedule_trace *trace, const struct schedule_event *event)
{
    if (!is_time(event->time_ns) || event->a >= trace->n_threads || event->b >= trace->n_threads)
        return false;
    if (event->kind == SCHEDULE_REQUEST)
        return event->state < trace->n_requests;
    if (event->kind == SCHEDULE_EXIT)
        return event->state < trace->n_exits;
    return event->kind < SCHEDULE_KIND_COUNT_;
}

/* Whether whoever reads it may trust it, and how many CPUs there are. */
static bool check_all(struct schedule_trace *trace)
{
    if (!is_time(trace->duration_ns) || !is_time(trace->begun_ns) || !check_ended(trace))
        return false;
    for (size_t i = 0; i < trace->n_threads; i++)
        if (trace->threads[i].leader >= trace->n_threads)
            return false;
    for (size_t i = 0; i < trace->n_events; i++) {
        const struct schedule_event *event = &trace->events[i];

        if (!check_event(trace, event) || (i > 0 && event->time_ns < trace->events[i - 1].time_ns))
            return false;
        if (trace->n_cpus <= event->cpu)
            trace->n_cpus = (size_t)event->cpu + 1;
    }
    return true;
}

int schedule_trace_unpack(const void *bytes, size_t length, struct schedule_trace **ret_trace)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct varint_reader reader = {.at = bytes, .end = (const unsigned char *)bytes + length};
    uint64_t version, flags;
    int r;

    if (!trace)
        return -ENOMEM;
    version = varint_take(&reader);
    if (version != VERSION && version != VERSION_OF_EVENTS)
        return -EBADMSG;
    trace->duration_ns = varint_take(&reader);
    trace->begun_ns = varint_take(&reader);
    trace->n_lost = varint_take(&reader);
    flags = varint_take(&reader);
    trace->is_full = flags & 1;
    trace->is_machine = flags & 2;
    r = take_threads(&reader, trace);
    if (r == 0)
        r = take_events(&reader, trace);
    if (r == 0 && version == VERSION)
        r = take_ended(&reader, trace);
    if (r == 0 && (reader.is_bad || reader.at != reader.end || !check_all(trace)))
        r = -EBADMSG;
    if (r < 0)
        return r;
    *ret_trace = TAKE(trace);
    return 0;
}
