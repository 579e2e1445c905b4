/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/schedule_fixture.h"
#include "run/schedule_map.h"
#include "run/schedule_text.h"

#define HOSTILE    "=\"\x1b[1m\\\xff,"
#define FILE_BYTES ((size_t)60 * 1024 * 1024)

static json_t *parsed(struct text *text)
{
    json_t *value = json_loadb(text->data, text->length, JSON_REJECT_DUPLICATES, NULL);

    assert_non_null(value);
    return value;
}

static double number(const json_t *object, const char *key)
{
    assert_true(json_is_number(json_object_get(object, key)));
    return json_number_value(json_object_get(object, key));
}

/* The time in microseconds that spans of this name have in a track. */
static double sum_of(const json_t *events, double pid, double tid, const char *name)
{
    double sum = 0;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        if (strcmp(json_string_value(json_object_get(event, "ph")), "X") == 0 &&
            number(event, "pid") == pid && number(event, "tid") == tid &&
            strcmp(json_string_value(json_object_get(event, "name")), name) == 0)
            sum += number(event, "dur");
    }
    return sum;
}

static void trace_events__cpus_and_threads_have_tracks(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text text = {0};
    json_t *whole;
    const json_t *events;

    (void)state;
    trace->n_lost = 3;
    assert_int_equal(schedule_text_append_trace_events(trace, FILE_BYTES, &text), 0);
    whole = parsed(&text);
    events = json_object_get(whole, "traceEvents");
    assert_float_equal(sum_of(events, 4194305, 0, "t12:12"), 600, 1e-6);
    assert_float_equal(sum_of(events, 4194305, 1, "idle"), 900, 1e-6);
    assert_float_equal(sum_of(events, 10, 13, "CPU 0"), 100, 1e-6);
    assert_float_equal(sum_of(events, 10, 13, "CPU 1"), 100, 1e-6);
    assert_float_equal(sum_of(events, 10, 12, "waits for a CPU"), 300, 1e-6);
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(whole, "otherData"), "lost")), "3");
    json_decref(whole);
}

static void map__each_cell_has_who_had_most_of_it(void **state)
{
    static const int first[] = {11, 11, 11, 12, 12, 13, 12, 12, 12, 12};
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text text = {0};
    const struct schedule_map_range range = {.columns = 10};
    const json_t *cpus, *threads;
    json_t *map;

    (void)state;
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
    map = parsed(&text);
    cpus = json_object_get(map, "cpus");
    threads = json_object_get(map, "threads");
    assert_int_equal(json_array_size(cpus), 2);
    for (size_t i = 0; i < 10; i++)
        for (size_t cpu = 0; cpu < 2; cpu++) {
            const json_t *row = json_array_get(cpus, cpu);
            const json_t *index = json_array_get(json_object_get(row, "threads"), i);
            const json_t *thread = json_array_get(threads, (size_t)json_integer_value(index));
            const double busy = json_number_value(json_array_get(json_object_get(row, "busy"), i));

            assert_int_equal((int)number(thread, "tid"), cpu == 0 ? first[i] : i == 7 ? 13 : 0);
            assert_float_equal(busy, cpu == 0 || i == 7 ? 1 : 0, 1e-6);
        }
    json_decref(map);
}

static void map__of_a_part_of_the_time_is_finer(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text text = {0};
    const struct schedule_map_range range = {
        .start_ns = 550 * US, .end_ns = 650 * US, .columns = 3};
    const json_t *row, *threads;
    json_t *map;

    (void)state;
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
    map = parsed(&text);
    assert_float_equal(number(map, "start"), 550e-6, 1e-12);
    assert_float_equal(number(map, "end"), 650e-6, 1e-12);
    row = json_array_get(json_object_get(map, "cpus"), 0);
    threads = json_object_get(row, "threads");
    assert_int_equal(json_array_size(threads), 3);
    /* 13 to the half of the second column, then 12: either is shown of equal halves */
    assert_int_equal(json_integer_value(json_array_get(threads, 0)), 0);
    assert_int_equal(json_integer_value(json_array_get(threads, 2)), 1);
    assert_float_equal(json_number_value(json_array_get(json_object_get(row, "shares"), 1)), 0.5,
                       0.01);
    json_decref(map);
}

