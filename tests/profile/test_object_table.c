/* SPDX-License-Identifier: Apache-2.0 */

/* What a worker might write that does not hold. */
#include <errno.h>
#include <string.h>

#include "support/check.h"

#include "profile/object_message.h"
#include "profile/object_table.h"

/* A message with two of each, which holds. */
struct message {
    struct object_table_head head;
    struct object_row rows[2];
    struct unwind_rule rules[2];
    uint32_t starts[2];
} __attribute__((packed));

static struct message message;
static struct object_table *table;

static int set_up(void **state)
{
    (void)state;
    message = (struct message){
        .head = {.mark = OBJECT_TABLE_MARK,
                 .base = 0x10000,
                 .n_segments = 1,
                 .n_build_id = 2,
                 .has_unwind = 1,
                 .n_rows = 2,
                 .n_rules = 2,
                 .n_starts = 2,
                 .segments = {{0, 0x10000, 0x2000}},
                 .build_id = {1, 2}},
        .rows = {{0x10, 0}, {0x20, 1}},
        .rules = {{.cfa = UNWIND_CFA_SP, .cfa_offset = 1}, {.cfa = UNWIND_CFA_NONE}},
        .starts = {0x10, 0x20 | OBJECT_START_GAP},
    };
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    table = object_table_free(table);
    return 0;
}

static int parse(void)
{
    return object_table_parse(&message, sizeof(message), &table);
}

static void a_message_that_holds__is_a_table(void **state)
{
    (void)state;
    assert_int_equal(parse(), 0);
    assert_int_equal(table->base, 0x10000);
    assert_int_equal(table->n_rows, 2);
    assert_int_equal(table->rows[1].address, 0x20);
    assert_int_equal(table->rules[0].cfa_offset, 1);
    assert_int_equal(table->n_build_id, 2);
    assert_int_equal(table->segments[0].size, 0x2000);
}

static void a_message_of_another_length__is_refused(void **state)
{
    char bytes[sizeof(message) + 1] = {0};

    (void)state;
    memcpy(bytes, &message, sizeof(message));
    for (size_t n = 0; n <= sizeof(bytes); n++)
        if (n != sizeof(message))
            assert_int_equal(object_table_parse(bytes, n, &table), -EBADMSG);
}

/* Sets a field to a value that does not hold, and back. */
#define ASSERT_REFUSED(field, value)                                                               \
    do {                                                                                           \
        const __typeof__(field) _good = (field);                                                   \
                                                                                                   \
        (field) = (value);                                                                         \
        assert_int_equal(parse(), -EBADMSG);                                                       \
        (field) = _good;                                                                           \
    } while (0)

static void a_head_that_does_not_hold__is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.head.mark, 0);
    ASSERT_REFUSED(message.head.base, 0x10001);
    ASSERT_REFUSED(message.head.n_segments, OBJECT_SEGMENTS_MOST + 1);
    ASSERT_REFUSED(message.head.n_build_id, OBJECT_BUILD_ID_MOST + 1);
    ASSERT_REFUSED(message.head.has_unwind, 2);
    ASSERT_REFUSED(message.head.n_rows, UINT64_MAX / 8 + 2);
    ASSERT_REFUSED(message.head.n_rules, 1);
    ASSERT_REFUSED(message.head.n_starts, UINT64_MAX);
}

static void a_segment_beyond_31_bits__is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.head.segments[0].address, 0xffff);
    ASSERT_REFUSED(message.head.segments[0].address, 0x80000000 + 0x10000);
    ASSERT_REFUSED(message.head.segments[0].size, UINT64_MAX);
    ASSERT_REFUSED(message.head.segments[0].offset, UINT64_MAX);
}

static void rows_that_are_not_sorted__are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.rows[1].address, 0x10);
    ASSERT_REFUSED(message.rows[1].address, 0xf);
    ASSERT_REFUSED(message.rows[1].address, UINT32_C(0x80000000));
}

static void a_row_without_its_rule__is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.rows[0].rule, 2);
}

static void a_rule_beyond_its_enum__is_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.rules[0].cfa, UNWIND_CFA_SIGNAL + 1);
    ASSERT_REFUSED(message.rules[0].fp, UNWIND_REGISTER_LOST + 1);
    ASSERT_REFUSED(message.rules[0].ra, UNWIND_REGISTER_LOST + 1);
    ASSERT_REFUSED(message.rules[0].unused, 1);
}

