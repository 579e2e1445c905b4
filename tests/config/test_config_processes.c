/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_processes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct config *parse(const char *text)
{
    struct config_error error = {0};
    struct config *config = NULL;

    if (config_parse(text, strlen(text), &config, &error) < 0)
        fail_msg("%u:%u: %s", error.place.line, error.place.column, error.message);
    return config;
}

static void every_key__goes_where_it_belongs(void **state)
{
    AUTO(config)
    struct config *config = parse("targets:\n"
                                  "  processes:\n"
                                  "  - name: \"{{.Comm}} {{.Matches.x}}\"\n"
                                  "    comm: [nginx, 'a b']\n"
                                  "    exe: [/usr/sbin/nginx]\n"
                                  "    cmdline: ['a', '(?P<x>\\S+)$']\n"
                                  "    pid: [1, 4194304, 3]\n"
                                  "    children: true\n"
                                  "    groups: [core, software]\n"
                                  "  - {comm: [x], groups: [software]}\n");
    const struct config_process_rule *rule = &config->processes[0];

    (void)state;
    assert_int_equal(config->n_processes, 2);
    assert_string_equal(rule->name.text, "{{.Comm}} {{.Matches.x}}");
    assert_int_equal(rule->name.place.line, 3);
    assert_int_equal(rule->comm.n, 2);
    assert_string_equal(rule->comm.words[1].text, "a b");
    assert_string_equal(rule->exe.words[0].text, "/usr/sbin/nginx");
    assert_int_equal(rule->cmdline.n, 2);
    assert_string_equal(rule->cmdline.words[1].text, "(?P<x>\\S+)$");
    assert_int_equal(rule->pid.n, 3);
    assert_int_equal(rule->pid.numbers[1], 4194304);
    assert_int_equal(rule->pid.numbers[2], 3);
    assert_true(rule->children);
    assert_string_equal(rule->groups.words[1].text, "software");
    rule = &config->processes[1];
    assert_null(rule->name.text);
    assert_int_equal(rule->pid.n, 0);
    assert_false(rule->children);
}

static void one_selector_of_any_kind_is_enough(void **state)
{
    AUTO(config)
    struct config *config = parse("targets:\n"
                                  "  processes:\n"
                                  "  - {comm: [x], groups: [software]}\n"
                                  "  - {exe: [x], groups: [software]}\n"
                                  "  - {cmdline: [x], groups: [software]}\n"
                                  "  - {pid: [1], groups: [software]}\n");

    (void)state;
    assert_int_equal(config->n_processes, 4);
}

static void a_file_without_processes_counts_none(void **state)
{
    AUTO(config) struct config *builtin = parse("");
    AUTO(config) struct config *none = parse("targets: {processes: []}");

    (void)state;
    assert_int_equal(builtin->n_processes, 0);
    assert_int_equal(none->n_processes, 0);
    assert_int_equal(builtin->limits.processes, 200);
    assert_int_equal(builtin->limits.threads, 2000);
}

static void made_rules_have_the_same_indexes(void **state)
{
    AUTO(config)
    struct config *config = parse("targets:\n"
                                  "  processes:\n"
                                  "  - {comm: [x], children: true, groups: [software]}\n"
                                  "  - {name: '{{.PID}}', pid: [1], groups: [software]}\n");
    AUTO(process_rules) struct process_rules *rules = NULL;
    struct process_rule_error error;
    size_t index;

    (void)state;
    assert_int_equal(config_processes_make(config, &rules, &index, &error), 0);
    assert_true(process_rules_with_children(rules, 0));
    assert_false(process_rules_with_children(rules, 1));
    assert_false(process_rules_is_single(rules, 0));
    assert_true(process_rules_is_single(rules, 1));
}

static void a_group_of_processes_alone_serves_ratios(void **state)
{
    AUTO(config)
    struct config *config = parse("groups:\n"
                                  "- {name: a, events: [cycles, instructions, task-clock]}\n"
                                  "rename: [{event: cycles, name: ticks}]\n"
                                  "ratios: [{name: x, formula: instructions / cycles}]\n"
                                  "targets: {processes: [{comm: [x], groups: [a]}]}\n");

    (void)state;
    assert_int_equal(config->n_ratios, 1);
}

