/* SPDX-License-Identifier: Apache-2.0 */

/* Every way in which a configuration is refused, with the exact place and what the message says. */
#include "config/refusal.h"

#include <stdio.h>

#include "base/text.h"
#include "config/yaml_reader.h"
#include "config/yaml_scan.h"

#define GROUP "groups:\n- {name: a, events: [cycles, instructions]}\n" /* it has two lines */

static void keys(void **state)
{
    static const struct refusal refusals[] = {
        {"intervall: 1s", 1, 1, {"unknown key \"intervall\"", "did you mean \"interval\""}},
        {"interval: 1s\nxyzzy: 1", 2, 1, {"unknown key \"xyzzy\"", "groups", "limits"}},
        {"groups:\n  - nam: a", 2, 5, {"\"nam\" in a group", "name or events", "\"name\"?"}},
        {"targets:\n  threads: []", 2, 3, {"unknown key \"threads\" in targets", "processes"}},
        {"limits: {pmu_counter: auto}", 1, 10, {"unknown key", "did you mean \"pmu_counters\""}},
        {"\"inter\\0val\": 1s", 1, 1, {"unknown key"}},
        {"[a]: 1", 1, 1, {"a key of the configuration is a list"}},
        {"? [a]\n: 1", 1, 3, {"a key of the configuration is a list"}},
        {"? {a: b}\n: 1", 1, 3, {"a key of the configuration is a mapping"}},
        {"<<: {interval: 1s}", 1, 1, {"unknown key \"<<\""}},
        {"interval: 1s\nlinger: 1s\ninterval: 2s", 3, 1, {"duplicate key \"interval\"", "1:1"}},
        {"groups:\n- {name: a, events: [b], name: c}", 2, 26, {"duplicate key \"name\"", "2:4"}},
        {"groups:\n- name: a", 2, 3, {"a group has no \"events\"", "expected a list"}},
        {"groups:\n- events: [a]", 2, 3, {"a group has no \"name\""}},
        {"targets:\n  system: {}", 2, 11, {"targets.system has no \"groups\""}},
        {"targets:\n  cgroups: [{groups: [core]}]", 2, 13, {"no \"include\""}},
        {"names: {kubernets: true}", 1, 9, {"unknown key", "did you mean \"kubernetes\""}},
        {"names: {batch: maybe}", 1, 16, {"maybe", "expected true or false"}},
        {"names: {file: names.csv}", 1, 15, {"names.csv", "begins with /"}},
        {GROUP "rename: [{event: cycles}]", 3, 10, {"a rename has no \"name\""}},
        {GROUP "ratios: [{name: x}]", 3, 10, {"a ratio has no \"formula\""}},
    };

    (void)state;
    EXPECT(refusals);
}

static void modifiers(void **state)
{
    static const struct refusal refusals[] = {
        {"groups:\n- {name: a, events: [cycles, 'instructions:pp']}",
         2,
         30,
         {"modifier \"p\" of event \"instructions:pp\" asks for precise addresses",
          "expected u, k, h, G, H, I, S"}},
        {"groups:\n- {name: a, events: ['cycles:P']}", 2, 22, {"modifier \"P\"", "samples"}},
        {"groups:\n- {name: a, events: ['r1c0:uD']}", 2, 22, {"modifier \"D\"", "would pin"}},
        {"groups:\n- {name: a, events: ['cycles:e']}", 2, 22, {"modifier \"e\"", "alone"}},
        {"groups:\n- {name: a, events: ['cycles:W']}", 2, 22, {"modifier \"W\"", "does not fit"}},
        {"groups:\n- {name: a, events: ['cycles:b']}", 2, 22, {"modifier \"b\"", "counting:"}},
        {"groups:\n- {name: a, events: [cpu/event=1/ppp]}", 2, 22, {"modifier \"p\"", "samples"}},
    };

    (void)state;
    EXPECT(refusals);
}

