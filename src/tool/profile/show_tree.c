/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A profile as a tree of calls, callers first, the most first. A function that calls one other only
 * is followed by it at the same place, so that deep stacks stay within a terminal; where there are
 * several, each begins a branch.
 */
#include <errno.h>
#include <langinfo.h>
#include <stdint.h>
#include <string.h>

#include "tool/profile/head.h"
#include "tool/profile/show.h"
#include "tool/top/cells.h"

#define HEAD_LINES   5
#define SHARES_WIDTH 18 /* columns of a terminal before the function */
#define BRANCH_WIDTH 3
#define NARROWEST    12 /* columns that a function has in any terminal */

struct call {
    size_t node, parent;
    double self, total;
    bool is_branch; /* its caller calls others beside it */
    bool is_last;   /* of the branches of its caller */
};

struct calls {
    const struct profile_columns *nodes, *functions;
    const struct terminal *terminal;
    const struct top_glyphs *glyphs;
    double samples, least; /* least: samples of what is shown */
    struct call *all;      /* by node */
    struct call *sorted;   /* by caller, and then the fewest first */
    size_t *first;         /* of the callees of each node, among `sorted` */
    size_t *waiting;       /* nodes that are to be shown, the next one last */
    size_t n_waiting;
};

static void calls_done(struct calls *calls)
{
    free(calls->all);
    free(calls->sorted);
    free(calls->first);
    free(calls->waiting);
}
#define AUTO_CALLS __attribute__((cleanup(calls_done)))

/* The root has no caller, and comes before all. */
static int by_caller(const void *a, const void *b)
{
    const struct call *left = a, *right = b;

    if (left->parent != right->parent)
        return left->parent + 1 < right->parent + 1 ? -1 : 1;
    if (left->total < right->total || left->total > right->total)
        return left->total < right->total ? -1 : 1;
    return (left->node < right->node) - (left->node > right->node);
}

static int read_calls(struct calls *calls)
{
    const size_t n = calls->nodes->n;

    for (size_t i = 0; i < n; i++) {
        const size_t parent = profile_place(calls->nodes, "parent", i);

        if (i == 0 ? parent != SIZE_MAX : parent >= i)
            return -EPROTO;
        calls->all[i] = (struct call){.node = i,
                                      .parent = parent,
                                      .self = profile_number(calls->nodes, "self", i),
                                      .total = profile_number(calls->nodes, "total", i)};
    }
    memcpy(calls->sorted, calls->all, n * sizeof(*calls->sorted));
    qsort(calls->sorted, n, sizeof(*calls->sorted), by_caller);
    for (size_t i = n; i-- > 1;)
        calls->first[calls->sorted[i].parent] = i;
    return 0;
}

static int make_calls(struct calls *calls)
{
    const size_t n = calls->nodes->n + 1;

    calls->all = calloc(n, sizeof(*calls->all));
    calls->sorted = calloc(n, sizeof(*calls->sorted));
    calls->first = calloc(n, sizeof(*calls->first));
    calls->waiting = calloc(n, sizeof(*calls->waiting));
    return calls->all && calls->sorted && calls->first && calls->waiting ? read_calls(calls)
                                                                         : -ENOMEM;
}

/* Lets those that a node calls wait, the fewest first; they come out the other way around. */
static void push_callees(struct calls *calls, size_t node)
{
    const size_t before = calls->n_waiting;

    for (size_t i = calls->first[node];
         i > 0 && i < calls->nodes->n && calls->sorted[i].parent == node; i++)
        if (calls->sorted[i].total >= calls->least)
            calls->waiting[calls->n_waiting++] = calls->sorted[i].node;
    for (size_t i = before; i < calls->n_waiting; i++) {
        struct call *call = &calls->all[calls->waiting[i]];

        call->is_branch = calls->n_waiting - before > 1;
        call->is_last = i == before;
    }
}

/* Appends what stands before a function, and returns its columns. */
static size_t append_branches(const struct calls *calls, const struct call *call, struct text *out)
{
    const struct call *above[64];
    size_t n = 0, columns = 0;

    for (const struct call *at = call; at->parent != SIZE_MAX; at = &calls->all[at->parent])
        if (at->is_branch && n < ARRAY_SIZE(above))
            above[n++] = at;
    for (columns = n * BRANCH_WIDTH; n-- > 0;) {
        const struct call *at = above[n];
        const bool is_last = at->is_last;

        if (at == call)
            text_append_string(out, is_last ? calls->glyphs->last : calls->glyphs->branch);
        else
            text_append_string(out, is_last ? calls->glyphs->blank : calls->glyphs->pass);
    }
    return columns;
}

static void append_call(const struct calls *calls, const struct call *call, struct text *out)
{
    const size_t function = profile_place(calls->nodes, "function", call->node);
    const char *owner = profile_word(calls->functions, "owner", function);
    const size_t width = calls->terminal->width;
    AUTO_TEXT struct text name = {0};
    size_t used = SHARES_WIDTH;

    text_append_format(out, "%6.1f %% %6.1f %%  ", call->total * 100 / calls->samples,
                       call->self * 100 / calls->samples);
    used += append_branches(calls, call, out);
    text_append_string(&name, profile_word(calls->functions, "name", function));
    if (*owner)
        text_append_format(&name, "  %s", owner);
    text_append_char(&name, '\0');
    out->failed |= text_error(&name) < 0;
    if (!out->failed)
        (void)terminal_append_shown(out, name.data,
                                    width == 0                 ? 0
                                    : width > used + NARROWEST ? width - used
                                                               : NARROWEST);
    text_append_char(out, '\n');
}

static double count_not_whole(const struct calls *calls)
{
    double sum = 0;

    for (size_t i = 1; i < calls->nodes->n; i++) {
        const size_t function = profile_place(calls->nodes, "function", i);

        if (calls->all[i].parent == 0 &&
            profile_is_end_note(profile_word(calls->functions, "kind", function),
                                profile_word(calls->functions, "name", function)))
            sum += calls->all[i].total;
    }
    return sum;
}

static void append_calls(struct calls *calls, size_t lines, struct text *out)
{
    size_t n = 0;

    push_callees(calls, 0);
    while (calls->n_waiting > 0) {
        const size_t node = calls->waiting[--calls->n_waiting];

        if (n++ < lines)
            append_call(calls, &calls->all[node], out);
        push_callees(calls, node);
    }
    profile_append_more(out, n > lines ? n - lines : 0, "line");
}

int profile_show_tree(const json_t *answer, const struct profile_options *options,
                      const struct terminal *terminal, struct text *out)
{
    struct profile_columns nodes, functions;
    struct calls calls AUTO_CALLS = {.nodes = &nodes,
                                     .functions = &functions,
                                     .terminal = terminal,
                                     .glyphs =
                                         top_glyphs(strcmp(nl_langinfo(CODESET), "UTF-8") == 0)};
    struct profile_head head;
    int r;

    if (profile_head_read(answer, &head) < 0 || profile_columns_read(answer, "nodes", &nodes) < 0 ||
        profile_columns_read(answer, "functions", &functions) < 0)
        return -EPROTO;
    if (!(head.samples > 0))
        return -ENODATA;
    calls.samples = head.samples;
    calls.least = options->least * head.samples / 100;
    r = make_calls(&calls);
    if (r < 0)
        return r;
    profile_append_head(out, options->target, &head, count_not_whole(&calls));
    text_append_string(out, "\n TOTAL    SELF    FUNCTION\n");
    append_calls(&calls, profile_lines(options, terminal, HEAD_LINES), out);
    return text_error(out);
}
