/* SPDX-License-Identifier: Apache-2.0 */

/* Texts of profiles, read back by jansson. */
#include "expose/profile_fixture.h"

#include <jansson.h>
#include <math.h>

#include "base/clock.h"
#include "expose/profile_collapsed.h"
#include "expose/profile_json.h"
#include "expose/profile_speedscope.h"

static json_t *parse(const struct text *text)
{
    json_error_t error;
    json_t *object = json_loadb(text->data, text->length, 0, &error);

    if (!object)
        print_message("%s at %d: %.*s\n", error.text, error.position, (int)text->length,
                      text->data);
    assert_non_null(object);
    return object;
}

static long long sum_of(const json_t *numbers)
{
    long long sum = 0;

    for (size_t i = 0; i < json_array_size(numbers); i++)
        sum += json_integer_value(json_array_get(numbers, i));
    return sum;
}

static bool has_string(const json_t *strings, const char *wanted)
{
    for (size_t i = 0; i < json_array_size(strings); i++)
        if (strcmp(json_string_value(json_array_get(strings, i)), wanted) == 0)
            return true;
    return false;
}

static void json__of_a_tree__has_columns_of_one_length(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO_TEXT struct text text = {0};
    json_t *object, *nodes, *functions, *column;
    const char *key;

    (void)state;
    assert_int_equal(profile_json_write(tree, true, &text), 0);
    object = parse(&text);
    nodes = json_object_get(object, "nodes");
    functions = json_object_get(object, "functions");
    json_object_foreach(nodes, key, column)
        assert_int_equal(json_array_size(column), tree->n_nodes);
    json_object_foreach(functions, key, column)
        assert_int_equal(json_array_size(column), tree->n_functions);
    assert_int_equal(json_object_size(nodes), 4);
    assert_int_equal(sum_of(json_object_get(nodes, "self")), 15);
    assert_int_equal(json_integer_value(json_array_get(json_object_get(nodes, "parent"), 0)), -1);
    assert_true(has_string(json_object_get(functions, "name"), HOSTILE));
    assert_true(has_string(json_object_get(functions, "kind"), "jit"));
    assert_int_equal(json_integer_value(json_object_get(object, "samples")), 15);
    assert_int_equal(json_integer_value(json_object_get(object, "rate")), RATE);
    assert_true(json_number_value(json_object_get(object, "cpu_seconds")) ==
                15 * (double)PERIOD / 1e9);
    assert_true(json_is_true(json_object_get(object, "pruned")));
    json_decref(object);
}

static void json__of_a_table__has_the_first_rows(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO_TEXT struct text text = {0};
    json_t *object, *table, *column;
    const char *key;

    (void)state;
    assert_int_equal(profile_json_write_table(tree, 2, &text), 0);
    object = parse(&text);
    table = json_object_get(object, "table");
    assert_int_equal(json_integer_value(json_object_get(object, "rows")), 5);
    assert_int_equal(json_object_size(table), 7);
    json_object_foreach(table, key, column) assert_int_equal(json_array_size(column), 2);
    assert_string_equal(json_string_value(json_array_get(json_object_get(table, "name"), 0)),
                        HOSTILE);
    assert_int_equal(sum_of(json_object_get(table, "self")), 9);
    json_decref(object);
}

static void json__of_a_difference__has_both_sides(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO(difference) struct difference *difference = NULL;
    AUTO_TEXT struct text text = {0};
    json_t *object, *nodes;

    (void)state;
    assert_int_equal(difference_new(tree, tree, DIFFERENCE_OF_SHARES, &difference), 0);
    assert_int_equal(profile_json_write_difference(difference, &text), 0);
    object = parse(&text);
    nodes = json_object_get(object, "nodes");
    assert_int_equal(json_object_size(nodes), 9);
    assert_int_equal(sum_of(json_object_get(nodes, "self_before")), 15);
    assert_int_equal(sum_of(json_object_get(nodes, "self_after")), 15);
    assert_int_equal(sum_of(json_object_get(nodes, "differs")), 0);
    assert_int_equal(json_object_size(json_object_get(object, "table")), 8);
    assert_true(json_number_value(json_object_get(object, "bound")) >= 3);
    for (size_t i = 0; i < 2; i++)
        assert_true(
            json_number_value(json_object_get(json_object_get(object, i == 0 ? "before" : "after"),
                                              "cpu_seconds")) == 15 * (double)PERIOD / 1e9);
    json_decref(object);
}

