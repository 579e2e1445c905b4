/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of latency as /metrics has them. */
#include "expose/exposition_fixture.h"

#include <stdio.h>

#include "count/breakdown.h"
#include "count/latency.h"
#include "sys/bpf/block/counts.h"

static const struct exposition_order openmetrics = {.format = EXPOSITION_OPENMETRICS};

/* One slice of each length: in each bucket one. */
static void count_slices(struct account *account)
{
    const struct latency_layout *layout = &latency_layouts[LATENCY_ON_CPU];
    struct latencies delta = {.sums_ns[LATENCY_ON_CPU] = UINT64_C(3000000001)};

    for (size_t i = 0; i < layout->n; i++)
        delta.buckets[layout->first + i] = 1;
    account_add_latencies(account, &delta);
}

static void histogram__adds_up_buckets_and_has_sum_and_count(void **state)
{
    struct fixture *f = *state;
    const char *text;

    count_slices(f->accounts[1]);
    text = written(f, 1, &fresh);
    assert_has(text, "# TYPE pmu_cgroup_on_cpu_seconds histogram\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"3.814697265625e-06\"} 1\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"1.52587890625e-05\"} 3\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"6.103515625e-05\"} 5\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.000244140625\"} 7\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.0009765625\"} 9\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.00390625\"} 11\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.015625\"} 13\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.0625\"} 15\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"0.25\"} 17\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"1.0\"} 19\n"
                     "pmu_cgroup_on_cpu_seconds_bucket{cgroup=\"/b\",le=\"+Inf\"} 20\n"
                     "pmu_cgroup_on_cpu_seconds_sum{cgroup=\"/b\"} 3.000000001\n"
                     "pmu_cgroup_on_cpu_seconds_count{cgroup=\"/b\"} 20\n");
}

static void histogram__that_counted_nothing_is_absent(void **state)
{
    struct fixture *f = *state;
    const char *text;

    assert_null(strstr(written(f, 1, &fresh), "histogram"));
    assert_null(strstr(f->text.data, "pmu_cgroup_switches_total"));
    count_slices(f->accounts[1]);
    text = written(f, 1, &fresh);
    assert_null(strstr(text, "on_cpu_seconds_count{cgroup=\"/a"));
    assert_null(strstr(text, "pmu_cgroup_off_cpu_seconds"));
    assert_has(text, "pmu_cgroup_switches_total{cgroup=\"/b\",kind=\"voluntary\"} 0\n");
}

static void histograms__of_two_states_are_one_family(void **state)
{
    struct fixture *f = *state;
    struct latencies delta = {0};
    const char *text, *other;

    delta.buckets[latency_layouts[LATENCY_OFF_CPU_INTERRUPTIBLE].first] = 1;
    delta.buckets[latency_layouts[LATENCY_OFF_CPU_UNINTERRUPTIBLE].first] = 2;
    account_add_latencies(f->accounts[0], &delta);
    account_add_latencies(f->accounts[1], &delta);
    text = written(f, 1, &fresh);
    other = strstr(text, "# TYPE pmu_cgroup_off_cpu_seconds histogram\n");
    assert_non_null(other);
    assert_null(strstr(other + 1, "# TYPE pmu_cgroup_off_cpu_seconds histogram\n"));
    assert_has(text, "off_cpu_seconds_count{cgroup=\"/b\",state=\"interruptible\"} 1\n");
    assert_has(text, "off_cpu_seconds_count{cgroup=\"/b\",state=\"uninterruptible\"} 2\n");
}

/* Counts one request of this device in the second bucket. */
static void count_request(struct account *account, const char *device)
{
    AUTO(breakdown) struct breakdown *requests = breakdown_new(BREAKDOWN_BLOCK_IO);
    const struct breakdowns counted = {.of[BREAKDOWN_BLOCK_IO] = requests};
    const size_t latency = breakdown_first_bucket(BREAKDOWN_BLOCK_IO, BLOCK_LATENCY);
    uint64_t numbers[KEYED_TALLIES + KEYED_DISTRIBUTIONS * (KEYED_BUCKETS + 1)] = {
        [BLOCK_REQUESTS] = 1, [BLOCK_BYTES] = 512};
    struct breakdown_line line = {.labels[1] = "read"};

    (void)snprintf(line.labels[0], sizeof(line.labels[0]), "%s", device);
    numbers[latency + 1] = 1;
    numbers[latency + KEYED_BUCKETS] = 1500;
    assert_int_equal(breakdown_add(requests, &line, numbers), 0);
    account_add_breakdowns(account, &counted);
}

