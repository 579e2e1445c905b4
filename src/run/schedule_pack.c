/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A trace as bytes: a version, what it is as a whole, the threads, and then each part of all events
 * in turn, since equal parts compress well beside each other. Times are differences from the event
 * before. It is what somebody keeps, and so what is read may be damaged.
 */
#include <errno.h>
#include <string.h>

#include "run/schedule_trace.h"
#include "run/varint.h"

#define VERSION 2

/* How a part of an event is read and written. */
static const struct {
    size_t offset, size;
} parts[] = {
#define PART(name)                                                                                 \
    {                                                                                              \
        offsetof(struct schedule_event, name), sizeof((struct schedule_event){0}.name)             \
    }
    PART(kind), PART(flags), PART(cpu), PART(a), PART(b), PART(state), PART(to), PART(lost),
};

static uint64_t get_part(const struct schedule_event *event, size_t part)
{
    const char *at = (const char *)event + parts[part].offset;
    uint32_t wide;
    uint16_t half;

    if (parts[part].size == sizeof(wide)) {
        memcpy(&wide, at, sizeof(wide));
        return wide;
    }
    if (parts[part].size == sizeof(half)) {
        memcpy(&half, at, sizeof(half));
        return half;
    }
    return (unsigned char)*at;
}

static void set_part(struct schedule_event *event, size_t part, uint64_t value)
{
    char *at = (char *)event + parts[part].offset;
    const uint32_t wide = (uint32_t)value;
    const uint16_t half = (uint16_t)value;

    if (parts[part].size == sizeof(wide))
        memcpy(at, &wide, sizeof(wide));
    else if (parts[part].size == sizeof(half))
        memcpy(at, &half, sizeof(half));
    else
        *at = (char)value;
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
    for (size_t part = 0; part < ARRAY_SIZE(parts); part++)
        for (size_t i = 0; i < trace->n_events; i++)
            varint_put(bytes, get_part(&trace->events[i], part));
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
    for (size_t part = 0; part < ARRAY_SIZE(parts); part++)
        for (uint64_t i = 0; i < n; i++)
            set_part(&trace->events[i], part, varint_take(reader));
    return 0;
}

/* Whether whoever reads it may trust it, and how many CPUs there are. */
static bool check_all(struct schedule_trace *trace)
{
    for (size_t i = 0; i < trace->n_threads; i++)
        if (trace->threads[i].leader >= trace->n_threads)
            return false;
    for (size_t i = 0; i < trace->n_events; i++) {
        const struct schedule_event *event = &trace->events[i];

        if (event->a >= trace->n_threads || event->b >= trace->n_threads ||
            event->kind >= SCHEDULE_KIND_COUNT_ ||
            (i > 0 && event->time_ns < trace->events[i - 1].time_ns))
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
    uint64_t flags;
    int r;

    if (!trace)
        return -ENOMEM;
    if (varint_take(&reader) != VERSION)
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
    if (r == 0 && (reader.is_bad || reader.at != reader.end || !check_all(trace)))
        r = -EBADMSG;
    if (r < 0)
        return r;
    *ret_trace = TAKE(trace);
    return 0;
}
