/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/followed_spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/breakdown.h"
#include "count/perf_group.h"

struct followed_span {
    char name[BREAKDOWN_LABEL_BYTES]; /* empty: the number is free */
    struct event_code codes[SPAN_SIDES];
    struct event_field keys[SPAN_SIDES];
    int events[SPAN_SIDES]; /* descriptors; -1: not open */
};

struct followed_spans {
    const struct perf_ops *ops;
    struct followed_span spans[SPANS_MOST];
};

struct followed_spans *followed_spans_new(const struct perf_ops *ops)
{
    struct followed_spans *spans = calloc(1, sizeof(*spans));

    if (spans)
        spans->ops = ops;
    return spans;
}

static void end(const struct followed_spans *spans, struct followed_span *span)
{
    for (size_t side = 0; side < SPAN_SIDES; side++) {
        if (span->events[side] >= 0)
            spans->ops->close(spans->ops->context, span->events[side]);
        event_code_done(&span->codes[side]);
    }
    *span = (struct followed_span){0};
}

struct followed_spans *followed_spans_free(struct followed_spans *spans)
{
    if (!spans)
        return NULL;
    followed_spans_keep(spans, NULL, NULL, 0);
    free(spans);
    return NULL;
}

static bool is_same(const struct followed_span *followed, const struct span *span)
{
    for (size_t side = 0; side < SPAN_SIDES; side++)
        if (!event_code_equal(&followed->codes[side], &span->events[side]->code) ||
            followed->keys[side].offset != span->keys[side].offset ||
            followed->keys[side].size != span->keys[side].size)
            return false;
    return strcmp(followed->name, span->name) == 0;
}

static bool is_wanted(const struct followed_span *followed, const struct span *wanted, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (is_same(followed, &wanted[i]))
            return true;
    return false;
}

void followed_spans_keep(struct followed_spans *spans, struct keyed_program *program,
                         const struct span *wanted, size_t n_wanted)
{
    for (size_t number = 0; number < SPANS_MOST; number++) {
        struct followed_span *span = &spans->spans[number];

        if (!*span->name || (program && is_wanted(span, wanted, n_wanted)))
            continue;
        end(spans, span);
        if (program)
            spans_program_remove(program, number);
    }
}

static int open_event(const struct followed_spans *spans, const struct event *event,
                      const struct cpu_list *cpus)
{
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = cpus};
    const struct perf_site site = {.scope = &scope};

    return perf_event_open_at(spans->ops, event, &site, -1);
}

/* Why the events cannot be counted; NULL: they are open. */
static const char *open_events(const struct followed_spans *spans, const struct span *span,
                               const struct cpu_list *cpus, struct followed_span *ret_followed)
{
    for (size_t side = 0; side < SPAN_SIDES; side++) {
        const int fd = open_event(spans, span->events[side], cpus);

        ret_followed->events[side] = fd;
        if (fd == -EACCES || fd == -EPERM)
            return "its events may not be opened: CAP_PERFMON, or for a probe CAP_SYS_ADMIN, is "
                   "missing";
        if (fd == -EMFILE || fd == -ENFILE)
            return "no descriptors are left for its events";
        if (fd < 0)
            return "the kernel refuses one of its events";
        ret_followed->codes[side] = event_code_copy(&span->events[side]->code);
        ret_followed->keys[side] = span->keys[side];
    }
    return NULL;
}

static const char *attach(const struct followed_spans *spans, struct keyed_program *program,
                          size_t number, const struct span *span)
{
    struct span_event events[SPAN_SIDES];
    enum bpf_refusal refusal;

    for (size_t side = 0; side < SPAN_SIDES; side++)
        events[side] = (struct span_event){span->events[side]->kind == EVENT_TRACEPOINT,
                                           span->keys[side].offset, span->keys[side].size};
    if (spans_program_add(program, number, events, &refusal) < 0)
        return bpf_refusal_text(refusal);
    for (size_t side = SPAN_SIDES; side-- > 0;) /* no begin before there is who sees its end */
        if (spans->ops->ioctl(
                spans->ops->context, spans->spans[number].events[side], PERF_EVENT_IOC_SET_BPF,
                (unsigned long)spans_program_descriptor(program, number, (enum span_side)side)) < 0)
            return "the kernel lets no program be attached to one of its events";
    return NULL;
}

static size_t find_free(const struct followed_spans *spans)
{
    size_t number = 0;

    while (number < SPANS_MOST && *spans->spans[number].name)
        number++;
    return number;
}

const char *followed_spans_add(struct followed_spans *spans, struct keyed_program *program,
                               const struct span *span, const struct cpu_list *cpus)
{
    const size_t number = find_free(spans);
    struct followed_span *followed;
    const char *reason;

    for (size_t i = 0; i < SPANS_MOST; i++)
        if (*spans->spans[i].name && is_same(&spans->spans[i], span))
            return NULL;
    if (number == SPANS_MOST)
        return "there are too many spans";
    followed = &spans->spans[number];
    followed->events[SPAN_BEGIN] = followed->events[SPAN_END] = -1;
    reason = open_events(spans, span, cpus, followed);
    if (!reason)
        reason = attach(spans, program, number, span);
    if (reason) {
        end(spans, followed);
        spans_program_remove(program, number);
        return reason;
    }
    (void)strncpy(followed->name, span->name, sizeof(followed->name) - 1);
    return NULL;
}

const char *followed_spans_name(const struct followed_spans *spans, uint64_t number)
{
    return number < SPANS_MOST ? spans->spans[number].name : "";
}
