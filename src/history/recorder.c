/* SPDX-License-Identifier: Apache-2.0 */

#include "history/recorder.h"

#include <errno.h>
#include <string.h>

#include "history/key.h"
#include "history/open_target.h"
#include "history/recorder_cpus.h"
#include "history/recorder_latencies.h"

static void free_plans(struct plan_binding *plans, size_t n)
{
    for (size_t i = 0; plans && i < n; i++) {
        (void)plan_unref(plans[i].plan);
        layout_binding_done(&plans[i].binding);
        (void)layout_unref(plans[i].latencies);
    }
    free(plans);
}

void recorder_done(struct recorder *recorder)
{
    struct open_target *target, *next;

    HASH_ITER(hh, recorder->targets, target, next) {
        HASH_DEL(recorder->targets, target);
        (void)open_target_free(target);
    }
    while ((target = recorder->ended)) {
        recorder->ended = target->next_ended;
        (void)open_target_free(target);
    }
    free_plans(TAKE(recorder->plans), recorder->n_plans);
    free(TAKE(recorder->rows));
    recorder->roster = roster_unref(recorder->roster);
}

static struct open_target *find_or_make(struct recorder *recorder, const char *prefix,
                                        const struct identity *identity)
{
    AUTO_TEXT struct text key = {0}, kind = {0}, labels = {0};

    history_append_key(&key, prefix, identity);
    key_append_kind(&kind, prefix);
    key_append_labels(&labels, identity);
    if (text_error(&key) < 0 || text_error(&kind) < 0 || text_error(&labels) < 0)
        return NULL;
    text_append_char(&key, '\0');
    text_append_char(&kind, '\0');
    return open_target_find_or_make(recorder, key.data, kind.data, &labels);
}

/* The bindings of plans that were there before are kept. */
static int bind_plans(struct recorder *recorder, const struct catalogue *catalogue)
{
    struct plan_binding *plans = calloc(catalogue->n_plans + 1, sizeof(*plans));
    int r = plans ? 0 : -ENOMEM;

    for (size_t i = 0; i < catalogue->n_plans && r == 0; i++) {
        if (i < recorder->n_plans && recorder->plans[i].plan == catalogue->plans[i]) {
            plans[i] = recorder->plans[i];
            recorder->plans[i] = (struct plan_binding){0};
            continue;
        }
        plans[i].plan = plan_ref(catalogue->plans[i]);
        r = layout_of_plan(catalogue->plans[i], &plans[i].binding);
        if (r == 0 && catalogue->plans[i]->n_histograms > 0)
            r = layout_of_latencies(catalogue->plans[i], &plans[i].latencies);
    }
    free_plans(recorder->plans, recorder->n_plans);
    recorder->plans = plans;
    recorder->n_plans = plans ? catalogue->n_plans : 0;
    return r;
}

static int learn_targets(struct recorder *recorder, struct roster *roster)
{
    size_t n = 0;
    struct open_target *target, *next;

    HASH_ITER(hh, recorder->targets, target, next)
        target->is_counted = target->is_beside && target->is_counted;
    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        n += roster->parts[i].n;
    recorder->rows = calloc(n + 1, sizeof(struct open_target *));
    if (!recorder->rows)
        return -ENOMEM;
    n = 0;
    for (size_t i = 0; i < roster->catalogue->n_plans; i++)
        for (size_t j = 0; j < roster->parts[i].n; j++, n++) {
            target = find_or_make(recorder, roster->catalogue->plans[i]->prefix,
                                  roster->parts[i].identities[j]);
            recorder->rows[n] = target;
            if (!target)
                return -ENOMEM;
            target->is_counted = true;
        }
    return 0;
}

/* A roster that could not be learned is forgotten, so that it is tried again. */
static int learn_roster(struct recorder *recorder, struct roster *roster)
{
    int r;

    if (recorder->roster == roster)
        return 0;
    recorder->roster = roster_unref(recorder->roster);
    free(TAKE(recorder->rows));
    r = bind_plans(recorder, roster->catalogue);
    if (r == 0)
        r = learn_targets(recorder, roster);
    if (r == 0)
        recorder->roster = roster_ref(roster);
    return r;
}

/*
 * A total that stands still tells nothing where its group does not count, as after the end of the
 * target; what was counted before the end is still told.
 */
static uint64_t read_total(const struct total_source *source, const union number *numbers,
                           uint64_t before)
{
    const uint64_t total = numbers[source->number].count;
    const uint64_t marker =
        source->marker == SIZE_MAX ? NUMBER_ABSENT_COUNT : numbers[source->marker].count;

    if (marker == NUMBER_ABSENT_COUNT)
        return total == before ? ROW_UNKNOWN : total;
    return marker == 1 && !source->is_apart ? ROW_UNKNOWN : total;
}

static void read_totals(const struct open_target *target, const struct layout_binding *binding,
                        const union number *numbers, uint64_t *totals)
{
    const bool has_last = target->layout && layout_is_same(target->layout, binding->layout);

    for (size_t i = 0; i < binding->layout->n_totals; i++) {
        const bool was_known = has_last && target->rows.unknown[i] != NEVER_KNOWN;

        totals[i] = read_total(&binding->sources[i], numbers,
                               was_known ? target->rows.last[i] : ROW_UNKNOWN);
    }
}

