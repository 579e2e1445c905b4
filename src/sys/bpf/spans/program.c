/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The programs of all spans count in one table, which stays when spans come and go.
 */
#include "sys/bpf/spans/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"

#include <spans.skel.h>

struct spans_program {
    struct keyed_program keyed;
    const struct switch_program *of; /* borrowed */
    size_t entries;
    struct spans_bpf *spans[SPANS_MOST];     /* NULL: the number is free */
    int descriptors[SPANS_MOST][SPAN_SIDES]; /* of what is loaded of a span; they are its own */
    uint64_t lost_before;                    /* by spans that have ended */
};

/* A span that is being loaded. */
struct loading {
    const struct spans_program *program;
    size_t number;
    const struct span_event *events;
    struct spans_bpf *skeleton;
    int *descriptors; /* [SPAN_SIDES] */
};

static int make_table(void *loaded)
{
    struct spans_program *program = loaded;

    return keyed_table_new(program->entries, &program->keyed.table);
}

static uint64_t lost_by(const struct spans_bpf *span)
{
    return span ? __atomic_load_n(&span->bss->n_lost, __ATOMIC_RELAXED) : 0;
}

static uint64_t lost(const struct keyed_program *keyed)
{
    const struct spans_program *program = (const struct spans_program *)keyed;
    uint64_t lost = program->lost_before;

    for (size_t i = 0; i < SPANS_MOST; i++)
        lost += lost_by(program->spans[i]);
    return lost;
}

static void end(struct keyed_program *keyed)
{
    struct spans_program *program = (struct spans_program *)keyed;

    for (size_t i = 0; i < SPANS_MOST; i++)
        spans_program_remove(keyed, i);
    free(program);
}

int spans_program_load(const struct switch_program *of, size_t entries,
                       struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    struct spans_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    *program =
        (struct spans_program){.keyed = {.lost = lost, .end = end}, .of = of, .entries = entries};
    r = bpf_load_quietly(make_table, program, ret_refusal);
    if (r >= 0)
        *ret_program = &program->keyed;
    else
        (void)keyed_program_free(&program->keyed);
    return r;
}

/* The one of the two programs of a side that its event takes; the other is not loaded. */
static struct bpf_program *choose(struct bpf_program *of_tracepoint, struct bpf_program *of_probe,
                                  const struct span_event *event)
{
    (void)bpf_program__set_autoload(of_tracepoint, event->is_tracepoint);
    (void)bpf_program__set_autoload(of_probe, !event->is_tracepoint);
    return event->is_tracepoint ? of_tracepoint : of_probe;
}

static int prepare(struct loading *loading)
{
    struct spans_bpf *skeleton = loading->skeleton;
    const struct span_event *begin = &loading->events[SPAN_BEGIN];
    const struct span_event *end = &loading->events[SPAN_END];
    bool v1;
    int r =
        bpf_prepare_keyed(skeleton->obj, loading->program->of, loading->program->keyed.table, &v1);

    if (r < 0)
        return r;
    skeleton->rodata->is_v1 = v1;
    skeleton->rodata->number = (uint32_t)loading->number;
    skeleton->rodata->begin_offset = begin->offset;
    skeleton->rodata->begin_size = begin->size;
    skeleton->rodata->end_offset = end->offset;
    skeleton->rodata->end_size = end->size;
    return 0;
}

static int load_span(void *loaded)
{
    struct loading *loading = loaded;
    struct bpf_program *begin, *end;
    int r;

    loading->skeleton = spans_bpf__open();
    if (!loading->skeleton)
        return -errno;
    begin = choose(loading->skeleton->progs.begin_of_tracepoint,
                   loading->skeleton->progs.begin_of_probe, &loading->events[SPAN_BEGIN]);
    end = choose(loading->skeleton->progs.end_of_tracepoint, loading->skeleton->progs.end_of_probe,
                 &loading->events[SPAN_END]);
    r = prepare(loading);
    if (r >= 0)
        r = spans_bpf__load(loading->skeleton);
    if (r < 0)
        return r;
    loading->descriptors[SPAN_BEGIN] = bpf_program__fd(begin);
    loading->descriptors[SPAN_END] = bpf_program__fd(end);
    return 0;
}

int spans_program_add(struct keyed_program *spans, size_t number,
                      const struct span_event events[SPAN_SIDES], enum bpf_refusal *ret_refusal)
{
    struct spans_program *program = (struct spans_program *)spans;
    struct loading loading = {.program = program,
                              .number = number,
                              .events = events,
                              .descriptors = program->descriptors[number]};
    int r = bpf_load_quietly(load_span, &loading, ret_refusal);

    if (r < 0) {
        spans_bpf__destroy(loading.skeleton);
        return r;
    }
    program->spans[number] = loading.skeleton;
    return 0;
}

void spans_program_remove(struct keyed_program *spans, size_t number)
{
    struct spans_program *program = (struct spans_program *)spans;

    program->lost_before += lost_by(program->spans[number]);
    spans_bpf__destroy(TAKE(program->spans[number]));
}

int spans_program_descriptor(const struct keyed_program *spans, size_t number, enum span_side side)
{
    const struct spans_program *program = (const struct spans_program *)spans;

    return program->descriptors[number][side];
}
