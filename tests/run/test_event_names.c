/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "run/event_names.h"

/* The list as text: each group in brackets, or braces where it is one of braces. */
static char *show(const struct event_name_list *list)
{
    struct text text = {0};

    for (size_t i = 0; i < list->n; i++) {
        text_append_char(&text, list->groups[i].is_group ? '{' : '[');
        for (size_t k = 0; k < list->groups[i].n; k++)
            text_append_format(&text, "%s%s", k ? " " : "", list->groups[i].names[k].name);
        text_append_char(&text, list->groups[i].is_group ? '}' : ']');
    }
    return text_take(&text);
}

static void assert_parsed(const char *argument, const char *expected)
{
    struct event_name_list list = {0};
    struct event_names_error error;
    AUTO_FREE char *shown = NULL;

    assert_int_equal(event_names_parse(argument, &list, &error), 0);
    shown = show(&list);
    assert_string_equal(shown, expected);
    event_names_done(&list);
}

static void assert_refused(const char *argument, size_t offset)
{
    struct event_name_list list = {0};
    struct event_names_error error = {0};

    assert_int_equal(event_names_parse(argument, &list, &error), -EINVAL);
    assert_int_equal(error.offset, offset);
    assert_non_null(error.expected);
    event_names_done(&list);
}

static void commas_part_events(void **state)
{
    (void)state;
    assert_parsed("cycles", "[cycles]");
    assert_parsed("cycles:u,instructions,sched:sched_switch",
                  "[cycles:u][instructions][sched:sched_switch]");
}

static void a_comma_between_slashes_belongs_to_the_event(void **state)
{
    (void)state;
    assert_parsed("cpu/event=0xc0,umask=1/u,cs", "[cpu/event=0xc0,umask=1/u][cs]");
    assert_parsed("{cpu/a=1,b=2/,msr/tsc/},cs", "{cpu/a=1,b=2/ msr/tsc/}[cs]");
}

static void braces_make_a_group_and_modifiers_behind_them_are_those_of_each_event(void **state)
{
    (void)state;
    assert_parsed("{cycles,instructions}", "{cycles instructions}");
    assert_parsed("cs,{cycles,instructions}:u,{branches}",
                  "[cs]{cycles:u instructions:u}{branches}");
    assert_parsed("{cycles:k,cpu/event=1/}u", "{cycles:k:u cpu/event=1/u}");
}

static void what_is_no_list_of_events_is_refused_with_its_place(void **state)
{
    (void)state;
    assert_refused("", 0);
    assert_refused("a,,b", 2);
    assert_refused("a,", 2);
    assert_refused("{a", 2);
    assert_refused("{a,}", 3);
    assert_refused("{}", 1);
    assert_refused("a}", 1);
    assert_refused("{a}{b}", 3);
    assert_refused("{a,{b}}", 3);
}

static void a_filter_belongs_to_the_last_event(void **state)
{
    struct event_name_list list = {0};
    struct event_names_error error;

    (void)state;
    assert_int_equal(event_names_set_filter(&list, "x > 1"), -ENOENT);
    assert_int_equal(event_names_parse("a,b", &list, &error), 0);
    assert_int_equal(event_names_set_filter(&list, "x > 1"), 0);
    assert_int_equal(event_names_set_filter(&list, "x > 2"), 0);
    assert_null(list.groups[0].names[0].filter);
    assert_string_equal(list.groups[1].names[0].filter, "x > 2");
    event_names_done(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_part_events),
        cmocka_unit_test(a_comma_between_slashes_belongs_to_the_event),
        cmocka_unit_test(braces_make_a_group_and_modifiers_behind_them_are_those_of_each_event),
        cmocka_unit_test(what_is_no_list_of_events_is_refused_with_its_place),
        cmocka_unit_test(a_filter_belongs_to_the_last_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