/* Each slice of 12 is short; together they are most of the column. */
static void map__slices_of_a_thread_in_a_column_are_added_up(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text text = {0};
    const struct schedule_map_range range = {
        .start_ns = 200 * US, .end_ns = 700 * US, .columns = 1};
    const json_t *row, *thread;
    json_t *map;

    (void)state;
    fixture_switch(trace, 650, 0, 12, 0, 11);
    fixture_switch(trace, 680, 0, 11, SLEEPS, 12);
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
    map = parsed(&text);
    row = json_array_get(json_object_get(map, "cpus"), 0);
    thread = json_array_get(json_object_get(map, "threads"), 0);
    assert_int_equal((int)number(thread, "tid"), 12);
    /* 300 to 500, 600 to 650 and 680 to 700 of 500 */
    assert_float_equal(json_number_value(json_array_get(json_object_get(row, "shares"), 0)), 0.54,
                       0.001);
    assert_float_equal(json_number_value(json_array_get(json_object_get(row, "busy"), 0)), 1, 0);
    json_decref(map);
}

static void map__what_is_not_known_is_nobodys(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    AUTO_TEXT struct text text = {0};
    const struct schedule_map_range range = {.columns = 4};
    const json_t *threads;
    struct schedule_record late = fixture_record(SCHEDULE_SWITCH, 500, 0, 11, 12);
    json_t *map;

    (void)state;
    assert_non_null(trace);
    fixture_runs(trace, 0, 0, 11);
    late.lost = 1;
    fixture_add(trace, &late);
    trace->duration_ns = 1000 * US;
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
    map = parsed(&text);
    threads = json_object_get(json_array_get(json_object_get(map, "cpus"), 0), "threads");
    assert_true(json_is_null(json_array_get(threads, 0)));
    assert_true(json_is_null(json_array_get(threads, 1)));
    assert_true(json_is_integer(json_array_get(threads, 2)));
    json_decref(map);
}

/* A thread may call itself anything. */
static struct schedule_trace *hostile_trace(void)
{
    struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record record = fixture_record(SCHEDULE_RUNS, 0, 0, 11, 11);

    assert_non_null(trace);
    (void)snprintf(record.a.name, sizeof(record.a.name), "%s", HOSTILE);
    (void)snprintf(record.b.name, sizeof(record.b.name), "%s", HOSTILE);
    fixture_add(trace, &record);
    trace->duration_ns = 10 * US;
    return trace;
}

static void text__names_of_strangers_are_only_names(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = hostile_trace();
    const struct schedule_map_range range = {.columns = 2};
    AUTO_TEXT struct text report = {0}, events = {0}, map = {0}, csv = {0};
    json_t *value;

    (void)state;
    assert_int_equal(schedule_text_append_report(trace, &report), 0);
    value = parsed(&report);
    assert_string_equal(json_string_value(json_object_get(
                            json_array_get(json_object_get(value, "threads"), 0), "name")),
                        "=\"\x1b[1m\\\xef\xbf\xbd,");
    json_decref(value);
    assert_int_equal(schedule_text_append_trace_events(trace, FILE_BYTES, &events), 0);
    json_decref(parsed(&events));
    assert_int_equal(schedule_map_append(trace, &range, &map), 0);
    json_decref(parsed(&map));
    assert_int_equal(schedule_text_append_csv(trace, &csv), 0);
    text_append_char(&csv, '\0');
    assert_non_null(strstr(csv.data, ",\"'=\"\"?[1m\\?,\","));
    assert_null(strchr(csv.data, '\x1b'));
}

static size_t count_events(const json_t *events, const char *phase, const char *name)
{
    size_t n = 0;

    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);

        n += strcmp(json_string_value(json_object_get(event, "ph")), phase) == 0 &&
             strcmp(json_string_value(json_object_get(event, "name")), name) == 0;
    }
    return n;
}

/* Threads preempt each other in turn until there is no more room. */
static struct schedule_trace *full_trace(const char *name)
{
    struct schedule_trace *trace = schedule_trace_new();

    assert_non_null(trace);
    for (uint64_t i = 0; i < SCHEDULE_EVENTS_MAX; i++) {
        struct schedule_record record =
            fixture_record(SCHEDULE_SWITCH, 2000 * i, 100, 4000000 + (uint32_t)(i % 1000),
                           4000000 + (uint32_t)((i + 1) % 1000));

        (void)snprintf(record.a.name, sizeof(record.a.name), "%s", name);
        (void)snprintf(record.b.name, sizeof(record.b.name), "%s", name);
        fixture_add(trace, &record);
    }
    trace->duration_ns = SCHEDULE_EVENTS_MAX * 2000 * US;
    return trace;
}

