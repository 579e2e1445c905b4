/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <string.h>

#include "run/schedule_fixture.h"
#include "run/schedule_map.h"
#include "run/schedule_text.h"

static void trace__records_of_two_cpus_come_into_the_order_of_time(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    static const uint64_t order[] = {10, 20, 20, 25, 30};

    (void)state;
    assert_non_null(trace);
    fixture_wake(trace, 10, 0, 11, 12);
    fixture_wake(trace, 30, 0, 11, 13);
    fixture_wake(trace, 20, 1, 11, 14);
    fixture_wake(trace, 20, 1, 11, 15);
    fixture_wake(trace, 25, 2, 11, 16);
    assert_int_equal(trace->n_events, 5);
    assert_int_equal(trace->n_cpus, 3);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(trace->events[i].time_ns, order[i] * US);
    /* those of one time stay as they came */
    assert_int_equal(trace->threads[trace->events[1].b].tid, 14);
    assert_int_equal(trace->threads[trace->events[2].b].tid, 15);
}

static void trace__a_number_that_is_born_again_is_another_thread(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record born = fixture_record(SCHEDULE_START, 20, 0, 11, 12);

    (void)state;
    assert_non_null(trace);
    fixture_wake(trace, 10, 0, 11, 12);
    fixture_add(trace, &born);
    fixture_wake(trace, 30, 0, 11, 12);
    assert_int_not_equal(trace->events[0].b, trace->events[1].b);
    assert_int_equal(trace->events[1].b, trace->events[2].b);
}

static void trace__a_thread_has_the_name_that_it_had_last(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    struct schedule_record renamed = fixture_record(SCHEDULE_WAKE, 20, 0, 11, 12);

    (void)state;
    assert_non_null(trace);
    fixture_wake(trace, 10, 0, 11, 12);
    memset(renamed.b.name, 'x', sizeof(renamed.b.name)); /* and no NUL at its end */
    fixture_add(trace, &renamed);
    assert_string_equal(trace->threads[trace->events[0].b].name, "xxxxxxxxxxxxxxx");
}

static void trace__a_process_is_called_as_its_first_thread(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();
    uint32_t leader;

    (void)state;
    assert_non_null(trace);
    fixture_wake(trace, 10, 0, 11, 12); /* both of process 10, whose first thread sleeps */
    leader = trace->threads[trace->events[0].a].leader;
    assert_int_equal(trace->threads[trace->events[0].b].leader, leader);
    assert_int_equal(trace->threads[leader].tid, 10);
    assert_string_equal(trace->threads[leader].name, "");
    schedule_trace_name(trace, leader, "a name that is longer");
    assert_string_equal(trace->threads[leader].name, "a name that is ");
    schedule_trace_name(trace, leader, "later");
    assert_string_equal(trace->threads[leader].name, "a name that is ");
    fixture_wake(trace, 20, 0, 11, 10); /* the kernel knows better */
    assert_int_equal(trace->events[1].b, leader);
    assert_string_equal(trace->threads[leader].name, "t10");
}

static void trace__many_threads_are_told_apart(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = schedule_trace_new();

    (void)state;
    assert_non_null(trace);
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t tid = 1; tid <= 20000; tid++)
            fixture_wake(trace, round * 20000 + tid, 0, 1, tid);
    assert_int_equal(trace->n_threads, 20001); /* with the idle one */
    for (uint32_t tid = 1; tid <= 20000; tid++)
        assert_int_equal(trace->threads[trace->events[20000 + tid - 1].b].tid, tid);
}

static void pack__a_trace_comes_back_as_it_was(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO(schedule_trace) struct schedule_trace *copy = NULL;
    AUTO_TEXT struct text bytes = {0};
    struct schedule_record move = fixture_record(SCHEDULE_MOVE, 900, 1, 11, 12);

    (void)state;
    move.state = 3;
    move.to = 4095;
    move.lost = 70000;
    fixture_add(trace, &move);
    trace->begun_ns = 9 * US;
    trace->n_lost = 70001;
    trace->is_full = true;
    assert_int_equal(schedule_trace_pack(trace, &bytes), 0);
    assert_int_equal(schedule_trace_unpack(bytes.data, bytes.length, &copy), 0);
    assert_int_equal(copy->duration_ns, 1000 * US);
    assert_int_equal(copy->begun_ns, 9 * US);
    assert_int_equal(copy->n_lost, 70001);
    assert_true(copy->is_full && copy->is_machine);
    assert_int_equal(copy->n_cpus, 2);
    assert_int_equal(copy->n_threads, trace->n_threads);
    assert_memory_equal(copy->threads, trace->threads, trace->n_threads * sizeof(*trace->threads));
    assert_int_equal(copy->n_events, trace->n_events);
    for (size_t i = 0; i < trace->n_events; i++) {
        const struct schedule_event *a = &trace->events[i], *b = &copy->events[i];

        assert_true(a->time_ns == b->time_ns && a->a == b->a && a->b == b->b && a->kind == b->kind);
        assert_true(a->cpu == b->cpu && a->flags == b->flags && a->state == b->state);
        assert_true(a->to == b->to && a->lost == b->lost);
    }
}

