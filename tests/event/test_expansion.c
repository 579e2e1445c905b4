/* SPDX-License-Identifier: Apache-2.0 */
#include "event/expansion.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/resolver.h"
#include "support/fixture_tree.h"

#define EVENTS "kernel/tracing/events/"

static struct fixture_tree sysfs;

static void add_point(const char *name, bool has_id)
{
    char path[128];

    (void)snprintf(path, sizeof(path), EVENTS "%s/%s", name, has_id ? "id" : "format");
    fixture_tree_write(&sysfs, path, "7\n");
}

static int make_sysfs(void **state)
{
    (void)state;
    sysfs = fixture_tree_open();
    add_point("kmem/mm_page_free", true);
    add_point("kmem/kmalloc", true);
    add_point("kmem/kfree", true);
    add_point("kmem/for_the_kernel_only", false);
    fixture_tree_write(&sysfs, EVENTS "kmem/enable", "0\n");
    add_point("irq/irq10", true);
    add_point("irq/irq9", true);
    return 0;
}

static int remove_sysfs(void **state)
{
    (void)state;
    fixture_tree_close(&sysfs);
    return 0;
}

/* expected: the names with a space behind each. */
static void check(const char *name, size_t limit, const char *expected, size_t n_beyond)
{
    AUTO(event_resolver) struct event_resolver *resolver = NULL;
    struct event_expansion expansion;
    char names[256] = "";

    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
    assert_int_equal(event_expand(resolver, name, limit, &expansion), 0);
    for (size_t i = 0; i < expansion.n_names; i++) {
        strncat(names, expansion.names[i], sizeof(names) - strlen(names) - 1);
        strncat(names, " ", sizeof(names) - strlen(names) - 1);
    }
    assert_string_equal(names, expected);
    assert_int_equal(expansion.n_beyond, n_beyond);
    event_expansion_done(&expansion);
}

static void expand__shows_each_event_of_a_subsystem(void **state)
{
    (void)state;
    check("kmem:*", EVENT_EXPANSION_MAX, "kmem:kfree kmem:kmalloc kmem:mm_page_free ", 0);
    check("kmem:k*", EVENT_EXPANSION_MAX, "kmem:kfree kmem:kmalloc ", 0);
    check("kmem:[a-j]*", EVENT_EXPANSION_MAX, "", 0);
    check("*:*10", EVENT_EXPANSION_MAX, "irq:irq10 ", 0);
}

static void expand__counts_numbers_in_names_as_numbers(void **state)
{
    (void)state;
    check("irq:irq*", EVENT_EXPANSION_MAX, "irq:irq9 irq:irq10 ", 0);
}

static void expand__gives_each_name_the_modifiers(void **state)
{
    (void)state;
    check("kmem:k*:u", EVENT_EXPANSION_MAX, "kmem:kfree:u kmem:kmalloc:u ", 0);
}

static void expand__takes_the_first_names_within_the_limit(void **state)
{
    (void)state;
    check("kmem:*", 2, "kmem:kfree kmem:kmalloc ", 1);
    check("kmem:*", 0, "", 3);
}

static void expand__finds_nothing_in_other_names(void **state)
{
    static const char *const names[] = {"kmem:kmalloc", "cycles", "nothing:*", "kmem:x*",  "*",
                                        "kmem:",        "../*:*", "kmem:*/",   "kmem/*:*", ".*:*",
                                        "kmem:*:x",     "[",      "[:[",       "*:[a"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        check(names[i], EVENT_EXPANSION_MAX, "", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expand__shows_each_event_of_a_subsystem),
        cmocka_unit_test(expand__counts_numbers_in_names_as_numbers),
        cmocka_unit_test(expand__gives_each_name_the_modifiers),
        cmocka_unit_test(expand__takes_the_first_names_within_the_limit),
        cmocka_unit_test(expand__finds_nothing_in_other_names),
    };

    return cmocka_run_group_tests(tests, make_sysfs, remove_sysfs);
}