static void key__is_escaped_and_stands_behind_the_labels_of_its_target(void **state)
{
    struct fixture *f = *state;
    const char *text;

    count_request(f->accounts[1], "a\"b\\c\nd");
    count_request(f->accounts[1], "sda");
    text = written(f, 1, &fresh);
    assert_has(text,
               "pmu_cgroup_block_io_requests_total{cgroup=\"/b\",device=\"a\\\"b\\\\c\\nd\","
               "op=\"read\"} 1\n"
               "pmu_cgroup_block_io_requests_total{cgroup=\"/b\",device=\"sda\",op=\"read\"} 1\n");
    assert_has(text, "pmu_cgroup_block_io_latency_seconds_bucket{cgroup=\"/b\",device=\"sda\","
                     "op=\"read\",le=\"9.5367431640625e-07\"} 0\n"
                     "pmu_cgroup_block_io_latency_seconds_bucket{cgroup=\"/b\",device=\"sda\","
                     "op=\"read\",le=\"3.814697265625e-06\"} 1\n");
    assert_has(text, "pmu_cgroup_block_io_latency_seconds_sum{cgroup=\"/b\",device=\"sda\","
                     "op=\"read\"} 0.000001500\n"
                     "pmu_cgroup_block_io_latency_seconds_count{cgroup=\"/b\",device=\"sda\","
                     "op=\"read\"} 1\n");
    /* it was given to the device at once: nothing is known of its time in the queue */
    assert_null(strstr(text, "block_io_queue_seconds"));
    assert_null(strstr(text, "block_io_requests_total{cgroup=\"/a"));
}

static void openmetrics__has_the_unit_and_the_same_series(void **state)
{
    struct fixture *f = *state;
    AUTO_FREE char *line = NULL;
    const char *text;

    count_slices(f->accounts[0]);
    text = strstr(written(f, 1, &fresh), "pmu_cgroup_on_cpu_seconds_bucket{");
    line = strndup(text, (size_t)(strstr(text, "# ") - text));
    text = written_as(f, &fresh, &openmetrics);
    assert_has(text, "# TYPE pmu_cgroup_on_cpu_seconds histogram\n"
                     "# UNIT pmu_cgroup_on_cpu_seconds seconds\n");
    assert_has(text, line);
}

static void histogram__is_chosen_by_its_name(void **state)
{
    static const char *const names[] = {"pmu_cgroup_on_cpu_seconds"};
    const struct exposition_order order = {.names = names, .n_names = 1};
    struct fixture *f = *state;
    const char *text;

    count_slices(f->accounts[0]);
    text = written_as(f, &fresh, &order);
    assert_int_equal(strncmp(text, "# HELP pmu_cgroup_on_cpu_seconds ", 33), 0);
    assert_null(strstr(text, "faults"));
}

static void row_bytes__are_enough_for_what_is_written(void **state)
{
    static const char *const names[] = {"pmu_cgroup_on_cpu_seconds"};
    const struct exposition_order order = {.names = names, .n_names = 1};
    struct fixture *f = *state;

    count_slices(f->accounts[0]);
    written_as(f, &fresh, &order);
    assert_in_range(strlen(f->text.data), 1000,
                    plan_row_bytes(f->plan, strlen("{cgroup=\"/a\"b\\c\\nd\"}")) +
                        plan_head_bytes(f->plan));
}

static void text__says_whether_latencies_can_be_had_where_they_are_wanted(void **state)
{
    struct fixture *f = *state;

    assert_null(strstr(written(f, 1, &fresh), "pmu_exporter_latency_supported"));
    f->latency = (struct latency_status){.wanted = LATENCY_KIND_ON_CPU};
    assert_has(written(f, 1, &fresh),
               "pmu_exporter_latency_supported{kind=\"scheduler\",reason=\"\"} 1\n");
    f->latency.reason = "no_btf";
    assert_has(written(f, 1, &fresh),
               "pmu_exporter_latency_supported{kind=\"scheduler\",reason=\"no_btf\"} 0\n");
    assert_has(f->text.data, "pmu_exporter_latency_unknown_total 0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(histogram__adds_up_buckets_and_has_sum_and_count),
        TEST(histogram__that_counted_nothing_is_absent),
        TEST(histograms__of_two_states_are_one_family),
        TEST(key__is_escaped_and_stands_behind_the_labels_of_its_target),
        TEST(openmetrics__has_the_unit_and_the_same_series),
        TEST(histogram__is_chosen_by_its_name),
        TEST(row_bytes__are_enough_for_what_is_written),
        TEST(text__says_whether_latencies_can_be_had_where_they_are_wanted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