static void types(void **state)
{
    static const struct refusal refusals[] = {
        {"- a", 1, 1, {"not a mapping", "expected keys"}},
        {"just text", 1, 1, {"not a mapping"}},
        {"''", 1, 1, {"not a mapping"}},
        {"interval: [1s]", 1, 11, {"interval is a list", "a duration from 1s to 60s"}},
        {"interval: {a: b}", 1, 11, {"interval is a mapping"}},
        {"interval:", 1, 10, {"interval is empty", "a duration"}},
        {"interval: ~", 1, 11, {"interval is null"}},
        {"groups: core", 1, 9, {"groups is a single value", "a list of groups"}},
        {"groups: {name: a}", 1, 9, {"groups is a mapping"}},
        {"groups: [core]", 1, 10, {"an entry of groups is a single value", "expected a group"}},
        {"groups:\n- name: [a]", 2, 9, {"name is a list"}},
        {"groups:\n- {name: a, events: cycles}", 2, 21, {"events is a single value", "a list of"}},
        {"groups:\n- {name: a, events: [[cycles]]}",
         2,
         22,
         {"events is a list", "a name or an event"}},
        {"groups:\n- {name: a, events: [{cycles: 1}]}",
         2,
         23,
         {"unknown key \"cycles\" in an event", "event, filter or name"}},
        {"groups:\n- {name: a, events: ['']}", 2, 22, {"event is empty", "the name of an event"}},
        {"targets: [system]", 1, 10, {"targets is a list", "system, cgroups"}},
        {"targets: {system: core}",
         1,
         19,
         {"system is a single value", "groups, latency, by, cpus"}},
        {"targets: {cgroups: {}}", 1, 20, {"cgroups is a mapping", "a list of rules"}},
        {"expose: {rates: yes}", 1, 17, {"rates is \"yes\"", "true or false"}},
        {"expose: {rates: \"true\"}", 1, 17, {"rates is text in quotes", "true or false"}},
        {"limits: {cgroups: \"5\"}", 1, 19, {"text in quotes"}},
        {"limits: {cgroups: five}", 1, 19, {"cgroups is \"five\"", "a whole number from 1"}},
        {"limits: {cgroups: -1}", 1, 19, {"cgroups is \"-1\""}},
        {"limits: {series: 1.5}", 1, 18, {"series is \"1.5\""}},
        {"limits: {body: 8MB}", 1, 16, {"body is \"8MB\"", "as 8MiB"}},
        {"groups:\n- {name: \"a\\tb\", events: [c]}", 2, 10, {"control character"}},
        {"groups:\n- {name: \"a\\0b\", events: [c]}", 2, 10, {"control character"}},
        {"groups:\n- name: |\n    a\n  events: [c]", 2, 9, {"line break"}},
    };

    (void)state;
    EXPECT(refusals);
}

static void bounds(void **state)
{
    static const struct refusal refusals[] = {
        {"interval: 999ms", 1, 11, {"from 1s to 60s"}},
        {"interval: 61s", 1, 11, {"from 1s to 60s"}},
        {"interval: 1", 1, 11, {"\"1\"", "as 5s"}},
        {"linger: 2d", 1, 9, {"from 0s to 1d"}},
        {"counting: ebpf", 1, 11, {"counting is \"ebpf\"", "did you mean \"bpf\""}},
        {"counting: dirct", 1, 11, {"did you mean \"direct\""}},
        {"targets: {system: {groups: [core], by: all_}}", 1, 40, {"all, cpu or node", "\"all\"?"}},
        {"limits: {cgroups: 0}", 1, 19, {"from 1 to 100000"}},
        {"limits: {series: 10000001}", 1, 18, {"from 1 to 10000000"}},
        {"limits: {body: 4095}", 1, 16, {"from 4KiB to 1GiB"}},
        {"limits: {descriptors: 15}", 1, 23, {"auto or a whole number from 16"}},
        {"limits: {descriptors: Auto}", 1, 23, {"auto or a whole number"}},
        {"limits: {descriptors: all}", 1, 23, {"auto or a whole number"}},
        {"limits: {pmu_counters: 0}", 1, 24, {"auto, all or a whole number from 1 to 1000"}},
        {"limits: {pmu_counters: half}", 1, 24, {"auto, all or a whole number"}},
        {"profiles: {rate: 0}", 1, 18, {"rate is \"0\"", "from 1 to 999"}},
        {"profiles: {rate: 1000}", 1, 18, {"from 1 to 999"}},
        {"profiles: {memory: 4095KiB}", 1, 20, {"from 4MiB to 1GiB"}},
        {"profiles: {memory: 1025MiB}", 1, 20, {"from 4MiB to 1GiB"}},
        {"profiles: on", 1, 11, {"a mapping with enabled, rate, memory"}},
        {"limits: 5", 1, 9, {"a mapping with cgroups, processes, threads, series, body, descr"}},
        {"groups:\n- {name: a, events: []}", 2, 21, {"events is empty"}},
        {"targets: {system: {groups: []}}", 1, 28, {"groups is empty"}},
        {"targets: {cgroups: [{include: [], groups: [core]}]}", 1, 31, {"include is empty"}},
        {"groups:\n- {name: a234567890123456789012345678901234567890123456789012345678901234x, "
         "events: [b]}",
         2,
         10,
         {"at most 64 bytes"}},
    };

    (void)state;
    EXPECT(refusals);
}