static void trace_events__of_a_full_trace_end_before_they_are_too_long(void **state)
{
    static const char *const names[] = {"thread of pool", "\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"",
                                        "\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(schedule_trace) struct schedule_trace *trace = full_trace(names[i]);
        AUTO_TEXT struct text text = {0};
        const json_t *events;
        json_t *whole;

        assert_int_equal(schedule_text_append_trace_events(trace, FILE_BYTES, &text), 0);
        assert_in_range(text.length, FILE_BYTES * 9 / 10, FILE_BYTES + 10000);
        whole = parsed(&text);
        events = json_object_get(whole, "traceEvents");
        assert_int_equal(count_events(events, "i", "what follows is left out"), 1);
        assert_int_equal(count_events(events, "M", "thread_name"), 101 + 1000);
        json_decref(whole);
    }
}

static void csv__a_switch_tells_who_goes_and_who_comes(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text csv = {0};

    (void)state;
    assert_int_equal(schedule_text_append_csv(trace, &csv), 0);
    text_append_char(&csv, '\0');
    assert_non_null(strstr(csv.data, "\n0.000300000,switch,0,11,10,\"t11\",S,0.000300000,12,10,"
                                     "\"t12\",0.000200000,,11,,,0,,,,,,,,\n"));
    assert_non_null(strstr(csv.data, "\n0.000700000,switch,1,0,0,\"idle\",R,0.000700000,13,10,"
                                     "\"t13\",0.000010000,0.000090000,12,,,0,,,,,,,,\n"));
}

/* The line of the report, or of the map, that has this text under this key. */
static const json_t *line_with(const json_t *lines, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(lines); i++) {
        const json_t *line = json_array_get(lines, i);

        if (strcmp(json_string_value(json_object_get(line, key)), text) == 0)
            return line;
    }
    fail_msg("no line with %s", text);
    return NULL;
}

static void report__requests_by_device_and_operation_and_exits_by_vcpu_and_reason(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO_TEXT struct text text = {0};
    const json_t *requests, *exits, *line;
    json_t *report;

    (void)state;
    assert_int_equal(schedule_text_append_report(trace, &text), 0);
    report = parsed(&text);
    requests = json_object_get(report, "requests");
    assert_true(json_is_null(json_object_get(requests, "refusal")));
    assert_float_equal(number(requests, "count"), 102, 0);
    assert_float_equal(number(requests, "errors"), 1, 0);
    line = line_with(json_object_get(requests, "by_device"), "operation", "read");
    assert_string_equal(json_string_value(json_object_get(line, "device")), "vda");
    assert_float_equal(number(line, "count"), 100, 0);
    assert_float_equal(number(line, "bytes"), 100 * 512, 0);
    assert_float_equal(number(line, "seconds"), 5050e-6, 1e-9);
    assert_float_equal(number(line, "mean_seconds"), 50.5e-6, 1e-9);
    assert_float_equal(number(line, "p50_seconds"), 50e-6, 1e-9);
    assert_float_equal(number(line, "p99_seconds"), 99e-6, 1e-9);
    assert_float_equal(number(line, "queued_mean_seconds"), 2e-6, 1e-9);
    assert_float_equal(number(json_object_get(line, "longest"), "seconds"), 100e-6, 1e-9);
    assert_float_equal(number(json_object_get(json_object_get(line, "longest"), "thread"), "tid"),
                       12, 0);
    line = line_with(json_object_get(requests, "by_device"), "operation", "write");
    assert_float_equal(number(line, "errors"), 1, 0);
    assert_true(json_is_null(json_object_get(line, "queued_mean_seconds")));
    line = line_with(json_object_get(requests, "by_device"), "operation", "flush");
    assert_true(json_is_null(json_object_get(line, "mean_seconds")));
    assert_true(json_is_null(json_object_get(line, "longest")));
    exits = json_object_get(report, "exits");
    assert_float_equal(number(exits, "count"), 4, 0);
    assert_float_equal(number(exits, "seconds"), 190e-6, 1e-9);
    line = json_array_get(json_object_get(exits, "by_vcpu"), 0);
    assert_string_equal(json_string_value(json_object_get(line, "reason")), "hlt");
    assert_float_equal(number(line, "vcpu"), 1, 0);
    assert_float_equal(number(json_object_get(line, "guest"), "tid"), 10, 0);
    line = line_with(json_object_get(exits, "by_vcpu"), "reason", "io");
    assert_float_equal(number(line, "count"), 2, 0);
    assert_float_equal(number(line, "p50_seconds"), 30e-6, 1e-9);
    assert_float_equal(number(line, "p99_seconds"), 40e-6, 1e-9);
    line = line_with(json_object_get(exits, "by_vcpu"), "reason", "0x7777");
    assert_true(json_is_null(json_object_get(line, "vcpu")));
    json_decref(report);
}

