/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/source.h"

static void check(const char *name, uint64_t config)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));

    assert_int_equal(event_source_raw.resolve(NULL, name, event), SOURCE_KNOWS);
    assert_int_equal(event->code.type, PERF_TYPE_RAW);
    assert_true(event->code.config == config);
    assert_non_null(event->description);
}

static void resolve__takes_hexadecimal_digits(void **state)
{
    (void)state;
    check("r0", 0);
    check("r01c0", 0x1c0);
    check("r1A8", 0x1a8);
    check("rade", 0xade);
    check("rffffffffffffffff", UINT64_MAX);
}

static void resolve__takes_nothing_else(void **state)
{
    static const char *const names[] = {"",
                                        "r",
                                        "r-1",
                                        "rg",
                                        "r0x1c0",
                                        "R1c0",
                                        "1c0",
                                        "r 1",
                                        "r1 ",
                                        "r1:",
                                        "raw",
                                        "ref-cycles",
                                        "r10000000000000000"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        AUTO(event) struct event *event = calloc(1, sizeof(*event));

        assert_int_equal(event_source_raw.resolve(NULL, names[i], event), SOURCE_UNKNOWN);
        assert_null(event->description);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolve__takes_hexadecimal_digits),
        cmocka_unit_test(resolve__takes_nothing_else),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