static void event_of_64_kib(void **state)
{
    AUTO_FREE char *text = NULL, *name = calloc(1, (64 << 10) + 1);
    struct refusal refusal = {.line = 2, .column = 22, .says = {"event is \"eeee", "256 bytes"}};

    (void)state;
    assert_non_null(name);
    memset(name, 'e', 64 << 10);
    assert_true(asprintf(&text, "groups:\n- {name: a, events: [%s]}", name) > 0);
    refusal.text = text;
    expect_refusal(&refusal, strlen(text));
}

static void too_many_events(void **state)
{
    char text[4096] = "groups:\n- name: a\n  events:\n";
    struct refusal refusal = {text, 68, 5, {"events has too many", "at most 64"}};

    (void)state;
    for (int i = 0; i < 65; i++)
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "  - e%d\n", i);
    expect_refusal(&refusal, strlen(text));
}

static void what_yaml_has_and_we_do_not(void **state)
{
    static const struct refusal refusals[] = {
        {"interval: !!str 1s", 1, 11, {"tag \"tag:yaml.org,2002:str\""}},
        {"interval: !mine 1s", 1, 11, {"tag \"!mine\""}},
        {"!!map {interval: 1s}", 1, 1, {"tag"}},
        {"groups: !!seq []", 1, 9, {"tag"}},
        {"!!str interval: 1s", 1, 1, {"tag"}},
        {"interval: &a 1s", 1, 11, {"anchor \"a\""}},
        {"groups: &g []", 1, 9, {"anchor \"g\""}},
        {"&m {interval: 1s}", 1, 1, {"anchor \"m\""}},
        {"interval: *a", 1, 11, {"alias \"a\"", "the value itself"}},
        {"*a : 1s", 1, 1, {"alias \"a\""}},
        {"interval: 1s\n---\ninterval: 2s", 2, 1, {"a second YAML document"}},
        {"---\n---\n", 2, 1, {"a second YAML document"}},
        {"interval: 1s\n...\nlinger: 1s", 3, 1, {"not YAML", "document start"}},
        {"interval: [1s", 1, 11, {"interval is a list"}},
        {"groups:\n- {name: a", 3, 1, {"not YAML", "flow mapping"}},
        {"interval: \"1s", 1, 14, {"not YAML", "quoted scalar that begins at 1:11"}},
        {"interval: 1s: 2", 1, 13, {"not YAML", "mapping values"}},
        {"\tinterval: 1s", 1, 1, {"not YAML", "cannot start any token"}},
        {"interval: @1s", 1, 11, {"not YAML"}},
    };

    (void)state;
    EXPECT(refusals);
}