static void pack__requests_and_exits_come_back_as_they_were(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO(schedule_trace) struct schedule_trace *copy = NULL;
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    trace->exits_told.is_told = false;
    (void)snprintf(trace->exits_told.refusal, sizeof(trace->exits_told.refusal), "why not");
    assert_int_equal(schedule_trace_pack(trace, &bytes), 0);
    assert_int_equal(schedule_trace_unpack(bytes.data, bytes.length, &copy), 0);
    assert_true(copy->requests_told.is_told && !copy->exits_told.is_told);
    assert_string_equal(copy->exits_told.refusal, "why not");
    assert_int_equal(copy->n_devices, 1);
    assert_int_equal(copy->devices[0].number, 254 << 8);
    assert_string_equal(copy->devices[0].name, "vda");
    assert_int_equal(copy->n_requests, 102);
    assert_int_equal(copy->n_exits, 4);
    for (size_t i = 0; i < 102; i++) {
        const struct schedule_request *a = &trace->requests[i], *b = &copy->requests[i];

        assert_true(a->begun_ns == b->begun_ns && a->issued_ns == b->issued_ns);
        assert_true(a->ended_ns == b->ended_ns && a->bytes == b->bytes && a->error == b->error);
        assert_true(a->thread == b->thread && a->operation == b->operation && b->device == 0);
    }
    assert_memory_equal(copy->exits, trace->exits, 4 * sizeof(*copy->exits));
    assert_int_equal(copy->exits[2].vcpu, 1);
}

/* A run that an earlier version has kept: what has come since stands behind its end. */
static void pack__a_trace_of_an_earlier_version_says_nothing_of_requests(void **state)
{
    static const char behind[] = {0, 0, 0, 0, 0, 0, 0}; /* of a trace that has none of them */
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_trace();
    AUTO(schedule_trace) struct schedule_trace *copy = NULL;
    AUTO_TEXT struct text bytes = {0};
    const size_t n = sizeof(behind);

    (void)state;
    assert_int_equal(schedule_trace_pack(trace, &bytes), 0);
    assert_memory_equal(bytes.data + bytes.length - n, behind, n);
    assert_int_equal(bytes.data[0], 3);
    bytes.data[0] = 2;
    assert_int_equal(schedule_trace_unpack(bytes.data, bytes.length - n, &copy), 0);
    assert_int_equal(copy->n_events, trace->n_events);
    assert_false(copy->requests_told.is_told || copy->exits_told.is_told);
    assert_string_equal(copy->requests_told.refusal, "");
}

/* Whatever a trace holds, it can be shown. */
static void show(const struct schedule_trace *trace)
{
    static const struct schedule_map_range range = {.columns = 10};
    AUTO_TEXT struct text text = {0};

    assert_int_equal(schedule_text_append_report(trace, &text), 0);
    assert_int_equal(schedule_text_append_csv(trace, &text), 0);
    assert_int_equal(schedule_text_append_trace_events(trace, 1000000, &text), 0);
    assert_int_equal(schedule_map_append(trace, &range, &text), 0);
}

/* What is kept may be damaged: it is refused, or it is another trace, and nothing worse. */
static void pack__what_is_damaged_does_no_harm(void **state)
{
    AUTO(schedule_trace) struct schedule_trace *trace = fixture_ended_trace();
    AUTO_TEXT struct text bytes = {0};
    size_t n_refused = 0;

    (void)state;
    assert_int_equal(schedule_trace_pack(trace, &bytes), 0);
    for (size_t length = 0; length < bytes.length; length++) {
        AUTO(schedule_trace) struct schedule_trace *copy = NULL;

        assert_int_equal(schedule_trace_unpack(bytes.data, length, &copy), -EBADMSG);
    }
    for (size_t i = 0; i < bytes.length; i++) {
        AUTO(schedule_trace) struct schedule_trace *copy = NULL;
        const char good = bytes.data[i];

        bytes.data[i] = (char)(good ^ 0x55);
        n_refused += schedule_trace_unpack(bytes.data, bytes.length, &copy) < 0;
        for (size_t k = 0; copy && k < copy->n_events; k++)
            assert_true(copy->events[k].a < copy->n_threads && copy->events[k].b < copy->n_threads);
        for (size_t k = 0; copy && k < copy->n_requests; k++)
            assert_true(copy->requests[k].device < copy->n_devices &&
                        copy->requests[k].thread < copy->n_threads);
        if (copy)
            show(copy);
        bytes.data[i] = good;
    }
    assert_true(n_refused > 10);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(trace__records_of_two_cpus_come_into_the_order_of_time),
        cmocka_unit_test(trace__a_number_that_is_born_again_is_another_thread),
        cmocka_unit_test(trace__a_thread_has_the_name_that_it_had_last),
        cmocka_unit_test(trace__a_process_is_called_as_its_first_thread),
        cmocka_unit_test(trace__many_threads_are_told_apart),
        cmocka_unit_test(pack__a_trace_comes_back_as_it_was),
        cmocka_unit_test(pack__requests_and_exits_come_back_as_they_were),
        cmocka_unit_test(pack__a_trace_of_an_earlier_version_says_nothing_of_requests),
        cmocka_unit_test(pack__what_is_damaged_does_no_harm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
