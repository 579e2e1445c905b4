/* SPDX-License-Identifier: Apache-2.0 */
#include "service/api_arguments.h"

#include <errno.h>
#include <inttypes.h>

#include "base/clock.h"
#include "base/parse.h"
#include "base/suggest.h"

/* In the year 2262: later times do not have room as nanoseconds in 63 bits. */
#define LAST_SECOND UINT64_C(9223372035)

#define DECIMALS 9 /* of a second, to nanoseconds */

#define OF_THE_DAY "seconds since 1970, such as 1700000000.5"
#define OF_A_RUN   "seconds since the beginning, such as 1.5"

static bool is_known(const char *name, const char *const *known)
{
    for (; *known; known++)
        if (strcmp(name, *known) == 0)
            return true;
    return false;
}

int api_arguments_check(const struct query *query, const char *const *known, struct text *text)
{
    for (size_t i = 0; i < query->n; i++) {
        if (is_known(query->arguments[i].name, known))
            continue;
        text_append_format(text, "unknown argument \"%.64s\"; expected some of",
                           query->arguments[i].name);
        for (size_t j = 0; known[j]; j++)
            text_append_format(text, "%s %s", j ? "," : "", known[j]);
        return -EINVAL;
    }
    return 0;
}

int api_names_read(const struct query *query, const char *argument, struct text *text,
                   struct api_names *ret_names)
{
    struct api_names names AUTO_API_NAMES = {.names = calloc(API_NAMES_MAX, sizeof(*names.names))};

    if (!names.names)
        return -ENOMEM;
    for (size_t i = 0; i < query->n; i++) {
        if (strcmp(query->arguments[i].name, argument) != 0)
            continue;
        if (names.n == API_NAMES_MAX) {
            text_append_format(text, "more than %d of the argument %s", API_NAMES_MAX, argument);
            return -EINVAL;
        }
        names.names[names.n] = strdup(query->arguments[i].value);
        if (!names.names[names.n++])
            return -ENOMEM;
    }
    *ret_names = (struct api_names){.n = names.n, .names = TAKE(names.names)};
    return 0;
}

void api_names_done(struct api_names *names)
{
    for (size_t i = 0; names->names && i < names->n; i++)
        free(names->names[i]);
    free(TAKE(names->names));
    names->n = 0;
}

int api_targets_parse(const struct api_names *names, struct text *text,
                      struct target_filter **ret_filters)
{
    AUTO_FREE struct target_filter *filters = calloc(names->n + 1, sizeof(*filters));

    if (!filters)
        return -ENOMEM;
    for (size_t i = 0; i < names->n; i++)
        if (target_filter_parse(names->names[i], &filters[i]) < 0) {
            text_append_format(text, "target \"%.256s\"; expected " TARGET_FILTER_EXPECTED,
                               names->names[i]);
            return -EINVAL;
        }
    *ret_filters = TAKE(filters);
    return 0;
}

static bool is_column(const struct catalogue *catalogue, const char *name)
{
    enum breakdown_kind kind;

    for (size_t i = 0; i < catalogue->n_families; i++)
        if (strcmp(catalogue->families[i].name, name) == 0)
            return true;
    /* also if nobody has it now */
    return plan_is_of_histogram(name) || plan_is_of_breakdown(name, &kind);
}

static int refuse_column(const char *name, const struct catalogue *catalogue, struct text *text)
{
    AUTO_FREE const char **known = calloc(catalogue->n_families + 1, sizeof(*known));
    const char *meant;

    if (!known)
        return -ENOMEM;
    for (size_t i = 0; i < catalogue->n_families; i++)
        known[i] = catalogue->families[i].name;
    meant = suggest_nearest(name, known, catalogue->n_families);
    text_append_format(text, "there is no column \"%.64s\"", name);
    if (meant)
        text_append_format(text, "; did you mean %s?", meant);
    else
        text_append_string(text, "; expected a family of /metrics, such as pmu_machine_cpus_used");
    return -EINVAL;
}

int api_columns_check(const struct api_names *names, const struct catalogue *catalogue,
                      struct text *text)
{
    for (size_t i = 0; i < names->n; i++)
        if (!is_column(catalogue, names->names[i]))
            return refuse_column(names->names[i], catalogue, text);
    return 0;
}

/* Parses seconds as digits, which may have a point and up to nine decimals behind it. */
static int parse_seconds(const char *text, uint64_t *ret_ns)
{
    uint64_t seconds = 0, fraction = 0;
    size_t n = 0;

    for (; digit_value(*text) >= 0 && digit_value(*text) < 10; text++, n++) {
        seconds = seconds * 10 + (uint64_t)digit_value(*text);
        if (seconds > LAST_SECOND)
            return -ERANGE;
    }
    if (n == 0)
        return -EINVAL;
    n = 0;
    if (*text == '.')
        for (text++; digit_value(*text) >= 0 && digit_value(*text) < 10; text++, n++)
            if (n < DECIMALS)
                fraction = fraction * 10 + (uint64_t)digit_value(*text);
    if (*text)
        return -EINVAL;
    for (; n < DECIMALS; n++)
        fraction *= 10;
    *ret_ns = seconds * NS_PER_SECOND + fraction;
    return 0;
}

/* expected: "seconds since 1970, such as 1700000000.5". */
static int read_time(const struct query *query, const char *name, const char *expected,
                     struct text *text, uint64_t *ret_ns)
{
    const char *const value = query_value(query, name);

    if (!value || parse_seconds(value, ret_ns) >= 0)
        return 0;
    text_append_format(text, "%s=%.64s; expected %s", name, value, expected);
    return -EINVAL;
}

int api_range_read(const struct query *query, uint64_t usual_ns, struct text *text,
                   struct api_range *ret_range)
{
    struct api_range range = {.end_ns = clock_realtime_ns()};
    int r = read_time(query, "end", OF_THE_DAY, text, &range.end_ns);

    range.start_ns = range.end_ns > usual_ns ? range.end_ns - usual_ns : 0;
    if (r >= 0)
        r = read_time(query, "start", OF_THE_DAY, text, &range.start_ns);
    if (r >= 0 && range.start_ns >= range.end_ns) {
        text_append_string(text, "start is not before end");
        r = -EINVAL;
    }
    if (r >= 0)
        *ret_range = range;
    return r;
}

int api_span_read(const struct query *query, struct text *text, struct api_range *ret_range)
{
    struct api_range range = {0};
    int r = read_time(query, "start", OF_A_RUN, text, &range.start_ns);

    if (r >= 0)
        r = read_time(query, "end", OF_A_RUN, text, &range.end_ns);
    if (r >= 0 && range.end_ns && range.start_ns >= range.end_ns) {
        text_append_string(text, "start is not before end");
        r = -EINVAL;
    }
    if (r >= 0)
        *ret_range = range;
    return r;
}

int api_number_read(const struct query *query, const struct api_number *number, struct text *text,
                    uint64_t *ret_value)
{
    const char *const value = query_value(query, number->name);
    uint64_t parsed = number->usual;

    if (value &&
        (parse_u64(value, &parsed) < 0 || parsed < number->least || parsed > number->most)) {
        text_append_format(text, "%s=%.64s; expected a number from %" PRIu64 " to %" PRIu64,
                           number->name, value, number->least, number->most);
        return -EINVAL;
    }
    *ret_value = parsed;
    return 0;
}

int api_id_read(const char *word, const char *thing, struct text *text, uint64_t *ret_id)
{
    if (word && parse_u64(word, ret_id) == 0 && *ret_id > 0)
        return 0;
    text_append_format(text, "expected the number of a %s", thing);
    return -EINVAL;
}
