/* SPDX-License-Identifier: Apache-2.0 */
#include "event/probe.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

static bool is_same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void places_are_taken_apart(void **state)
{
    static const struct {
        enum probe_kind kind;
        const char *text;
        const char *file, *provider, *symbol;
        uint64_t offset;
        unsigned number;
        bool is_return;
    } cases[] = {
        {.kind = PROBE_KERNEL, .text = "vfs_read", .symbol = "vfs_read"},
        {.kind = PROBE_KERNEL, .text = "vfs_read+0x10", .symbol = "vfs_read", .offset = 16},
        {.kind = PROBE_KERNEL, .text = "vfs_read+10", .symbol = "vfs_read", .offset = 10},
        {.kind = PROBE_KERNEL, .text = "vfs_read%return", .symbol = "vfs_read", .is_return = true},
        {.kind = PROBE_KERNEL,
         .text = "nf_conntrack:nf_ct_delete",
         .symbol = "nf_conntrack:nf_ct_delete"},
        {.kind = PROBE_KERNEL, .text = "f.constprop.0", .symbol = "f.constprop.0"},
        {.kind = PROBE_USER, .text = "/bin/a:f", .file = "/bin/a", .symbol = "f"},
        {.kind = PROBE_USER,
         .text = "/bin/a:b:f+4",
         .file = "/bin/a:b",
         .symbol = "f",
         .offset = 4},
        {.kind = PROBE_USER,
         .text = "/bin/a:f%return",
         .file = "/bin/a",
         .symbol = "f",
         .is_return = true},
        {.kind = PROBE_USDT, .text = "/a.so:p:n", .file = "/a.so", .provider = "p", .symbol = "n"},
        {.kind = PROBE_USDT,
         .text = "/a.so:p:n#2",
         .file = "/a.so",
         .provider = "p",
         .symbol = "n",
         .number = 2},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct probe_place place;

        if (probe_place_parse(cases[i].kind, cases[i].text, &place) < 0)
            fail_msg("refused: %s", cases[i].text);
        if (!is_same(place.file, cases[i].file) || !is_same(place.provider, cases[i].provider) ||
            !is_same(place.symbol, cases[i].symbol) || place.offset != cases[i].offset ||
            place.number != cases[i].number || place.is_return != cases[i].is_return)
            fail_msg("%s: file %s provider %s symbol %s offset %zu number %u", cases[i].text,
                     place.file, place.provider, place.symbol, (size_t)place.offset, place.number);
        probe_place_done(&place);
    }
}

static void what_is_no_place_is_refused(void **state)
{
    static const struct {
        enum probe_kind kind;
        const char *text;
    } cases[] = {
        {PROBE_KERNEL, ""},
        {PROBE_KERNEL, "+0x10"},
        {PROBE_KERNEL, "%return"},
        {PROBE_KERNEL, "vfs_read+"},
        {PROBE_KERNEL, "vfs_read+x"},
        {PROBE_KERNEL, "vfs_read+0x"},
        {PROBE_KERNEL, "vfs_read+-1"},
        {PROBE_KERNEL, "vfs_read+99999999999999999999"},
        {PROBE_KERNEL, "vfs_read+4%return"},
        {PROBE_KERNEL, "vfs_read%retur"},
        {PROBE_KERNEL, "vfs read"},
        {PROBE_KERNEL, "/etc/passwd"},
        {PROBE_USER, ""},
        {PROBE_USER, "/bin/a"},
        {PROBE_USER, "/bin/a:"},
        {PROBE_USER, ":f"},
        {PROBE_USER, "bin/a:f"},
        {PROBE_USER, "a:f"},
        {PROBE_USDT, "/a.so:n"},
        {PROBE_USDT, "/a.so::n"},
        {PROBE_USDT, "/a.so:p:"},
        {PROBE_USDT, "a.so:p:n"},
        {PROBE_USDT, "/a.so:p:n#0"},
        {PROBE_USDT, "/a.so:p:n#"},
        {PROBE_USDT, "/a.so:p:n#999999999"},
        {PROBE_USDT, "/a.so:p:n%return"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct probe_place place;

        if (probe_place_parse(cases[i].kind, cases[i].text, &place) != -EINVAL)
            fail_msg("accepted: %s", cases[i].text);
    }
}

static void a_symbol_that_the_kernel_would_cut_is_refused(void **state)
{
    char text[600];
    struct probe_place place;

    (void)state;
    memset(text, 'a', sizeof(text));
    text[512] = '\0';
    assert_int_equal(probe_place_parse(PROBE_KERNEL, text, &place), -EINVAL);
    text[511] = '\0';
    assert_int_equal(probe_place_parse(PROBE_KERNEL, text, &place), 0);
    probe_place_done(&place);
}

static void names_are_words_that_are_no_modifiers(void **state)
{
    static const char *const good[] = {"reads", "_x", "a1", "U", "users", "uu"};
    static const char *const bad[] = {"", "1a", "a-b", "a b", "a:b", "ä", "u", "k", "uk"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        if (!probe_name_valid(good[i]))
            fail_msg("refused: %s", good[i]);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        if (probe_name_valid(bad[i]))
            fail_msg("accepted: %s", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_taken_apart),
        cmocka_unit_test(what_is_no_place_is_refused),
        cmocka_unit_test(a_symbol_that_the_kernel_would_cut_is_refused),
        cmocka_unit_test(names_are_words_that_are_no_modifiers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
