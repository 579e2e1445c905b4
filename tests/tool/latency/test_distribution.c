/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tool/json.h"
#include "tool/latency/distribution.h"

static void a_path_asks_for_each_family_of_a_kind_and_its_sum(void **state)
{
    AUTO_TEXT struct text path = {0};
    AUTO_FREE char *whole = NULL;

    (void)state;
    distributions_append_path(&path, "cgroup:/a b&c", "block_io");
    whole = text_take(&path);
    assert_string_equal(whole, "/api/v1/targets?target=cgroup:/a%20b%26c"
                               "&column=pmu_cgroup_block_io_latency_seconds"
                               "&column=pmu_cgroup_block_io_latency_seconds_sum"
                               "&column=pmu_cgroup_block_io_queue_seconds"
                               "&column=pmu_cgroup_block_io_queue_seconds_sum");
}

static void a_path_of_all_kinds_has_counts_too(void **state)
{
    AUTO_TEXT struct text path = {0};
    AUTO_FREE char *whole = NULL;

    (void)state;
    distributions_append_path(&path, "machine", NULL);
    whole = text_take(&path);
    assert_non_null(strstr(whole, "&column=pmu_machine_run_queue_latency_seconds&"));
    assert_non_null(strstr(whole, "&column=pmu_machine_off_cpu_seconds"
                                  "&column=pmu_machine_off_cpu_seconds_sum"
                                  "&column=pmu_machine_block_io_latency_seconds&"));
    assert_non_null(strstr(whole, "&column=pmu_machine_system_call_seconds"
                                  "&column=pmu_machine_system_call_seconds_sum"
                                  "&column=pmu_machine_system_calls_total"
                                  "&column=pmu_machine_system_call_errors_total"
                                  "&column=pmu_machine_span_seconds&"));
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
#define CALLS   "{\"name\": \"pmu_machine_system_calls_total\", \"call\": "
#define ERRORS  "{\"name\": \"pmu_machine_system_call_errors_total\", \"call\": "

/* The distribution with this title, and with this value of its first label unless that is NULL. */
static const struct distribution *find(const struct distributions *read, const char *title,
                                       const char *value)
{
    for (size_t i = 0; i < read->n; i++) {
        const struct distribution *one = &read->all[i];

        if (strcmp(one->family->title, title) == 0 &&
            (!value || (one->labels[0].value && strcmp(one->labels[0].value, value) == 0)))
            return one;
    }
    return NULL;
}

static void columns_are_taken_by_their_names_and_states(void **state)
{
    struct distributions read AUTO_DISTRIBUTIONS =
        read_text(ON_CPU "\"0.5\"}, " ON_CPU "\"+Inf\"}, " SUM ", " OFF_CPU
                         "\"uninterruptible\", \"le\": \"+Inf\"}, {\"name\": \"pmu_machine_cpus\"}",
                  "3, 4, 9.5, null, 2");
    const struct distribution *on_cpu = find(&read, "times on a CPU", NULL);

    (void)state;
    assert_true(read.began == 5 && read.taken == 7.5 && read.is_there);
    assert_non_null(on_cpu);
    assert_int_equal(on_cpu->n, 2);
    assert_true(on_cpu->limits[0] == 0.5 && isinf(on_cpu->limits[1]));
    assert_true(on_cpu->counts[0] == 3 && on_cpu->counts[1] == 4 && on_cpu->sum == 9.5);
    assert_true(find(&read, "blocked (uninterruptible)", NULL)->counts[0] == 0);
    assert_null(find(&read, "blocked (interruptible)", NULL));
    assert_null(find(&read, "waits for a CPU", NULL));
}

static void keys_are_told_apart_by_their_labels(void **state)
{
    struct distributions read AUTO_DISTRIBUTIONS =
        read_text("{\"name\": \"pmu_machine_hardirq_seconds\", \"type\": \"counter\","
                  " \"le\": \"+Inf\", \"irq\": \"24\", \"device\": \"disk\"}, " CALLS
                  "\"read\"}, " CALLS "\"write\"}, " ERRORS "\"read\"}",
                  "3, 4, 5, 6");
    const struct distribution *handlers = find(&read, "handlers of interrupts", "24");

    (void)state;
    assert_int_equal(read.n, 4);
    assert_string_equal(handlers->labels[0].name, "irq");
    assert_string_equal(handlers->labels[1].value, "disk");
    assert_true(distribution_count(handlers) == 3);
    assert_true(distribution_count(find(&read, "calls", "write")) == 5);
    assert_true(distribution_count(find(&read, "errors", "read")) == 6);
}

static void keys_that_come_are_new_and_all_stand_by_what_they_have_counted(void **state)
{
    struct distributions earlier AUTO_DISTRIBUTIONS = read_text(CALLS "\"read\"}", "40");
    struct distributions later AUTO_DISTRIBUTIONS =
        read_text(CALLS "\"read\"}, " CALLS "\"write\"}, " CALLS "\"stat\"}", "42, 5, 0");

    (void)state;
    assert_int_equal(distributions_subtract(&later, &earlier), 0);
    assert_string_equal(later.all[0].labels[0].value, "write");
    assert_true(distribution_count(&later.all[0]) == 5);
    assert_true(distribution_count(find(&later, "calls", "read")) == 2);
    assert_false(distribution_is_shown(find(&later, "calls", "stat")));
    assert_int_equal(distributions_subtract(&earlier, &later), -ESTALE);
}

static void an_answer_without_the_target_has_none(void **state)
{
    AUTO_JSON json_t *answer = json_pack("{s:[]}", "tables");
    struct distributions read AUTO_DISTRIBUTIONS = {0};

    (void)state;
    assert_int_equal(distributions_read(answer, &read), 0);
    assert_false(read.is_there);
    assert_int_equal(read.n, 0);
}

static void what_was_counted_between_is_the_difference(void **state)
{
    struct distributions earlier AUTO_DISTRIBUTIONS =
        read_text(ON_CPU "\"1.0\"}, " SUM, "null, null");
    struct distributions later AUTO_DISTRIBUTIONS = read_text(ON_CPU "\"1.0\"}, " SUM, "4, 1.5");

    (void)state;
    assert_int_equal(distributions_subtract(&later, &earlier), 0);
    assert_true(later.all[0].counts[0] == 4);
    assert_true(later.all[0].sum == 1.5);
}

static void what_has_begun_again_is_no_difference(void **state)
{
    struct distributions earlier AUTO_DISTRIBUTIONS = read_text(ON_CPU "\"1.0\"}, " SUM, "4, 1.5");
    struct distributions less AUTO_DISTRIBUTIONS = read_text(ON_CPU "\"1.0\"}, " SUM, "3, 1.5");
    struct distributions other AUTO_DISTRIBUTIONS = read_text(ON_CPU "\"1.0\"}, " SUM, "4, 1.5");

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
        cmocka_unit_test(a_path_asks_for_each_family_of_a_kind_and_its_sum),
        cmocka_unit_test(a_path_of_all_kinds_has_counts_too),
        cmocka_unit_test(columns_are_taken_by_their_names_and_states),
        cmocka_unit_test(keys_are_told_apart_by_their_labels),
        cmocka_unit_test(keys_that_come_are_new_and_all_stand_by_what_they_have_counted),
        cmocka_unit_test(an_answer_without_the_target_has_none),
        cmocka_unit_test(what_was_counted_between_is_the_difference),
        cmocka_unit_test(what_has_begun_again_is_no_difference),
        cmocka_unit_test(a_quantile_is_that_of_prometheus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