static void starts_that_are_not_sorted__are_refused(void **state)
{
    (void)state;
    ASSERT_REFUSED(message.starts[1], 0x10);
    ASSERT_REFUSED(message.starts[1], 0x10 | OBJECT_START_GAP);
    ASSERT_REFUSED(message.starts[1], 0xf);
}

/* Names "a" and one that is missing. */
struct names_message {
    struct object_names_head head;
    uint16_t lengths[2];
    char bytes[2];
} __attribute__((packed));

static void names_that_hold__are_taken(void **state)
{
    const struct names_message names_message = {
        {OBJECT_NAMES_MARK, 2}, {1, OBJECT_NAME_MISSING}, "a"};
    struct object_names names;

    (void)state;
    assert_int_equal(object_names_parse(&names_message, sizeof(names_message), 2, &names), 0);
    assert_string_equal(names.names[0], "a");
    assert_null(names.names[1]);
    object_names_done(&names);
}

static int parse_names(const struct names_message *names_message, size_t n)
{
    struct object_names names;
    const int r = object_names_parse(names_message, sizeof(*names_message), n, &names);

    if (r == 0)
        object_names_done(&names);
    return r;
}

static void names_that_do_not_hold__are_refused(void **state)
{
    static const struct names_message wrong[] = {
        {{OBJECT_TABLE_MARK, 2}, {1, OBJECT_NAME_MISSING}, "a"},
        {{OBJECT_NAMES_MARK, 3}, {1, OBJECT_NAME_MISSING}, "a"},
        {{OBJECT_NAMES_MARK, 2}, {1, 1}, "a"},
        {{OBJECT_NAMES_MARK, 2}, {2, OBJECT_NAME_MISSING}, "a"},
        {{OBJECT_NAMES_MARK, 2}, {0, OBJECT_NAME_MISSING}, ""},
        {{OBJECT_NAMES_MARK, 2}, {1, OBJECT_NAME_MISSING}, "\n"},
        {{OBJECT_NAMES_MARK, 2}, {1, OBJECT_NAME_MISSING}, "\xff"},
        {{OBJECT_NAMES_MARK, 2}, {1, OBJECT_NAME_MISSING}, {'a', 'b'}},
        {{OBJECT_NAMES_MARK, 2}, {OBJECT_NAME_MOST + 1, OBJECT_NAME_MISSING}, "a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(parse_names(&wrong[i], 2), -EBADMSG);
}

struct map_message {
    struct perf_map_head head;
    struct perf_map_message_row rows[2];
    uint16_t length;
    char bytes[2];
} __attribute__((packed));

static int parse_map(const struct map_message *map_message)
{
    struct perf_map *map = NULL;
    const int r = perf_map_parse(map_message, sizeof(*map_message), &map);

    (void)perf_map_free(map);
    return r;
}

static void a_map__holds_only_with_sorted_rows_that_have_names(void **state)
{
    const struct map_message good = {
        {PERF_MAP_MARK, 2, 1}, {{0, 5, 0}, {5, UINT64_MAX, 0}}, 1, "a"};
    struct map_message wrong[] = {good, good, good, good, good};

    (void)state;
    assert_int_equal(parse_map(&good), 0);
    wrong[0].rows[1].start = 4;
    wrong[1].rows[0].end = 0;
    wrong[2].rows[1].name = 1;
    wrong[3].head.n = UINT64_MAX / 8;
    wrong[4].length = OBJECT_NAME_MISSING;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(parse_map(&wrong[i]), -EBADMSG);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_that_holds__is_a_table),
        TEST(a_message_of_another_length__is_refused),
        TEST(a_head_that_does_not_hold__is_refused),
        TEST(a_segment_beyond_31_bits__is_refused),
        TEST(rows_that_are_not_sorted__are_refused),
        TEST(a_row_without_its_rule__is_refused),
        TEST(a_rule_beyond_its_enum__is_refused),
        TEST(starts_that_are_not_sorted__are_refused),
        cmocka_unit_test(names_that_hold__are_taken),
        cmocka_unit_test(names_that_do_not_hold__are_refused),
        cmocka_unit_test(a_map__holds_only_with_sorted_rows_that_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
