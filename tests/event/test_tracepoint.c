/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "event/resolver.h"
#include "event/source.h"
#include "support/fixture_tree.h"
#include "sys/tracefs.h"

#define EVENTS "kernel/tracing/events/"

static struct fixture_tree sysfs;

static int make_sysfs(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    fixture_tree_write(&sysfs, "bus/event_source/devices/tracepoint/type", "2\n");
    fixture_tree_write(&sysfs, "bus/event_source/devices/software/type", "1\n");
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/id", "372\n");
    return 0;
}

static int remove_sysfs(void **state)
{
    (void)state;
    fixture_tree_close(&sysfs);
    return 0;
}

static struct event *resolved(const char *name)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    struct event *event = NULL;

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static void a_tracepoint__is_the_number_that_tracefs_has_for_it(void **state)
{
    AUTO(event) struct event *event = resolved("sched:sched_switch");

    (void)state;
    assert_int_equal(event->absence, ABSENCE_NONE);
    assert_int_equal(event->kind, EVENT_TRACEPOINT);
    assert_int_equal(event->code.type, PERF_TYPE_TRACEPOINT);
    assert_true(event->code.config == 372);
    assert_false(event->takes_counter);
    assert_string_equal(event->metric, "sched_sched_switch");
    assert_string_equal(event->pmu, "tracepoint");
}

#define SWITCH_FORMAT                                                                              \
    "name: sched_switch\nID: 372\nformat:\n"                                                       \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"                       \
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"                                \
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"                                     \
    "\tfield:__data_loc char[] next;\toffset:32;\tsize:4;\tsigned:1;\n\n"                          \
    "print fmt: \"field:x y; %s\", REC->prev_comm\n"

static void its_fields__are_in_the_description(void **state)
{
    (void)state;
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/format", SWITCH_FORMAT);
    {
        AUTO(event) struct event *event = resolved("sched:sched_switch");

        assert_string_equal(event->fields, "prev_comm, prev_prio, next");
        assert_string_equal(
            event->description,
            "Tracepoint sched:sched_switch with the fields prev_comm, prev_prio, next");
    }
    fixture_tree_remove(&sysfs, EVENTS "sched/sched_switch/format");
}

static void modifiers__are_taken(void **state)
{
    AUTO(event) struct event *event = resolved("sched:sched_switch:k");

    (void)state;
    assert_int_equal(event->absence, ABSENCE_NONE);
    assert_true(event->code.exclude_user && !event->code.exclude_kernel);
    assert_string_equal(event->metric, "sched_sched_switch_kernel");
}

static void check_unknown(const char *name)
{
    AUTO(event) struct event *event = resolved(name);

    if (event->absence != ABSENCE_UNKNOWN_EVENT)
        fail_msg("\"%s\" is %s", name, absence_name(event->absence));
}

static void what_tracefs_has_not__is_unknown(void **state)
{
    static const char *const names[] = {"sched:no_such",
                                        "shced:sched_switch",
                                        "sched:",
                                        ":sched_switch",
                                        "sched",
                                        "sched:../sched/sched_switch",
                                        "..:sched",
                                        "sched/sched_switch",
                                        "./sched:sched_switch",
                                        "sched:sched_switch/id",
                                        "sched:sched_switch:x",
                                        "sched:*_nothing",
                                        "sched:.hidden",
                                        "sched:sched switch"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        check_unknown(names[i]);
}

static void hostile_numbers__are_no_tracepoints(void **state)
{
    static const char *const numbers[] = {
        "",     "\n",    "x\n",   "-1\n",     " 7\n",
        "7 \n", "7\n\n", "0x7\n", "\xff\xfe", "99999999999999999999\n"};
    static char mebibyte[(1 << 20) + 1];
    char binary[] = "7\001\n";

    (void)state;
    memset(mebibyte, '7', sizeof(mebibyte) - 1);
    for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
        fixture_tree_write(&sysfs, EVENTS "bad/point/id", numbers[i]);
        check_unknown("bad:point");
    }
    fixture_tree_write(&sysfs, EVENTS "bad/point/id", mebibyte);
    check_unknown("bad:point");
    fixture_tree_write(&sysfs, EVENTS "bad/point/id", binary);
    check_unknown("bad:point");
    fixture_tree_remove(&sysfs, EVENTS "bad/point/id");
    assert_int_equal(symlinkat("id", sysfs.fd, EVENTS "bad/point/id"), 0);
    check_unknown("bad:point");
    fixture_tree_remove(&sysfs, EVENTS "bad");
}

