/* SPDX-License-Identifier: Apache-2.0 */

/* What a request of the API brings: its arguments, and the body that sets a mark. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "fuzz/fuzz.h"
#include "service/api_arguments.h"
#include "service/mark_body.h"

/* The name of a target is that of the target whose label has its value, and of no other. */
static void check_target(const struct target_filter *filter)
{
    AUTO_TEXT struct text prefix = {0}, name = {0};
    const struct label label = {"label", filter->value}, other = {"label", "?"};
    const size_t n = *filter->value ? 1 : 0;

    text_append_format(&prefix, "pmu_%.*s_", (int)filter->kind_length, filter->kind);
    text_append_char(&prefix, '\0');
    FUZZ_CHECK(target_filter_matches(filter, prefix.data, &label, n));
    FUZZ_CHECK(!target_filter_matches(filter, "pmu_else_", &label, n));
    FUZZ_CHECK(target_filter_matches(filter, prefix.data, &other, 1) ==
               (strcmp(filter->value, "?") == 0));
    target_filter_write(prefix.data, &label, n, &name);
    FUZZ_CHECK(name.length == strlen(filter->kind) &&
               memcmp(name.data, filter->kind, name.length) == 0);
}

/* Names of columns: all of them are families of the catalogue, or one is refused. */
static void check_columns(const struct query *query)
{
    static struct family families[] = {{.name = "pmu_cgroup_cpus_used"},
                                       {.name = "pmu_machine_cycles_total"}};
    static const struct catalogue catalogue = {.families = families,
                                               .n_families = ARRAY_SIZE(families)};
    struct api_names columns AUTO_API_NAMES = {0};
    AUTO_TEXT struct text why = {0};
    enum breakdown_kind kind;
    int r;

    if (api_names_read(query, "column", &why, &columns) < 0)
        return;
    r = api_columns_check(&columns, &catalogue, &why);
    FUZZ_CHECK((r < 0) == (why.length > 0));
    for (size_t i = 0; i < columns.n && r == 0; i++)
        FUZZ_CHECK(strcmp(columns.names[i], families[0].name) == 0 ||
                   strcmp(columns.names[i], families[1].name) == 0 ||
                   plan_is_of_histogram(columns.names[i]) ||
                   plan_is_of_breakdown(columns.names[i], &kind));
}

/* A number that is taken is written by its digits alone; 0 is the number of nothing. */
static void check_id(const char *word)
{
    AUTO_TEXT struct text why = {0};
    uint64_t id = 0;

    if (api_id_read(word, "run", &why, &id) == 0)
        FUZZ_CHECK(id > 0 && word && strspn(word, "0123456789") == strlen(word));
    else
        FUZZ_CHECK(why.length > 0);
}

static void check_spans(const struct query *query)
{
    AUTO_TEXT struct text why = {0}, of_span = {0};
    struct api_range range, span;
    const int r = api_range_read(query, 1000, &why, &range);
    const int of = api_span_read(query, &of_span, &span);

    FUZZ_CHECK((r < 0) == (why.length > 0) && (of < 0) == (of_span.length > 0));
    FUZZ_CHECK(r < 0 || range.start_ns < range.end_ns);
    FUZZ_CHECK(of < 0 || span.end_ns == 0 || span.start_ns < span.end_ns);
    if (r == 0 && of == 0 && query_value(query, "start"))
        FUZZ_CHECK(range.start_ns == span.start_ns);
    if (r == 0 && of == 0 && query_value(query, "end"))
        FUZZ_CHECK(range.end_ns == span.end_ns);
}

static void read_arguments(const char *text)
{
    static const char *const known[] = {"target", "column", "start", "end", "points", NULL};
    static const struct api_number points = {"points", 1, 10000, 1000};
    struct query query AUTO_QUERY = {0};
    struct api_names targets AUTO_API_NAMES = {0};
    AUTO_FREE struct target_filter *filters = NULL;
    AUTO_TEXT struct text why = {0};
    uint64_t n;

    FUZZ_CHECK(query_parse(text, &query) == 0);
    if (api_arguments_check(&query, known, &why) == 0)
        for (size_t i = 0; i < query.n; i++)
            FUZZ_CHECK(strlen(query.arguments[i].name) <= strlen("target"));
    if (api_names_read(&query, "target", &why, &targets) >= 0 &&
        api_targets_parse(&targets, &why, &filters) >= 0)
        for (size_t i = 0; i < targets.n; i++)
            check_target(&filters[i]);
    if (api_number_read(&query, &points, &why, &n) >= 0)
        FUZZ_CHECK(n >= 1 && n <= 10000);
    check_columns(&query);
    check_spans(&query);
    check_id(query_value(&query, "points"));
}

/* Times to the nanosecond come as they were written. */
static void write_times(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text text = {0}, why = {0};
    struct query query AUTO_QUERY = {0};
    struct api_range span;
    uint64_t numbers[2];

    if (size < sizeof(numbers))
        return;
    memcpy(numbers, data, sizeof(numbers));
    for (size_t i = 0; i < 2; i++) {
        numbers[i] %= UINT64_C(9223372035) * NS_PER_SECOND;
        text_append_format(&text, "%s=%" PRIu64 ".%09" PRIu64 "&", i ? "end" : "start",
                           numbers[i] / NS_PER_SECOND, numbers[i] % NS_PER_SECOND);
    }
    text_append_char(&text, '\0');
    FUZZ_CHECK(query_parse(text.data, &query) == 0);
    if (numbers[1] > 0 && numbers[0] >= numbers[1])
        FUZZ_CHECK(api_span_read(&query, &why, &span) < 0);
    else
        FUZZ_CHECK(api_span_read(&query, &why, &span) == 0 && span.start_ns == numbers[0] &&
                   span.end_ns == numbers[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);
    AUTO_TEXT struct text why = {0};
    struct mark_body mark;

    FUZZ_CHECK(text);
    if (mark_body_parse((const char *)data, size, &why, &mark) >= 0) {
        FUZZ_CHECK(*mark.text);
        free(mark.text);
    }
    read_arguments(text);
    check_id(text);
    write_times(data, size);
    return 0;
}