static void speedscope__of_a_tree__has_stacks_and_weights(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO_TEXT struct text text = {0};
    json_t *object, *profile;
    double sum = 0;

    (void)state;
    assert_int_equal(profile_speedscope_write(tree, HOSTILE, SPEEDSCOPE_SECONDS, &text), 0);
    object = parse(&text);
    assert_string_equal(json_string_value(json_object_get(object, "$schema")),
                        "https://www.speedscope.app/file-format-schema.json");
    profile = json_array_get(json_object_get(object, "profiles"), 0);
    assert_string_equal(json_string_value(json_object_get(profile, "type")), "sampled");
    assert_int_equal(json_array_size(json_object_get(profile, "samples")), 5);
    for (size_t i = 0; i < 5; i++)
        sum += json_number_value(json_array_get(json_object_get(profile, "weights"), i));
    assert_true(fabs(sum - 15 * (double)PERIOD / 1e9) < 1e-4);
    assert_true(json_number_value(json_object_get(profile, "endValue")) ==
                15 * (double)PERIOD / 1e9);
    json_decref(object);
}

static void collapsed__of_a_tree__has_a_line_for_each_stack(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *lines = NULL;

    (void)state;
    assert_int_equal(profile_collapsed_write(tree, &text), 0);
    lines = text_take(&text);
    assert_string_equal(lines, "program`main 1\n"
                               "program`main;do_syscall_64_[k] 2\n"
                               "program`main;LazyCompile:~f_[j] 3\n"
                               "program`main;LazyCompile:~f_[j];[truncated] 4\n"
                               "program`main;lib\"x\".so`<script>\"a_b\\_\xc3\xa4 5\n");
}

static void collapsed__of_an_event__has_its_numbers(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *lines = NULL;

    (void)state;
    for (size_t i = 0; i < tree->n_nodes; i++)
        tree->nodes[i].self_value = 1000 * i;
    tree->nodes[tree->n_nodes - 1].self = 0; /* less than half a sample */
    tree->event = strdup("page-faults");
    assert_int_equal(profile_collapsed_write(tree, &text), 0);
    lines = text_take(&text);
    assert_string_equal(lines, "program`main 1000\n"
                               "program`main;do_syscall_64_[k] 2000\n"
                               "program`main;LazyCompile:~f_[j] 3000\n"
                               "program`main;LazyCompile:~f_[j];[truncated] 4000\n"
                               "program`main;lib\"x\".so`<script>\"a_b\\_\xc3\xa4 5000\n");
}

static void json__of_seconds__has_their_parts_one_after_the_other(void **state)
{
    AUTO(profile_seconds)
    struct profile_seconds *seconds = calloc(1, sizeof(*seconds) + 2 * sizeof(seconds->samples[0]));
    AUTO_TEXT struct text text = {0};
    json_t *object, *samples;

    (void)state;
    assert_non_null(seconds);
    *seconds = (struct profile_seconds){.from_ns = 100 * NS_PER_SECOND, .n = 2, .rate_hz = 49};
    seconds->samples[0][0] = 3;
    seconds->samples[1][PROFILE_SECOND_PARTS - 1] = 5;
    assert_int_equal(profile_json_write_seconds(seconds, &text), 0);
    object = parse(&text);
    samples = json_object_get(object, "samples");
    assert_int_equal(json_number_value(json_object_get(object, "from")), 100);
    assert_int_equal(json_integer_value(json_object_get(object, "rate")), 49);
    assert_int_equal(json_integer_value(json_object_get(object, "parts")), PROFILE_SECOND_PARTS);
    assert_int_equal(json_integer_value(json_object_get(object, "seconds")), 2);
    assert_int_equal(json_array_size(samples), 2 * PROFILE_SECOND_PARTS);
    assert_int_equal(json_integer_value(json_array_get(samples, 0)), 3);
    assert_int_equal(json_integer_value(json_array_get(samples, 2 * PROFILE_SECOND_PARTS - 1)), 5);
    assert_int_equal(sum_of(samples), 8);
    json_decref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json__of_seconds__has_their_parts_one_after_the_other),
        cmocka_unit_test(json__of_a_tree__has_columns_of_one_length),
        cmocka_unit_test(json__of_a_table__has_the_first_rows),
        cmocka_unit_test(json__of_a_difference__has_both_sides),
        cmocka_unit_test(speedscope__of_a_tree__has_stacks_and_weights),
        cmocka_unit_test(collapsed__of_a_tree__has_a_line_for_each_stack),
        cmocka_unit_test(collapsed__of_an_event__has_its_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