static void a_number_without_a_newline__is_one(void **state)
{
    (void)state;
    fixture_tree_write(&sysfs, EVENTS "odd.system/odd-point.x/id", "7");
    {
        AUTO(event) struct event *event = resolved("odd.system:odd-point.x");

        assert_int_equal(event->absence, ABSENCE_NONE);
        assert_true(event->code.config == 7);
    }
    fixture_tree_remove(&sysfs, EVENTS "odd.system");
}

static void hostile_formats__are_taken_for_what_they_are(void **state)
{
    static const struct {
        const char *format, *fields;
    } cases[] = {
        {"", ""},
        {"field:", ""},
        {"field:;", ""},
        {"field:int", "int"},
        {"\tfield:int a;\tfield:int b;", "a"},
        {"field:int a\nfield:int b;", "a, b"},
        {"field:char a[", "a"},
        {"field:];\nfield:[];", ""},
        {"field:\xff\xfe\x01;", ""},
        {"no newline and no field", ""},
    };
    static char mebibyte[(1 << 20) + 1];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(event) struct event *event = NULL;

        fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/format", cases[i].format);
        event = resolved("sched:sched_switch");
        assert_string_equal(event->fields, cases[i].fields);
    }
    memset(mebibyte, 'f', sizeof(mebibyte) - 1);
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/format", mebibyte);
    {
        AUTO(event) struct event *event = resolved("sched:sched_switch");

        assert_int_equal(event->absence, ABSENCE_NONE);
        assert_null(event->fields);
        assert_string_equal(event->description, "Tracepoint sched:sched_switch");
    }
    fixture_tree_remove(&sysfs, EVENTS "sched/sched_switch/format");
}

/* The context of a machine whose tracefs could not be opened. */
static void check_closed(int tracefs_fd, const char *name, int outcome, const char *why)
{
    const struct source_context context = {.sysfs_fd = -1, .tracefs_fd = tracefs_fd};
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    assert_int_equal(event_source_tracepoint.resolve(&context, name, event), SOURCE_UNKNOWN);
    assert_int_equal(event_source_closed_tracepoint.resolve(&context, name, event), outcome);
    if (why && (!event->why || !strstr(event->why, why)))
        fail_msg("%s: %s", name, event->why ? event->why : "no reason");
}

static void a_tracefs_that_cannot_be_read__has_the_reason(void **state)
{
    static const char *const others[] = {"cycles:x", "INST_RETIRED:ANY_P", "sched", "skx::x", ""};

    (void)state;
    check_closed(-EACCES, "sched:sched_switch", SOURCE_FORBIDDEN, "tracepoints.conf");
    check_closed(-EACCES, "kmem:*", SOURCE_FORBIDDEN, "CAP_DAC_READ_SEARCH");
    check_closed(-ENOENT, "sched:sched_switch", SOURCE_MISSING, "not mounted");
    for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
        check_closed(-EACCES, others[i], SOURCE_UNKNOWN, NULL);
        check_closed(-ENOENT, others[i], SOURCE_UNKNOWN, NULL);
    }
}

static int count(void *object, const struct event_listing *listing)
{
    size_t *n = object;

    assert_int_equal(listing->kind, EVENT_TRACEPOINT);
    assert_string_equal(listing->name, "sched:sched_switch");
    assert_string_equal(listing->pmu, "sched");
    (*n)++;
    return 0;
}

