/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/stat/derive.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "event/generic.h"
#include "metric/builtin_ratios.h"
#include "metric/formula.h"

/*
 * Which ratio stands behind which event. ratio: the name of a built-in ratio, whose formula is
 * taken; or the formula itself, of ratios that only perf has. is_first: perf shows this one.
 */
static const struct derivation {
    const char *event;
    const char *ratio;
    const char *unit;
    bool is_first;
    bool is_percent;
} derivations[] = {
    {"instructions", "instructions_per_cycle", "insn per cycle", true, false},
    {"branch-misses", "branch_miss_ratio", "of all branches", true, true},
    {"branch-misses", "branch_misses_per_kilo_instruction", "per 1000 instructions", false, false},
    {"cache-misses", "cache_miss_ratio", "of all cache refs", true, true},
    {"cache-misses", "cache_misses_per_kilo_instruction", "per 1000 instructions", false, false},
    {"L1-dcache-load-misses", "L1-dcache-load-misses / L1-dcache-loads",
     "of all L1-dcache accesses", true, true},
    {"L1-dcache-load-misses", "l1d_misses_per_kilo_instruction", "per 1000 instructions", false,
     false},
    {"L1-icache-load-misses", "L1-icache-load-misses / L1-icache-loads",
     "of all L1-icache accesses", true, true},
    {"LLC-load-misses", "LLC-load-misses / LLC-loads", "of all LL-cache accesses", true, true},
    {"LLC-load-misses", "llc_misses_per_kilo_instruction", "per 1000 instructions", false, false},
    {"dTLB-load-misses", "dTLB-load-misses / dTLB-loads", "of all dTLB cache accesses", true, true},
    {"dTLB-load-misses", "dtlb_misses_per_kilo_instruction", "per 1000 instructions", false, false},
    {"iTLB-load-misses", "iTLB-load-misses / iTLB-loads", "of all iTLB cache accesses", true, true},
    {"stalled-cycles-frontend", "stalled_cycles_frontend_ratio", "frontend cycles idle", true,
     true},
    {"stalled-cycles-backend", "stalled_cycles_backend_ratio", "backend cycles idle", true, true},
};

static const char *formula_of(const char *ratio)
{
    for (size_t i = 0; i < n_builtin_ratios; i++)
        if (strcmp(builtin_ratios[i].name, ratio) == 0)
            return builtin_ratios[i].formula;
    return ratio;
}

/* The canonical name without modifiers, in the buffer or static. */
static const char *base_name(const struct event *event, char *buffer, size_t size)
{
    const size_t n = strcspn(event->name, ":");

    if (n >= size)
        return event->name; /* no ratio has so long a name */
    memcpy(buffer, event->name, n);
    buffer[n] = '\0';
    return event_generic_canonical(buffer);
}

static bool same_modes(const struct event *a, const struct event *b)
{
    return a->code.exclude_user == b->code.exclude_user &&
           a->code.exclude_kernel == b->code.exclude_kernel &&
           a->code.exclude_hypervisor == b->code.exclude_hypervisor;
}

static bool is_counted(const struct report *report, size_t part, size_t event)
{
    size_t group;

    return report_member(report, event, &group)->absence == ABSENCE_NONE &&
           figure_is_counted(report_figure(report, part, event));
}

static bool were_together(const struct report *report, size_t part, size_t a, size_t b)
{
    size_t group_a, group_b;

    (void)report_member(report, a, &group_a);
    (void)report_member(report, b, &group_b);
    return group_a == group_b || (figure_coverage(report_figure(report, part, a)) >= 1 &&
                                  figure_coverage(report_figure(report, part, b)) >= 1);
}

/* The events that a ratio of one event may use: their names and values. */
struct words {
    const char **names;
    double *values;
    char (*buffers)[64];
    size_t n;
    size_t self; /* index of the event whose ratios are wanted */
};

static void words_done(struct words *words)
{
    free(words->names);
    free(words->values);
    free(words->buffers);
}

/*
 * as_written: by the names that the configuration has; else by the canonical names without
 * modifiers, of the events that have those of this event.
 */
static bool words_make(const struct report *report, size_t part, size_t event, bool as_written,
                       struct words *words)
{
    const size_t n = report->groups->n_events;
    size_t group;
    const struct event *self = report_member(report, event, &group)->event;

    *words = (struct words){.names = calloc(n, sizeof(*words->names)),
                            .values = calloc(n, sizeof(*words->values)),
                            .buffers = calloc(n, sizeof(*words->buffers)),
                            .self = SIZE_MAX};
    if (!words->names || !words->values || !words->buffers)
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct event *other = report_member(report, i, &group)->event;

        if (!is_counted(report, part, i) || (!as_written && !same_modes(self, other)) ||
            !were_together(report, part, event, i) || other->name[0] == ':')
            continue;
        if (i == event)
            words->self = words->n;
        words->names[words->n] =
            as_written ? other->name
                       : base_name(other, words->buffers[i], sizeof(words->buffers[i]));
        words->values[words->n++] = report_figure(report, part, i)->count.mean;
    }
    return true;
}

