/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/exposition_fixture.h"

static void text__has_help_type_and_samples_of_each_family(void **state)
{
    const char *text = written(*state, UINT64_C(18446744073709551614), &fresh);

    assert_has(text,
               "# HELP pmu_cgroup_faults_total Faults \\\\ of\\npages, in the cgroup. The event "
               "is faults, encoded as type=1.\n# TYPE pmu_cgroup_faults_total counter\n"
               "pmu_cgroup_faults_total{cgroup=\"/a\\\"b\\\\c\\nd\"} 18446744073709551614\n");
}

static void text__has_help_of_whole_sentences(void **state)
{
    const struct self_stats self = {.threads = 1};
    const struct http_status http = {.connections = 1};
    const struct exposition_facts facts = {
        .version = "1.2", .revision = "abc", .self = &self, .http = &http};
    const char *line = written(*state, 1, &facts);
    size_t n = 0;

    for (; (line = strstr(line, "# HELP ")); n++) {
        const char *end = strchr(line, '\n');

        if (end[-1] != '.')
            fail_msg("no full stop: %.*s", (int)(end - line), line);
        line = end;
    }
    assert_true(n > 40);
}

static void text__has_the_counters_of_the_pmu_that_are_known(void **state)
{
    const char *text = written(*state, 1, &fresh);

    assert_has(text, "# TYPE pmu_exporter_pmu_counters gauge\n"
                     "pmu_exporter_pmu_counters{state=\"free\"} 6\n"
                     "pmu_exporter_pmu_counters{state=\"used\"} 4\n");
    assert_null(strstr(text, "state=\"budget\""));
}

static void text__writes_nanoseconds_as_seconds_exactly(void **state)
{
    const char *text = written(*state, 1, &fresh);

    assert_has(text, "pmu_cgroup_start_time_seconds{cgroup=\"/b\"} 1700000000.123456789\n");
    assert_has(text, "pmu_cgroup_group_enabled_seconds_total{cgroup=\"/a\\\"b\\\\c\\nd\","
                     "group=\"software\"} 1.500000001\n");
}

static void text__leaves_out_what_is_absent(void **state)
{
    const char *text = written(*state, 1, &fresh);

    /* The second account was never counted. */
    assert_null(strstr(text, "pmu_cgroup_faults_total{cgroup=\"/b\"}"));
    assert_null(strstr(text, "pmu_cgroup_faults_per_second{cgroup=\"/b\"}"));
    assert_null(strstr(text, "NaN"));
    assert_null(strstr(text, "18446744073709551615"));
}

static void text__has_an_info_series_with_escaped_labels(void **state)
{
    assert_has(written(*state, 1, &fresh),
               "pmu_cgroup_info{cgroup=\"/b\",unit=\"x\\\\x2dy.service\"} 1\n");
}

static void text__tells_what_is_not_counted_and_why(void **state)
{
    const char *text = written(*state, 1, &fresh);

    assert_has(text,
               "pmu_exporter_event_supported{scope=\"cgroup\",event=\"cycles\",group=\"core\","
               "pmu=\"\",reason=\"no_pmu\"} 0\n");
    assert_has(text, "pmu_exporter_targets_uncounted{kind=\"cgroup\",reason=\"over_limit\"} 4\n");
    assert_null(strstr(text, "pmu_exporter_event_info{"));
}

static void text__of_a_stale_snapshot_is_about_the_exporter_only(void **state)
{
    const struct exposition_facts stale = {
        .version = "1.2", .revision = "abc", .age_ns = 12000000000, .stale = true};
    const char *text = written(*state, 1, &stale);

    assert_null(strstr(text, "pmu_cgroup_"));
    assert_has(text, "pmu_exporter_snapshot_age_seconds 12.000000000\n");
    assert_has(text, "pmu_exporter_build_info{version=\"1.2\",revision=\"abc\"} 1\n");
}

