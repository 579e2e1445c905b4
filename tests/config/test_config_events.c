/* SPDX-License-Identifier: Apache-2.0 */
#include "config/refusal.h"

#include "config/config_event.h"

static void an_event__is_a_name_or_a_mapping(void **state)
{
    static const char text[] =
        "groups:\n"
        "  - name: a\n"
        "    events:\n"
        "      - page-faults\n"
        "      - {event: sched:sched_switch, filter: \"prev_prio < 100\"}\n"
        "      - {event: sched:sched_switch, filter: prev_prio == 0, name: idle_prio}\n"
        "      - {event: minor-faults}\n"
        "ratios: [{name: x, formula: idle_prio / sched:sched_switch}]\n"
        "targets: {}\n";
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};
    const struct config_event *events;

    (void)state;
    if (config_parse(text, strlen(text), &config, &error) < 0)
        fail_msg("%s", error.message);
    events = config->groups[0].events;
    assert_int_equal(config->groups[0].n_events, 4);
    assert_string_equal(config_event_name(&events[0])->text, "page-faults");
    assert_null(events[0].filter.text);
    assert_string_equal(events[1].event.text, "sched:sched_switch");
    assert_string_equal(events[1].filter.text, "prev_prio < 100");
    assert_string_equal(config_event_name(&events[1])->text, "sched:sched_switch");
    assert_string_equal(events[2].filter.text, "prev_prio == 0");
    assert_string_equal(config_event_name(&events[2])->text, "idle_prio");
    assert_int_equal(config_event_name(&events[2])->place.line, 6);
    assert_string_equal(events[3].event.text, "minor-faults");
}

#define EVENTS(events) "targets: {}\ngroups:\n- {name: a, events: [" events "]}"

static void a_wrong_entry__is_refused_with_its_place(void **state)
{
    static const struct refusal refusals[] = {
        {EVENTS("{filter: x}"), 3, 22, {"an event has no \"event\"", "such as cycles"}},
        {EVENTS("{event: x, fliter: y}"), 3, 33, {"\"fliter\" in an event", "\"filter\"?"}},
        {EVENTS("{event: x, filter: ''}"), 3, 41, {"filter is empty", "a condition in quotes"}},
        {EVENTS("{event: x, filter: [y]}"), 3, 41, {"filter is a list"}},
        {EVENTS("{event: x, name: Y}"), 3, 39, {"\"Y\" is not a valid metric name"}},
        {EVENTS("{event: 'x:*', filter: y}"), 3, 45, {"\"x:*\" stands for several", "\"filter\""}},
        {EVENTS("{event: 'x:*', name: y}"), 3, 43, {"\"x:*\" stands for several", "\"name\""}},
        {EVENTS("x, {event: x, filter: y}"),
         3,
         33,
         {"duplicate event \"x\"", "or with a \"name\" of its own", "3:22"}},
        {EVENTS("{event: x, filter: y}") "\n- {name: b, events: [x]}",
         4,
         22,
         {"\"x\" has another filter", "at 3:30", "expected a \"name\""}},
        {EVENTS("{event: x, name: y}") "\n- {name: b, events: [{event: z, name: y}]}",
         4,
         39,
         {"\"y\" has another filter or another event at 3:39"}},
        {EVENTS("{event: x, name: y}, y"), 3, 43, {"duplicate event \"y\"", "3:39"}},
        {EVENTS("{event: x, name: instructions}, 'INSTRUCTIONS'"),
         3,
         54,
         {"would both be called \"instructions\""}},
        {EVENTS("'x:*'") "\nrename: [{event: 'x:*', name: y}]",
         4,
         18,
         {"\"x:*\" stands for several events", "the name of one event"}},
    };

    (void)state;
    EXPECT(refusals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event__is_a_name_or_a_mapping),
        cmocka_unit_test(a_wrong_entry__is_refused_with_its_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