static bool compute(const struct words *words, const char *text, double *ret_value)
{
    AUTO(formula) struct formula *formula = NULL;
    struct formula_error error;

    return formula_parse(text, words->names, words->n, &formula, &error) == 0 &&
           formula_value(formula, words->values, ret_value);
}

/* Adds the ratios of the table. Returns false if the event has no line in it. */
static bool add_ratios(const struct report *report, size_t part, size_t event, const char *name,
                       struct derived *derived, size_t *n, bool *has_first)
{
    struct words words = {0};
    bool is_listed = false;

    for (size_t i = 0; i < ARRAY_SIZE(derivations); i++) {
        const struct derivation *line = &derivations[i];
        double value;

        if (strcmp(line->event, name) != 0 || *n == MOST_DERIVED)
            continue;
        if (!is_listed && !words_make(report, part, event, false, &words)) {
            words_done(&words);
            return true; /* without memory there are no ratios */
        }
        is_listed = true;
        if (!compute(&words, formula_of(line->ratio), &value))
            continue;
        derived[*n] = (struct derived){.value = line->is_percent ? 100 * value : value,
                                       .decimals = 2,
                                       .is_percent = line->is_percent,
                                       .unit = line->unit};
        *has_first |= line->is_first;
        (*n)++;
    }
    words_done(&words);
    return is_listed;
}

/*
 * The time that rates are taken over, in seconds; 0: there is none. It is the time on CPUs by the
 * first clock that was counted, as in perf. The machine has no such clock, and its rates are over
 * the time that has passed.
 */
static double base_of_rates(const struct report *report, size_t part)
{
    for (size_t i = 0; i < report->groups->n_events; i++) {
        size_t group;

        if (report_member(report, i, &group)->event->is_clock && is_counted(report, part, i))
            return report_figure(report, part, i)->count.mean / (double)NS_PER_SECOND;
    }
    return report->groups->kind == SCOPE_SYSTEM ? (double)report->span_ns / (double)NS_PER_SECOND
                                                : 0;
}

static void set_rate(struct derived *derived, double per_second)
{
    static const char *const units[] = {"/sec", "K/sec", "M/sec", "G/sec"};
    size_t i = 0;

    for (; per_second > 1000 && i + 1 < ARRAY_SIZE(units); i++)
        per_second /= 1000;
    *derived = (struct derived){.value = per_second, .decimals = 3};
    derived->unit = units[i];
}

/* A clock, cycles, or anything of which the rate is shown. Returns false if it is not known. */
static bool derive_rate(const struct report *report, size_t part, const struct figure *figure,
                        const struct event *event, const char *name, struct derived *derived)
{
    double seconds;

    if (event->is_clock) {
        *derived = (struct derived){.value = figure->count.mean / (double)report->span_ns,
                                    .decimals = 3,
                                    .unit = "CPUs utilized"};
        return report->span_ns > 0;
    }
    seconds = base_of_rates(report, part);
    if (!(seconds > 0) || event->unit)
        return false;
    if (strcmp(name, "cycles") == 0 && report->groups->kind != SCOPE_SYSTEM)
        *derived = (struct derived){
            .value = figure->count.mean / seconds / 1e9, .decimals = 3, .unit = "GHz"};
    else
        set_rate(derived, figure->count.mean / seconds);
    return true;
}

/* Whether it is this event that the ratio stands behind: the first that it uses. */
static bool is_first_of(const struct words *words, const struct formula *formula)
{
    size_t first = 0;

    while (first < words->n && !formula_uses(formula, first))
        first++;
    return first == words->self;
}

/* Small numbers are shown with as many digits as a share or a rate of misses needs. */
static int decimals_of(double value)
{
    return value != 0 && fabs(value) < 0.1 ? 6 : 3;
}

/* Adds the ratios of the configuration. */
static void add_own_ratios(const struct report *report, size_t part, size_t event,
                           struct derived *derived, size_t *n)
{
    struct words words = {0};

    if (report->n_ratios > 0 && words_make(report, part, event, true, &words))
        for (size_t i = 0; i < report->n_ratios && *n < MOST_DERIVED; i++) {
            AUTO(formula) struct formula *formula = NULL;
            struct formula_error error;
            double value;

            if (formula_parse(report->ratios[i].formula, words.names, words.n, &formula, &error) !=
                    0 ||
                !is_first_of(&words, formula) || !formula_value(formula, words.values, &value))
                continue;
            derived[(*n)++] = (struct derived){
                .value = value, .decimals = decimals_of(value), .unit = report->ratios[i].name};
        }
    words_done(&words);
}

size_t derive(const struct report *report, size_t part, size_t event,
              struct derived ret_derived[MOST_DERIVED], bool *ret_has_first)
{
    size_t group, n = 0;
    const struct event *self = report_member(report, event, &group)->event;
    char buffer[64];
    const char *name;

    *ret_has_first = false;
    if (!is_counted(report, part, event))
        return 0;
    name = base_name(self, buffer, sizeof(buffer));
    if (!add_ratios(report, part, event, name, ret_derived, &n, ret_has_first)) {
        *ret_has_first =
            derive_rate(report, part, report_figure(report, part, event), self, name, ret_derived);
        n = *ret_has_first;
    }
    add_own_ratios(report, part, event, ret_derived, &n);
    return n;
}
