/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <math.h>
#include <string.h>

#include "expose/exposition.h"
#include "expose/format.h"
#include "metric/account.h"
#include "metric/catalogue.h"
#include "metric/roster.h"

static struct event event = {.name = (char *)"faults",
                             .scale = 1,
                             .metric = (char *)"faults",
                             .description = (char *)"Faults \\ of\npages",
                             .encoding = (char *)"type=1",
                             .pmu = (char *)"software"};

struct fixture {
    struct event_groups *groups;
    struct plan *plan;
    struct catalogue *catalogue;
    struct exposition *exposition;
    struct account *accounts[2];
    struct text text;
};

static struct account *make_account(struct fixture *f, const char *path)
{
    const struct label label = {"cgroup", path};
    const struct label info = {"unit", "x\\x2dy.service"};
    AUTO(identity) struct identity *identity = identity_new(&label, 1, &info, 1);

    return account_new(f->plan, identity, UINT64_C(1700000000123456789));
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events = &event;
    const struct group_spec group = {.name = "software", .events = &events, .n_events = 1};
    const struct plan_spec spec = {.prefix = "pmu_cgroup_",
                                   .target = "the cgroup",
                                   .start_time = true,
                                   .totals = true,
                                   .group_times = true,
                                   .rates = true};
    struct event_status status = {.scope = "cgroup",
                                  .metric = (char *)"",
                                  .event = (char *)"cycles",
                                  .group = (char *)"core",
                                  .pmu = (char *)"",
                                  .encoding = (char *)"",
                                  .absence = ABSENCE_NO_PMU};

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &group, 1, &f->groups), 0);
    assert_int_equal(plan_new(&spec, f->groups, &f->plan), 0);
    assert_int_equal(catalogue_new(&f->plan, 1, &status, 1, &f->catalogue), 0);
    f->accounts[0] = make_account(f, "/a\"b\\c\nd");
    f->accounts[1] = make_account(f, "/b");
    f->exposition = exposition_new();
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    text_done(&f->text);
    (void)exposition_free(f->exposition);
    (void)account_free(f->accounts[0]);
    (void)account_free(f->accounts[1]);
    (void)catalogue_unref(f->catalogue);
    (void)plan_unref(f->plan);
    (void)event_groups_free(f->groups);
    free(f);
    return 0;
}

/* Counts `count` in the first account and writes a snapshot of both. */
static const char *written(struct fixture *f, uint64_t count, const struct exposition_facts *facts)
{
    const struct exporter_status status = {.mechanisms[SCOPE_CGROUP] = {"direct", "why"},
                                           .uncounted[SCOPE_CGROUP][ABSENCE_OVER_LIMIT] = 4,
                                           .pmu_free = 6,
                                           .pmu_budget = NUMBER_ABSENT_COUNT,
                                           .pmu_used = 4};
    AUTO(sample) struct sample *sample = sample_new(f->groups);
    AUTO(roster) struct roster *roster = NULL;
    AUTO(snapshot) struct snapshot *snapshot = NULL;

    sample->events[0] = (struct event_sample){.count = count, .per_second = 0.5};
    sample->groups[0] =
        (struct group_sample){.counted = true, .ran = true, .enabled = 1500000001, .running = 1};
    account_update(f->accounts[0], sample);
    assert_int_equal(roster_new(f->catalogue, f->accounts, 2, &roster), 0);
    snapshot = snapshot_new(roster, f->accounts, 2, &status);
    text_clear(&f->text);
    assert_int_equal(exposition_write(f->exposition, snapshot, facts, &f->text), 0);
    text_append_char(&f->text, '\0');
    return f->text.data;
}

static const struct exposition_facts fresh = {.version = "1.2", .revision = "abc"};

static void assert_has(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("missing: %s\nin:\n%s", line, text);
}

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
        cmocka_unit_test_setup_teardown(
            text__has_the_unit_of_an_event_in_its_name_and_its_scale_in_its_values,
            set_up_with_unit, tear_down_with_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