struct refusal {
    const char *text;
    unsigned line, column;
    const char *says[3]; /* the message has these parts */
};

#define RULE(keys)                                                                                 \
    "targets:\n processes:\n - {groups: [core], " keys "}\n" /* the keys begin at 3:21 */
#define PROCESSES "targets: {processes: [{comm: [x], groups: [a]}]}\n"

static const struct refusal refusals[] = {
    /* keys and types */
    {RULE("com: [x]"), 3, 21, {"unknown key \"com\" in a rule of targets.processes", "\"comm\"?"}},
    {"targets: {processes: [{comm: [x]}]}", 1, 23, {"no \"groups\"", "as [core]"}},
    {"targets:\n  processes:\n  - groups: [core]\n    children: true",
     3,
     5,
     {"selects nothing", "at least one of \"comm\", \"exe\", \"cmdline\", \"pid\""}},
    {"targets: {processes: {}}", 1, 22, {"processes is a mapping", "a list of rules"}},
    {RULE("comm: x"), 3, 27, {"comm is a single value", "a list of names"}},
    {RULE("comm: []"), 3, 27, {"comm is empty"}},
    {RULE("comm: ['']"), 3, 28, {"comm is empty"}},
    {RULE("cmdline: []"), 3, 30, {"cmdline is empty"}},
    {RULE("pid: 1"), 3, 26, {"pid is a single value", "as [4711]"}},
    {RULE("pid: []"), 3, 26, {"pid is empty"}},
    {RULE("pid: [1, 0]"), 3, 30, {"pid is \"0\""}},
    {RULE("pid: [4194305]"), 3, 27, {"pid is \"4194305\""}},
    {RULE("pid: [-1]"), 3, 27, {"pid is \"-1\""}},
    {RULE("pid: [\"1\"]"), 3, 27, {"text in quotes"}},
    {RULE("pid: [[1]]"), 3, 27, {"pid is a list"}},
    {RULE("comm: [x], children: yes"), 3, 42, {"children is \"yes\"", "true or false"}},
    {RULE("comm: [x], name: {{.Comm}}"),
     3,
     38,
     {"name is a mapping", "in quotes, such as \"{{.Comm}}\""}},
    {RULE("comm: [x], name: ''"), 3, 38, {"name is empty"}},
    {"limits: {processes: 0}", 1, 21, {"from 1 to 100000"}},
    {"limits: {threads: 1000001}", 1, 19, {"from 1 to 1000000"}},
    {"targets: {processes: [{comm: [a], childs: true, groups: [core]}]}",
     1,
     35,
     {"unknown key \"childs\"", "did you mean \"children\"?"}},
    {"limits: {process: 1}", 1, 10, {"did you mean \"processes\"?"}},
    /* groups */
    {"targets: {processes: [{comm: [x], groups: [croe]}]}", 1, 44, {"\"croe\"", "\"core\"?"}},
    {"targets: {processes: [{comm: [x], groups: [core, core]}]}", 1, 50, {"duplicate group"}},
    /* templates, in quotes and without */
    {RULE("comm: [x], name: \"{{.Com}}\""), 3, 41, {"name \"{{.Com}}\"", "mean .Comm?"}},
    {RULE("comm: [x], name: 'é{{.Com}}'"), 3, 42, {"no field \".Com\""}},
    {"targets:\n  processes:\n  - groups: [core]\n    comm: [x]\n    name: a {{.Com}}",
     5,
     15,
     {"no field \".Com\""}},
    {RULE("comm: [x], name: \"\\x7b{.Com}}\""), 3, 38, {"no field"}},
    {RULE("comm: [x], name: '{{.Comm'"), 3, 39, {"not closed"}},
    {RULE("comm: [x], name: '{{.Matches.y}}', cmdline: ['(?P<x>a)']"),
     3,
     50,
     {"no pattern of cmdline has a group \"y\""}},
    /* patterns */
    {RULE("cmdline: [a, 'b(c']"),
     3,
     38,
     {"cmdline pattern \"b(c\"", "missing closing parenthesis"}},
    {RULE("cmdline: [a, 'it''s(']"), 3, 34, {"missing closing parenthesis"}},
    {RULE("cmdline: [*a]"), 3, 31, {"alias"}},
    {RULE("cmdline: [\"\\\\s(\"]"), 3, 31, {"missing closing parenthesis"}},
    /* names and ratios of groups that only processes use */
    {"groups: [{name: a, events: [cycles]}, {name: b, events: [instructions]}]\n"
     "ratios: [{name: x, formula: instructions / cycles}]\n" PROCESSES,
     2,
     29,
     {"no group has all events of ratio \"x\""}},
    {"groups: [{name: a, events: [LLC-loads, llc_loads]}]\n" PROCESSES,
     1,
     40,
     {"would both be called \"llc_loads\""}},
    {"groups: [{name: a, events: [cycles]}]\n"
     "ratios: [{name: members, formula: cycles * 2}]\n" PROCESSES,
     2,
     17,
     {"has a metric \"members\""}},
    {"groups: [{name: a, events: [cycles]}]\n"
     "ratios: [{name: unattributed_ratio, formula: cycles * 2}]\n" PROCESSES,
     2,
     17,
     {"has a metric \"unattributed_ratio\""}},
    {"groups: [{name: a, events: [cycles]}]\n"
     "ratios: [{name: created_time_seconds, formula: cycles * 2}]\n" PROCESSES,
     2,
     17,
     {"has a metric \"created_time_seconds\""}},
    {"groups: [{name: a, events: [cycles]}]\n"
     "rename: [{event: cycels, name: x}]\n" PROCESSES,
     2,
     18,
     {"no group lists event \"cycels\""}},
};

