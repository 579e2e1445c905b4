/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tool/json.h"
#include "tool/latency/distribution.h"

static void a_path_asks_for_each_family_and_its_sum(void **state)
{
    AUTO_TEXT struct text path = {0};
    AUTO_FREE char *whole = NULL;

    (void)state;
    distributions_append_path(&path, "cgroup:/a b&c");
    whole = text_take(&path);
    assert_string_equal(whole, "/api/v1/targets?target=cgroup:/a%20b%26c"
                               "&column=pmu_cgroup_run_queue_latency_seconds"
                               "&column=pmu_cgroup_run_queue_latency_seconds_sum"
                               "&column=pmu_cgroup_on_cpu_seconds"
                               "&column=pmu_cgroup_on_cpu_seconds_sum"
                               "&column=pmu_cgroup_off_cpu_seconds"
                               "&column=pmu_cgroup_off_cpu_seconds_sum"
                               "&column=pmu_cgroup_block_io_latency_seconds"
                               "&column=pmu_cgroup_block_io_latency_seconds_sum"
                               "&column=pmu_cgroup_block_io_queue_seconds"
                               "&column=pmu_cgroup_block_io_queue_seconds_sum");
}

static struct distributions read_text(const char *columns, const char *values)
{
    AUTO_TEXT struct text text = {0};
    AUTO_JSON json_t *answer = NULL;
    struct distributions read;

    text_append_format(&text,
                       "{\"process_start_time_seconds\": 5, \"taken_seconds\": 7.5,"
                       " \"tables\": [{\"columns\": [%s], \"rows\": [{\"values\": [%s]}]}]}",
                       columns, values);
    answer = json_loadb(text.data, text.length, JSON_DECODE_INT_AS_REAL, NULL);
    assert_non_null(answer);
    assert_int_equal(distributions_read(answer, &read), 0);
    return read;
}

#define ON_CPU  "{\"name\": \"pmu_machine_on_cpu_seconds\", \"le\": "
#define OFF_CPU "{\"name\": \"pmu_machine_off_cpu_seconds\", \"state\": "
#define SUM     "{\"name\": \"pmu_machine_on_cpu_seconds_sum\"}"

static void columns_are_taken_by_their_names_and_states(void **state)
{
    const struct distributions read =
        read_text(ON_CPU "\"0.5\"}, " ON_CPU "\"+Inf\"}, " SUM ", " OFF_CPU
                         "\"uninterruptible\", \"le\": \"+Inf\"}, {\"name\": \"pmu_machine_cpus\"}",
                  "3, 4, 9.5, null, 2");
    const struct distribution *on_cpu = &read.all[DISTRIBUTION_ON_CPU];

    (void)state;
    assert_true(read.began == 5 && read.taken == 7.5);
    assert_true(on_cpu->is_there);
    assert_int_equal(on_cpu->n, 2);
    assert_true(on_cpu->limits[0] == 0.5 && isinf(on_cpu->limits[1]));
    assert_true(on_cpu->counts[0] == 3 && on_cpu->counts[1] == 4 && on_cpu->sum == 9.5);
    assert_true(read.all[DISTRIBUTION_OFF_CPU_UNINTERRUPTIBLE].is_there);
    assert_true(read.all[DISTRIBUTION_OFF_CPU_UNINTERRUPTIBLE].counts[0] == 0);
    assert_false(read.all[DISTRIBUTION_OFF_CPU_INTERRUPTIBLE].is_there);
    assert_false(read.all[DISTRIBUTION_RUN_QUEUE].is_there);
}

static void an_answer_without_the_target_has_none(void **state)
{
    AUTO_JSON json_t *answer = json_pack("{s:[]}", "tables");
    struct distributions read;

    (void)state;
    assert_int_equal(distributions_read(answer, &read), 0);
    assert_false(distributions_has_any(&read));
}

static void what_was_counted_between_is_the_difference(void **state)
{
    const struct distributions earlier = read_text(ON_CPU "\"1.0\"}, " SUM, "null, null");
    struct distributions later = read_text(ON_CPU "\"1.0\"}, " SUM, "4, 1.5");

    (void)state;
    assert_int_equal(distributions_subtract(&later, &earlier), 0);
    assert_true(later.all[DISTRIBUTION_ON_CPU].counts[0] == 4);
    assert_true(later.all[DISTRIBUTION_ON_CPU].sum == 1.5);
}

static void what_has_begun_again_is_no_difference(void **state)
{
    const struct distributions earlier = read_text(ON_CPU "\"1.0\"}, " SUM, "4, 1.5");
    struct distributions less = read_text(ON_CPU "\"1.0\"}, " SUM, "3, 1.5");
    struct distributions other = earlier;

    (void)state;
    assert_int_equal(distributions_subtract(&less, &earlier), -ESTALE);
    other.began = 6;
    assert_int_equal(distributions_subtract(&other, &earlier), -ESTALE);
}

static void a_quantile_is_that_of_prometheus(void **state)
{
    struct distribution one = {.n = 4, .limits = {1, 2, 4, INFINITY}, .counts = {0, 10, 0, 0}};

    (void)state;
    assert_true(distribution_quantile(&one, 0.5) == 1.5);
    one.counts[0] = 10;
    assert_true(distribution_quantile(&one, 0.5) == 1);
    one.counts[3] = 1000;
    assert_true(distribution_quantile(&one, 0.99) == 4);
    assert_true(distribution_count(&one) == 1020);
    one = (struct distribution){.n = 1, .limits = {INFINITY}};
    assert_true(isnan(distribution_quantile(&one, 0.5)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_asks_for_each_family_and_its_sum),
        cmocka_unit_test(columns_are_taken_by_their_names_and_states),
        cmocka_unit_test(an_answer_without_the_target_has_none),
        cmocka_unit_test(what_was_counted_between_is_the_difference),
        cmocka_unit_test(what_has_begun_again_is_no_difference),
        cmocka_unit_test(a_quantile_is_that_of_prometheus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