static void report__what_was_not_recorded_has_a_reason_and_what_nobody_knows_is_null(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO_TEXT struct text text = {0};
    json_t *report;

    (void)state;
    (void)snprintf(trace->exits_told.refusal, sizeof(trace->exits_told.refusal), "for no reason");
    assert_int_equal(schedule_text_append_report(trace, &text), 0);
    report = parsed(&text);
    assert_true(json_is_null(json_object_get(report, "requests")));
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(report, "exits"), "refusal")),
        "for no reason");
    json_decref(report);
}

static double sum_of_list(const json_t *list)
{
    double sum = 0;

    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_number_value(json_array_get(list, i));
    return sum;
}

static void map__requests_and_exits_are_lanes_over_time(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO_TEXT struct text text = {0};
    const struct schedule_map_range range = {.columns = 10}; /* of 2 ms each */
    const json_t *lane;
    json_t *map;

    (void)state;
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
    map = parsed(&text);
    lane = line_with(json_object_get(map, "requests"), "operation", "read");
    assert_int_equal(json_array_size(json_object_get(lane, "counts")), 10);
    assert_float_equal(sum_of_list(json_object_get(lane, "counts")), 100, 0);
    assert_float_equal(sum_of_list(json_object_get(lane, "shares")), 5.05 / 2, 0.02);
    lane = line_with(json_object_get(map, "exits"), "reason", "hlt");
    assert_float_equal(json_number_value(json_array_get(json_object_get(lane, "counts"), 1)), 1, 0);
    /* from 1.95 ms to 2.05 ms: half of it in each column */
    for (size_t i = 0; i < 2; i++)
        assert_float_equal(json_number_value(json_array_get(json_object_get(lane, "shares"), i)),
                           0.025, 0.0001);
    json_decref(map);
}

static void trace_events__requests_begin_and_end_and_exits_are_slices_of_their_vcpu(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO_TEXT struct text text = {0};
    const json_t *events;
    json_t *whole;

    (void)state;
    assert_int_equal(schedule_text_append_trace_events(trace, FILE_BYTES, &text), 0);
    whole = parsed(&text);
    events = json_object_get(whole, "traceEvents");
    assert_int_equal(count_events(events, "b", "read"), 100);
    assert_int_equal(count_events(events, "e", "read"), 100);
    assert_int_equal(count_events(events, "X", "io"), 2);
    assert_float_equal(sum_of(events, 4194306, 11, "io"), 70, 1e-6);
    assert_float_equal(sum_of(events, 4194306, 12, "hlt"), 100, 1e-6);
    json_decref(whole);
}

static void csv__a_request_and_an_exit_are_lines(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO_TEXT struct text csv = {0};

    (void)state;
    assert_int_equal(schedule_text_append_csv(trace, &csv), 0);
    text_append_char(&csv, '\0');
    assert_non_null(strstr(csv.data,
                           "\n0.000103000,request,1,12,10,\"t12\",,,,,,,,,,,0,\"vda\",read,"
                           "512,0,0.000002000,,,0.000001000\n"));
    assert_non_null(strstr(csv.data, ",\"vda\",write,4096,5,,,,0.000500000\n"));
    assert_non_null(strstr(csv.data, ",exit,0,11,10,\"t11\",,,,,,,,,,,0,,,,,,io,0,0.000030000\n"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace_events__cpus_and_threads_have_tracks),
        cmocka_unit_test(map__each_cell_has_who_had_most_of_it),
        cmocka_unit_test(map__of_a_part_of_the_time_is_finer),
        cmocka_unit_test(map__slices_of_a_thread_in_a_column_are_added_up),
        cmocka_unit_test(map__what_is_not_known_is_nobodys),
        cmocka_unit_test(text__names_of_strangers_are_only_names),
        cmocka_unit_test(trace_events__of_a_full_trace_end_before_they_are_too_long),
        cmocka_unit_test(csv__a_switch_tells_who_goes_and_who_comes),
        cmocka_unit_test(csv__a_request_and_an_exit_are_lines),
        cmocka_unit_test(report__requests_by_device_and_operation_and_exits_by_vcpu_and_reason),
        cmocka_unit_test(report__what_was_not_recorded_has_a_reason_and_what_nobody_knows_is_null),
        cmocka_unit_test(map__requests_and_exits_are_lanes_over_time),
        cmocka_unit_test(trace_events__requests_begin_and_end_and_exits_are_slices_of_their_vcpu),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