static void text__has_process_metrics_where_they_are_known(void **state)
{
    const struct self_stats self = {.cpu_ns = 1500000000, .open_fds = 7};
    struct exposition_facts facts = fresh;

    assert_null(strstr(written(*state, 1, &facts), "\nprocess_"));
    facts.self = &self;
    assert_has(written(*state, 1, &facts), "process_cpu_seconds_total 1.500000000\n");
    assert_has(written(*state, 1, &facts), "process_open_fds 7\n");
}

static void text__tells_of_connections_where_there_is_a_server(void **state)
{
    const struct http_status http = {.connections = 3,
                                     .accepted = 9,
                                     .closed = {[HTTP_CLOSED_ROOM] = 4},
                                     .refused = {[HTTP_REFUSED_NO_DESCRIPTORS] = 2}};
    struct exposition_facts facts = fresh;

    assert_null(strstr(written(*state, 1, &facts), "pmu_exporter_http_"));
    facts.http = &http;
    facts.stale = true;
    assert_has(written(*state, 1, &facts), "pmu_exporter_http_connections 3\n");
    assert_has(written(*state, 1, &facts), "pmu_exporter_http_connections_accepted_total 9\n");
    assert_has(written(*state, 1, &facts),
               "pmu_exporter_http_connections_closed_total{reason=\"idle\"} 0\n"
               "pmu_exporter_http_connections_closed_total{reason=\"slow\"} 0\n"
               "pmu_exporter_http_connections_closed_total{reason=\"room\"} 4\n");
    assert_has(written(*state, 1, &facts),
               "pmu_exporter_http_connections_refused_total{reason=\"no_descriptors\"} 2\n");
}

static void text__follows_the_roster_when_targets_change(void **state)
{
    struct fixture *f = *state;

    (void)written(f, 1, &fresh);
    (void)account_free(f->accounts[1]);
    f->accounts[1] = make_account(f, "/other");
    assert_has(written(f, 1, &fresh), "pmu_cgroup_start_time_seconds{cgroup=\"/other\"} ");
    assert_null(strstr(f->text.data, "\"/b\""));
}

static int set_up_with_unit(void **state)
{
    event.unit = (char *)"joules";
    event.scale = 0.25;
    return set_up(state);
}

static int tear_down_with_unit(void **state)
{
    event.unit = NULL;
    event.scale = 1;
    return tear_down(state);
}

static void text__has_the_unit_of_an_event_in_its_name_and_its_scale_in_its_values(void **state)
{
    const char *text = written(*state, 3, &fresh);

    assert_has(text, "pmu_cgroup_faults_joules_total{cgroup=\"/a\\\"b\\\\c\\nd\"} 0.75\n");
    assert_has(text, "pmu_cgroup_faults_joules_per_second{cgroup=\"/a\\\"b\\\\c\\nd\"} 0.125\n");
}

static const struct exposition_order openmetrics = {.format = EXPOSITION_OPENMETRICS};

static void openmetrics__names_a_counter_without_its_ending_and_its_samples_with_it(void **state)
{
    assert_has(written_as(*state, &fresh, &openmetrics),
               "# HELP pmu_cgroup_faults Faults \\\\ of\\npages, in the cgroup. The event "
               "is faults, encoded as type=1.\n# TYPE pmu_cgroup_faults counter\n"
               "pmu_cgroup_faults_total{cgroup=\"/a\\\"b\\\\c\\nd\"} 1\n");
}

static void openmetrics__has_what_describes_targets_as_infos(void **state)
{
    const char *text = written_as(*state, &fresh, &openmetrics);

    assert_has(text, "# TYPE pmu_cgroup info\npmu_cgroup_info{cgroup=\"/a\\\"b");
    assert_has(text, "# TYPE pmu_exporter_build info\npmu_exporter_build_info{");
}

