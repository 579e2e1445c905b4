/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/failing_memory.h"
#include "support/fixture_tree.h"
#include "target/process_rules.h"

/*
 * Each allocation is made to fail in turn: while rules are made, while a process is read, and while
 * its name is made. The call says so, and leaves nothing behind.
 */

static const char *const comm[] = {"x", "java"}, *const exe[] = {"java"};
static const char *const cmdline[] = {"(?P<a>-jar)", "(?P<b>=\\d+)"};

static const struct process_rule_spec specs[] = {
    {.name = "other", .comm = comm, .n_comm = 1, .exe = exe, .n_exe = 1},
    {.name = "{{.Username}} {{.ExeFull}} {{.Matches.a}}{{.Matches.b}} {{.StartTime}}",
     .comm = comm,
     .n_comm = ARRAY_SIZE(comm),
     .exe = exe,
     .n_exe = ARRAY_SIZE(exe),
     .cmdline = cmdline,
     .n_cmdline = ARRAY_SIZE(cmdline)},
};

static struct fixture_tree tree;

static int setup(void **state)
{
    (void)state;
    tree = fixture_tree_open();
    fixture_tree_write(&tree, "7/stat",
                       "7 (java) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 12345 0 0 0 0 0 0 0 0 0 0 "
                       "0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    fixture_tree_write(&tree, "7/cmdline", "java -jar --port=80");
    assert_int_equal(symlinkat("/usr/bin/java", tree.fd, "7/exe"), 0);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    fixture_tree_close(&tree);
    return 0;
}

static int make_rules(struct process_rules **ret_rules)
{
    struct process_rule_error error;
    int r = process_rules_new(ret_rules);

    for (size_t i = 0; r == 0 && i < ARRAY_SIZE(specs); i++)
        r = process_rules_add(*ret_rules, &specs[i], &error);
    return r;
}

static int match(const struct process_rules *rules, struct text *name)
{
    AUTO(process) struct process *process = NULL;
    struct process_matching matching = {.most_work = SIZE_MAX};
    int r = process_open(tree.fd, 7, &process);

    if (r == 0)
        r = process_rules_match(rules, process, &matching, name);
    free(matching.verdicts);
    return r;
}

static int make_and_match(void)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    AUTO_TEXT struct text name = {0};
    int r = make_rules(&rules);

    return r < 0 ? r : match(rules, &name);
}

static void memory__that_is_short_is_told(void **state)
{
    int r = -ENOMEM;
    unsigned n;

    (void)state;
    for (n = 1; r == -ENOMEM; n++) {
        allocations = 0;
        failing = n;
        r = make_and_match();
        failing = 0;
    }
    assert_int_equal(r, 1);
    assert_in_range(n, 20, 200);
}

/* What fails once for want of memory works with the same rules the next time. */
static void memory__that_comes_back_is_used(void **state)
{
    AUTO(process_rules) struct process_rules *rules = NULL;
    int r = -ENOMEM;
    unsigned n;

    (void)state;
    assert_int_equal(make_rules(&rules), 0);
    for (n = 1; r == -ENOMEM; n++) {
        AUTO_TEXT struct text name = {0};

        allocations = 0;
        failing = n;
        r = match(rules, &name);
        failing = 0;
    }
    assert_int_equal(r, 1);
    assert_in_range(n, 5, 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory__that_is_short_is_told),
        cmocka_unit_test(memory__that_comes_back_is_used),
    };

    return cmocka_run_group_tests_name("process_memory", tests, setup, teardown);
}