static void bytes_that_are_no_text(void **state)
{
    static const struct {
        struct refusal refusal;
        size_t length;
    } cases[] = {
        {{"\xff\xfei\0n\0", 1, 1, {"UTF-16", "expected UTF-8"}}, 6},
        {{"\xfe\xff\0i\0n", 1, 1, {"UTF-16"}}, 6},
        {{"i\0n\0", 1, 2, {"NUL byte", "UTF-8"}}, 4},
        {{"linger: 1s\nin\0", 2, 3, {"NUL byte"}}, 14},
        {{"a: \xff", 1, 4, {"UTF-8"}}, 4},
        {{"# ok\n# \xc3\xa9\xc3\xa9 \xe2\x82", 2, 6, {"UTF-8"}}, 14},
        {{"a: \xc0\xaf", 1, 4, {"UTF-8"}}, 5},
        {{"a: \xed\xa0\x80", 1, 4, {"UTF-8"}}, 6},
        {{"a: \x1b", 1, 4, {"control characters"}}, 4},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        expect_refusal(&cases[i].refusal, cases[i].length);
}

static void groups_and_targets(void **state)
{
    static const struct refusal refusals[] = {
        {"groups:\n- {name: 'a b', events: [c]}", 2, 10, {"group name \"a b\"", "letters"}},
        {"groups:\n- {name: a, events: [c]}\n- {name: a, events: [d]}",
         3,
         10,
         {"duplicate group \"a\"", "2:10"}},
        {"groups:\n- {name: a, events: [c, d, c]}", 2, 28, {"duplicate event \"c\"", "2:22"}},
        {"targets: {system: {groups: [croe]}}",
         1,
         29,
         {"unknown group \"croe\"", "did you mean \"core\"?"}},
        {"targets: {system: {groups: [core, core]}}", 1, 35, {"duplicate group \"core\"", "1:29"}},
        {"targets:\n  cgroups:\n  - {include: [/a], groups: [x]}", 3, 30, {"unknown group \"x\""}},
        {GROUP, 1, 1, {"there is no \"targets\"", "\"core\""}},
        {"targets: {system: {groups: [core], cpus: 3-1}}", 1, 42, {"cpus is \"3-1\"", "0-3,8"}},
        {"targets: {system: {groups: [core], cpus: 9000}}", 1, 42, {"cpus is \"9000\"", "8191"}},
        {"targets:\n  cgroups:\n  - {include: [a], groups: [core]}",
         3,
         16,
         {"include pattern \"a\""}},
        {"targets:\n  cgroups:\n  - {include: [/a], exclude: ['/a\\'], groups: [core]}",
         3,
         31,
         {"exclude pattern"}},
    };

    (void)state;
    EXPECT(refusals);
}

#define TARGETS "targets: {}\n" /* it has one line */

static void ratios(void **state)
{
    static const struct refusal refusals[] = {
        {"ratios: [{name: x, formula: instructions / page-faults}]",
         1,
         29,
         {"no group has all events of ratio \"x\"", "\"instructions\" (in core)",
          "\"page-faults\" (in software)"}},
        {"ratios: [{name: x, formula: instructions / cycels}]", 1, 44, {"\"x\"", "cycles"}},
        {"ratios: [{name: x, formula: \"instructions / cycels\"}]", 1, 45, {"cycles"}},
        {GROUP "targets: {}\nratios: [{name: x, formula: instructions / cycels}]",
         4,
         44,
         {"mean \"cycles\"? Or is \"cycles\" of group a, at 2:22, misspelled?"}},
        {"ratios:\n- name: x\n  formula: 'instructions / (cycles'", 3, 28, {"formula of ratio"}},
        {"ratios: [{name: x, formula: \"instructions\\x20/ cycels\"}]", 1, 29, {"cycles"}},
        {"ratios:\n- name: x\n  formula: instructions /\n    cycels", 3, 12, {"cycles"}},
        {"ratios: [{name: x, formula: 1 + 2}]", 1, 29, {"names no event"}},
        {"ratios:\n- {name: x, formula: instructions / cycles}\n"
         "- {name: x, formula: branches / cycles}",
         3,
         10,
         {"duplicate ratio \"x\"", "2:10"}},
    };

    (void)state;
    EXPECT(refusals);
}

/* A message is one line whatever the file holds. */
static void words_are_shown_without_control_characters(void **state)
{
    static const struct refusal refusal = {
        "targets: {system: {groups: [core], by: \"\\u00a0\"}}", 1, 40, {"by is"}};
    static const struct refusal escaped = {"\"a\\e[2J\\nb\": 1", 1, 1, {"\\x1b[2J\\x0ab"}};

    (void)state;
    expect_refusal(&refusal, strlen(refusal.text));
    expect_refusal(&escaped, strlen(escaped.text));
}

/* Long words are cut between characters. */
static void long_words_are_shortened(void **state)
{
    char text[1024] = "";
    struct refusal refusal = {text, 1, 1, {"unknown key \"éé", "éé…\"", "expected"}};

    (void)state;
    for (int i = 0; i < 300; i++)
        (void)strcat(text, "é");
    (void)strcat(text, ": 1");
    expect_refusal(&refusal, strlen(text));
}

static char *repeat(const char *text, unsigned n)
{
    struct text all = {0};

    for (unsigned i = 0; i < n; i++)
        text_append_string(&all, text);
    return text_take(&all);
}

static void brackets__may_nest_32_deep_and_no_deeper(void **state)
{
    AUTO_FREE char *deepest = repeat("[", 32), *deeper = repeat("[", 33);
    AUTO_FREE char *comment = NULL;
    struct refusal wrong_type = {deepest, 1, 1, {"not a mapping"}};
    struct refusal too_deep = {deeper, 1, 33, {"nest too deep", "32"}};
    struct config_error error;
    struct config *config;

    (void)state;
    expect_refusal(&wrong_type, strlen(deepest));
    expect_refusal(&too_deep, strlen(deeper));
    assert_true(asprintf(&comment, "# %s\n{}", deeper) > 0);
    assert_int_equal(config_parse(comment, strlen(comment), &config, &error), 0);
    (void)config_free(config);
}

/*
 * What makes libyaml slow is how far it looks ahead through brackets. So no more is scanned of a
 * bomb than is as deep as may be.
 */
static void a_bomb__is_not_looked_into(void **state)
{
    static const char *const bombs[] = {"- ", "? ", "[\"]\",", "{']': ", "[ ']' , "};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bombs); i++) {
        AUTO_FREE char *text = repeat(bombs[i], 100000);
        AUTO_TEXT struct text answer = {0};

        assert_int_equal(yaml_scan(text, strlen(text), &answer), 0);
        assert_non_null(memmem(answer.data, answer.length, "nest too deep", 13));
        assert_true(answer.length < 4096);
    }
}