static void openmetrics__tells_units(void **state)
{
    const char *text = written_as(*state, &fresh, &openmetrics);

    assert_has(text, "# TYPE pmu_cgroup_group_enabled_seconds counter\n"
                     "# UNIT pmu_cgroup_group_enabled_seconds seconds\n");
    assert_has(text, "# UNIT pmu_cgroup_group_coverage_ratio ratio\n");
    assert_null(strstr(written(*state, 1, &fresh), "# UNIT"));
}

static void openmetrics__ends_in_a_mark_also_if_the_snapshot_is_stale(void **state)
{
    struct exposition_facts stale = fresh;
    const char *text = written_as(*state, &fresh, &openmetrics);

    assert_string_equal(strstr(text, "# EOF"), "# EOF\n");
    stale.stale = true;
    text = written_as(*state, &stale, &openmetrics);
    assert_string_equal(strstr(text, "# EOF"), "# EOF\n");
    assert_null(strstr(text, "pmu_cgroup"));
    assert_null(strstr(written(*state, 1, &fresh), "# EOF"));
}

static void openmetrics__has_no_series_more_than_the_text(void **state)
{
    const char *text = written_as(*state, &fresh, &openmetrics);

    assert_null(strstr(text, "_created"));
}

/* The bytes of the lines that begin so. */
static size_t bytes_of_lines(const char *text, const char *beginning)
{
    size_t bytes = 0;

    for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1)
        if (strncmp(line, beginning, strlen(beginning)) == 0)
            bytes += (size_t)(end - line) + 1;
    return bytes;
}

static void heads__take_no_more_than_was_reserved_for_them_in_either_format(void **state)
{
    struct fixture *f = *state;
    const size_t reserved = plan_head_bytes(f->plan) + strlen(f->plan->info_help) + 100;
    const char *text;

    text = written_as(f, &fresh, &openmetrics);
    assert_in_range(bytes_of_lines(text, "# HELP pmu_cgroup") +
                        bytes_of_lines(text, "# TYPE pmu_cgroup") +
                        bytes_of_lines(text, "# UNIT pmu_cgroup"),
                    1, reserved);
    text = written(f, 1, &fresh);
    assert_in_range(bytes_of_lines(text, "# HELP pmu_cgroup") +
                        bytes_of_lines(text, "# TYPE pmu_cgroup"),
                    1, reserved);
}

static int set_up_with_quotes(void **state)
{
    event.description =
        (char *)"\"\"\"\"\"\"\"\"\\\\\n\n\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"\"";
    return set_up_with_unit(state);
}

static int tear_down_with_quotes(void **state)
{
    event.description = (char *)"Faults \\ of\npages";
    return tear_down_with_unit(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(text__has_help_type_and_samples_of_each_family),
        TEST(text__has_help_of_whole_sentences),
        TEST(text__has_the_counters_of_the_pmu_that_are_known),
        TEST(text__writes_nanoseconds_as_seconds_exactly),
        TEST(text__leaves_out_what_is_absent),
        TEST(text__has_an_info_series_with_escaped_labels),
        TEST(text__tells_what_is_not_counted_and_why),
        TEST(text__of_a_stale_snapshot_is_about_the_exporter_only),
        TEST(text__has_process_metrics_where_they_are_known),
        TEST(text__tells_of_connections_where_there_is_a_server),
        TEST(text__follows_the_roster_when_targets_change),
        TEST(openmetrics__names_a_counter_without_its_ending_and_its_samples_with_it),
        TEST(openmetrics__has_what_describes_targets_as_infos),
        TEST(openmetrics__tells_units),
        TEST(openmetrics__ends_in_a_mark_also_if_the_snapshot_is_stale),
        TEST(openmetrics__has_no_series_more_than_the_text),
        cmocka_unit_test_setup_teardown(
            heads__take_no_more_than_was_reserved_for_them_in_either_format, set_up_with_quotes,
            tear_down_with_quotes),
        cmocka_unit_test_setup_teardown(
            text__has_the_unit_of_an_event_in_its_name_and_its_scale_in_its_values,
            set_up_with_unit, tear_down_with_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