/* Adds the row of a target. `totals` has room for it. *place changes where it is born again. */
static int add_row(struct recorder *recorder, struct open_target **place,
                   const struct layout_binding *binding, const union number *numbers,
                   const struct snapshot *snapshot, uint64_t *totals)
{
    const uint64_t start = binding->start == SIZE_MAX ? 0 : numbers[binding->start].count;

    read_totals(*place, binding, numbers, totals);
    return open_target_append(recorder, place, binding->layout, start, snapshot, totals);
}

static size_t most_totals(const struct recorder *recorder)
{
    size_t most = 0;

    for (size_t i = 0; i < recorder->n_plans; i++)
        if (recorder->plans[i].binding.layout->n_totals > most)
            most = recorder->plans[i].binding.layout->n_totals;
    return most;
}

int recorder_add(struct recorder *recorder, const struct snapshot *snapshot)
{
    const struct roster *roster = snapshot->roster;
    AUTO_FREE uint64_t *totals = NULL;
    int r;
    size_t n = 0;

    if (snapshot->taken_ns <= recorder->taken_ns)
        return 0;
    r = learn_roster(recorder, snapshot->roster);
    if (r < 0)
        return r;
    recorder->taken_ns = snapshot->taken_ns;
    totals = calloc(most_totals(recorder) + 1, sizeof(*totals));
    if (!totals)
        return -ENOMEM;
    for (size_t i = 0; i < roster->catalogue->n_plans && r == 0; i++) {
        const union number *numbers = snapshot->numbers + roster->parts[i].first;

        for (size_t j = 0; j < roster->parts[i].n && r == 0; j++, n++) {
            r = add_row(recorder, &recorder->rows[n], &recorder->plans[i].binding, numbers,
                        snapshot, totals);
            numbers += roster->catalogue->plans[i]->n_numbers;
        }
    }
    if (r == 0 && snapshot->cpus)
        r = recorder_add_cpus(recorder, snapshot, n);
    return r == 0 ? recorder_add_latencies(recorder, snapshot) : r;
}

bool recorder_is_due(const struct recorder *recorder)
{
    const struct open_target *target, *next;

    HASH_ITER(hh, recorder->targets, target, next)
        if (open_target_is_due(target))
            return true;
    return recorder->ended != NULL;
}

static int write_target(const struct open_target *target, recorder_store *store, void *context)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0};
    AUTO_TEXT struct text blob = {0};
    struct chunk_row row = {.key = target->key,
                            .kind = target->kind,
                            .labels = target->labels.data,
                            .labels_length = target->labels.length};
    int r = open_target_has_news(target) ? open_rows_read(&target->rows, &rows) : 0;

    if (r < 0 || rows.n_rows == 0)
        return r;
    r = chunk_encode(&rows, &blob);
    if (r < 0)
        return r;
    row.layout = target->layout->bytes;
    row.layout_length = target->layout->n_bytes;
    row.blob = blob.data;
    row.blob_length = blob.length;
    chunk_rows_span(&rows, &row.start_ms, &row.end_ms);
    return store(&row, context);
}

int recorder_write(struct recorder *recorder, bool all, recorder_store *store, void *context)
{
    const struct open_target *target, *next;
    int r = 0;

    for (target = recorder->ended; target && r == 0; target = target->next_ended)
        r = write_target(target, store, context);
    HASH_ITER(hh, recorder->targets, target, next)
        if (r == 0 && (all || open_target_is_due(target)))
            r = write_target(target, store, context);
    return r;
}

/* Without memory the rows are begun anew without a base: a step is lost, and nothing more. */
static void restart(struct open_target *target)
{
    target->n_rows_due = OPEN_ROWS_OF_CHUNK;
    if (open_target_has_news(target) && open_rows_restart(&target->rows) < 0) {
        open_rows_done(&target->rows);
        target->layout = layout_unref(target->layout);
    }
}

void recorder_written(struct recorder *recorder, bool all)
{
    struct open_target *target, *next;

    while ((target = recorder->ended)) {
        recorder->ended = target->next_ended;
        (void)open_target_free(target);
    }
    HASH_ITER(hh, recorder->targets, target, next) {
        if (!target->is_counted) {
            HASH_DEL(recorder->targets, target);
            (void)open_target_free(target);
        } else if (all || open_target_is_due(target)) {
            restart(target);
        }
    }
}

int recorder_each(const struct recorder *recorder, const char *key, recorder_visit *visit,
                  void *context)
{
    const struct open_target *target, *next;
    int r = 0;

    for (target = recorder->ended; target && r == 0; target = target->next_ended)
        if (open_target_has_news(target) && (!key || strcmp(target->key, key) == 0))
            r = visit(target, context);
    HASH_ITER(hh, recorder->targets, target, next)
        if (r == 0 && open_target_has_news(target) && (!key || strcmp(target->key, key) == 0))
            r = visit(target, context);
    return r;
}