static void the_list__has_each_tracepoint(void **state)
{
    AUTO_CLOSE int tracefs_fd = tracefs_open(sysfs.fd);
    const struct source_context context = {.sysfs_fd = sysfs.fd, .tracefs_fd = tracefs_fd};
    size_t n = 0;
    const struct event_visitor visitor = {count, &n};

    (void)state;
    assert_int_equal(event_source_tracepoint.list(&context, &visitor), 0);
    assert_int_equal(n, 1);
}

static void check_filter(const char *name, const char *filter, const char *why)
{
    AUTO(event) struct event *event = resolved(name);

    assert_int_equal(event_set_filter(event, filter), 0);
    assert_int_equal(event->absence, why ? ABSENCE_BAD_FILTER : ABSENCE_NONE);
    assert_string_equal(event->code.filter->text, filter);
    if (why && !strstr(event->why, why))
        fail_msg("\"%s\": %s", filter, event->why);
}

static void a_filter__is_over_the_fields(void **state)
{
    (void)state;
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/format", SWITCH_FORMAT);
    check_filter("sched:sched_switch", "prev_prio < 100", NULL);
    check_filter("sched:sched_switch", "(prev_prio & 1) && !(next == other)", NULL);
    check_filter("sched:sched_switch", "prev_prio != 1 || prev_comm ~ \"no && such*\"", NULL);
    check_filter("sched:sched_switch", "common_pid == 1 && cpu == 0", NULL);
    check_filter("sched:sched_switch", "prev_pri < 100", "did you mean prev_prio?");
    check_filter("sched:sched_switch", "prev_prio < 1 && prio",
                 "prio, which is none of the fields");
    check_filter("sched:sched_switch", "prev_prio < 1 || (comn == x)",
                 "(prev_comm, prev_prio, next)");
    check_filter("sched:sched_switch", "\"", NULL); /* the kernel will say it */
    check_filter("page-faults", "x == 1", "only tracepoints and probes");
    fixture_tree_remove(&sysfs, EVENTS "sched/sched_switch/format");
}

static void fields_that_are_numbers__are_found_where_records_have_them(void **state)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    static const char *const others[] = {"prev_comm", "next", "common_type", "prio",
                                         "prev_pri",  "",     "field:x y"};
    struct event_field field = {0};

    (void)state;
    fixture_tree_write(&sysfs, EVENTS "sched/sched_switch/format", SWITCH_FORMAT);
    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    {
        AUTO(event) struct event *event = resolved("sched:sched_switch");
        AUTO_FREE char *nearest = NULL;

        assert_int_equal(event_resolver_find_field(resolver, event, "prev_prio", &field, &nearest),
                         0);
        assert_int_equal(field.offset, 28);
        assert_int_equal(field.size, 4);
        for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
            AUTO_FREE char *why = NULL;

            assert_int_equal(event_resolver_find_field(resolver, event, others[i], &field, &why),
                             -EINVAL);
            assert_non_null(why);
        }
        assert_int_equal(event_resolver_find_field(resolver, event, "prev_prior", &field, &nearest),
                         -EINVAL);
        assert_non_null(strstr(nearest, "did you mean prev_prio?"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tracepoint__is_the_number_that_tracefs_has_for_it),
        cmocka_unit_test(its_fields__are_in_the_description),
        cmocka_unit_test(fields_that_are_numbers__are_found_where_records_have_them),
        cmocka_unit_test(modifiers__are_taken),
        cmocka_unit_test(what_tracefs_has_not__is_unknown),
        cmocka_unit_test(hostile_numbers__are_no_tracepoints),
        cmocka_unit_test(a_number_without_a_newline__is_one),
        cmocka_unit_test(hostile_formats__are_taken_for_what_they_are),
        cmocka_unit_test(a_tracefs_that_cannot_be_read__has_the_reason),
        cmocka_unit_test(the_list__has_each_tracepoint),
        cmocka_unit_test(a_filter__is_over_the_fields),
    };

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