static void what_is_wrong_is_said_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
        const struct refusal *refusal = &refusals[i];
        struct config_error error = {0};
        struct config *config = NULL;

        if (config_parse(refusal->text, strlen(refusal->text), &config, &error) != -EINVAL)
            fail_msg("accepted: %s", refusal->text);
        assert_null(config);
        if (error.place.line != refusal->line || error.place.column != refusal->column)
            fail_msg("%u:%u instead of %u:%u: %s\n%s", error.place.line, error.place.column,
                     refusal->line, refusal->column, error.message, refusal->text);
        for (size_t j = 0; j < ARRAY_SIZE(refusal->says) && refusal->says[j]; j++)
            if (!strstr(error.message, refusal->says[j]))
                fail_msg("no \"%s\" in: %s", refusal->says[j], error.message);
    }
}

static void expect_too_many(const char *key, const char *entry, unsigned most)
{
    AUTO_FREE char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    struct config_error error = {0};
    struct config *config = NULL;
    char wanted[64];

    assert_non_null(out);
    (void)fprintf(out, "targets:\n  processes:\n  - groups: [core]\n    %s:\n", key);
    for (unsigned i = 0; i < most + 1; i++)
        (void)fprintf(out, "    - %s\n", entry);
    assert_int_equal(fclose(out), 0);
    assert_int_equal(config_parse(text, size, &config, &error), -EINVAL);
    (void)snprintf(wanted, sizeof(wanted), "%s has too many entries; expected at most %u", key,
                   most);
    assert_string_equal(error.message, wanted);
    assert_int_equal(error.place.line, 4 + most + 1);
}

static void lists_have_an_end(void **state)
{
    (void)state;
    expect_too_many("pid", "1", 256);
    expect_too_many("comm", "a", 256);
    expect_too_many("cmdline", "a", 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key__goes_where_it_belongs),
        cmocka_unit_test(one_selector_of_any_kind_is_enough),
        cmocka_unit_test(a_file_without_processes_counts_none),
        cmocka_unit_test(made_rules_have_the_same_indexes),
        cmocka_unit_test(a_group_of_processes_alone_serves_ratios),
        cmocka_unit_test(what_is_wrong_is_said_with_its_place),
        cmocka_unit_test(lists_have_an_end),
    };

    return cmocka_run_group_tests_name("config_processes", tests, NULL, NULL);
}
