/* SPDX-License-Identifier: Apache-2.0 */
#include "config/config_probes.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void probes_are_read_in_whatever_order_groups_and_probes_stand(void **state)
{
    static const char text[] = "groups:\n"
                               "- {name: a, events: [\"probe:reads\", \"probe:starts:u\"]}\n"
                               "probes:\n"
                               "- {name: reads, kernel: vfs_read%return}\n"
                               "- {user: \"/bin/x:main+4\", name: starts}\n"
                               "- {name: unused, usdt: /lib/l.so:provider:name}\n"
                               "targets: {system: {groups: [a]}}\n";
    AUTO(config) struct config *config = NULL;
    AUTO_FREE struct probe_spec *specs = NULL;
    struct config_error error = {0};

    (void)state;
    if (config_parse(text, strlen(text), &config, &error) < 0)
        fail_msg("%s", error.message);
    assert_int_equal(config->n_probes, 3);
    assert_int_equal(config_probes_make(config, &specs), 0);
    assert_string_equal(specs[0].name, "reads");
    assert_int_equal(specs[0].kind, PROBE_KERNEL);
    assert_string_equal(specs[0].place, "vfs_read%return");
    assert_string_equal(specs[1].name, "starts");
    assert_int_equal(specs[1].kind, PROBE_USER);
    assert_string_equal(specs[1].place, "/bin/x:main+4");
    assert_int_equal(specs[2].kind, PROBE_USDT);
    assert_string_equal(specs[2].place, "/lib/l.so:provider:name");
}

static void what_is_wrong_is_told_with_its_place(void **state)
{
    static const struct {
        const char *text;
        unsigned line, column;
        const char *says[3];
    } cases[] = {
        {"probes: x", 1, 9, {"probes is a single value", "a list of probes"}},
        {"probes:\n- {kernel: vfs_read}", 2, 3, {"a probe has no \"name\""}},
        {"probes:\n- {name: a}", 2, 3, {"selects nothing", "\"kernel\", \"user\", \"usdt\""}},
        {"probes:\n- {name: a, kernal: b}", 2, 13, {"unknown key", "did you mean \"kernel\"?"}},
        {"probes:\n- {name: a, kernel: b, user: /x:y}", 2, 10, {"has several places"}},
        {"probes:\n- {name: u, kernel: b}", 2, 10, {"probe name \"u\"", "modifiers"}},
        {"probes:\n- {name: a-b, kernel: b}", 2, 10, {"probe name \"a-b\""}},
        {"probes:\n- {name: a, kernel: b}\n- {name: a, kernel: c}",
         3,
         10,
         {"duplicate probe \"a\"", "the first is at 2:10"}},
        {"probes:\n- {name: a, user: \"x:y\"}",
         2,
         19,
         {"probe \"a\" is on \"x:y\"", "expected an absolute path and a function"}},
        {"probes:\n- {name: a, kernel: f+4%return}", 2, 21, {"expected a function of the kernel"}},
        {"probes:\n- {name: a, usdt: \"/x:y\"}", 2, 19, {"expected an absolute path, a provider"}},
        {"groups:\n- {name: g, events: [\"probe:raeds:u\"]}\nprobes:\n"
         "- {name: reads, kernel: vfs_read}\ntargets: {system: {groups: [g]}}",
         2,
         22,
         {"unknown probe \"raeds\"", "did you mean \"reads\"?"}},
        {"groups:\n- {name: g, events: [\"probe:x\"]}\ntargets: {system: {groups: [g]}}",
         2,
         22,
         {"unknown probe \"x\"", "a name from \"probes\""}},
        {"groups:\n- {name: g, events: [\"probe:\"]}\ntargets: {system: {groups: [g]}}",
         2,
         22,
         {"names no probe"}},
        {"groups:\n- {name: g, events: [\"probe:u\"]}\ntargets: {system: {groups: [g]}}",
         2,
         22,
         {"names no probe"}},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(config) struct config *config = NULL;
        struct config_error error = {0};

        if (config_parse(cases[i].text, strlen(cases[i].text), &config, &error) != -EINVAL)
            fail_msg("accepted: %s", cases[i].text);
        if (error.place.line != cases[i].line || error.place.column != cases[i].column)
            fail_msg("%u:%u: %s\n%s", error.place.line, error.place.column, error.message,
                     cases[i].text);
        for (size_t k = 0; k < ARRAY_SIZE(cases[i].says) && cases[i].says[k]; k++)
            if (!strstr(error.message, cases[i].says[k]))
                fail_msg("no \"%s\" in: %s", cases[i].says[k], error.message);
    }
}

static void two_probes_whose_metrics_have_one_name_are_refused(void **state)
{
    static const char text[] = "groups: [{name: a, events: [\"probe:reads\", \"probe:READS\"]}]\n"
                               "probes:\n- {name: reads, kernel: f}\n- {name: READS, kernel: g}\n"
                               "targets: {system: {groups: [a]}}\n";
    AUTO(config) struct config *config = NULL;
    struct config_error error = {0};

    (void)state;
    assert_int_equal(config_parse(text, strlen(text), &config, &error), -EINVAL);
    assert_non_null(strstr(error.message, "would both be called \"probe_reads\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probes_are_read_in_whatever_order_groups_and_probes_stand),
        cmocka_unit_test(what_is_wrong_is_told_with_its_place),
        cmocka_unit_test(two_probes_whose_metrics_have_one_name_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