static void values_without_end__are_not_all_read(void **state)
{
    AUTO_FREE char *text = repeat("[],", 300000);
    AUTO_TEXT struct text answer = {0};

    (void)state;
    text[0] = '[';
    text[1] = ' ';
    text[2] = ' ';
    assert_int_equal(yaml_scan(text, strlen(text), &answer), 0);
    assert_non_null(memmem(answer.data, answer.length, "too many values", 15));
    assert_true(answer.length < (size_t)8 << 20); /* which the worker may write */
}

static void a_bomb_of_200000_brackets__never_reaches_libyaml(void **state)
{
    AUTO_FREE char *text = repeat("[", 200000);
    struct config_error error = {0};
    struct yaml_reader reader;

    (void)state;
    assert_int_equal(yaml_reader_init(&reader, NULL, text, strlen(text), &error), -EINVAL);
    assert_int_equal(reader.own.length, 0);
    assert_int_equal(error.place.column, 33);
    yaml_reader_done(&reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(modifiers),
        cmocka_unit_test(types),
        cmocka_unit_test(bounds),
        cmocka_unit_test(event_of_64_kib),
        cmocka_unit_test(too_many_events),
        cmocka_unit_test(what_yaml_has_and_we_do_not),
        cmocka_unit_test(bytes_that_are_no_text),
        cmocka_unit_test(groups_and_targets),
        cmocka_unit_test(ratios),
        cmocka_unit_test(words_are_shown_without_control_characters),
        cmocka_unit_test(long_words_are_shortened),
        cmocka_unit_test(brackets__may_nest_32_deep_and_no_deeper),
        cmocka_unit_test(a_bomb__is_not_looked_into),
        cmocka_unit_test(values_without_end__are_not_all_read),
        cmocka_unit_test(a_bomb_of_200000_brackets__never_reaches_libyaml),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
