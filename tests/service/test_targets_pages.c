/* SPDX-License-Identifier: Apache-2.0 */
/* The routes of the numbers of now, called as the server calls them. */
#include "metric/metric_fixture.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "service/pages.h"

struct fixture {
    struct snapshot_slot *slot;
    struct pages pages;
};

static int set_up(void **state)
{
    static struct fixture f;
    struct pages_sources sources = {.telemetry_path = "/metrics", .procfs_fd = -1};

    f.slot = sources.slot = snapshot_slot_new();
    assert_int_equal(pages_init(&f.pages, &sources), 0);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    pages_done(&f->pages);
    (void)snapshot_slot_free(f->slot);
    return 0;
}

static void publish_plan(const struct fixture *f, struct plan *plan, uint64_t age_ns)
{
    const struct exporter_status status = {.interval_ns = NS_PER_SECOND};
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = NULL;
    struct snapshot *snapshot;

    assert_int_equal(catalogue_new(&plan, plan ? 1 : 0, NULL, 0, &catalogue), 0);
    assert_int_equal(roster_new(catalogue, NULL, 0, &roster), 0);
    snapshot = snapshot_new(roster, NULL, 0, &status);
    assert_non_null(snapshot);
    snapshot->taken_ns = clock_monotonic_ns() - age_ns;
    snapshot_slot_publish(f->slot, snapshot);
}

static void publish(const struct fixture *f, uint64_t age_ns)
{
    publish_plan(f, NULL, age_ns);
}

static const struct route *route_of(const struct fixture *f, const char *path)
{
    for (size_t i = 0; i < f->pages.n_routes; i++)
        if (strcmp(f->pages.routes[i].path, path) == 0)
            return &f->pages.routes[i];
    fail_msg("there is no %s", path);
    return NULL;
}

/* Asks a page or a stream. The caller frees the text. */
static int ask(struct fixture *f, const char *path, const char *arguments, uint64_t *cursor,
               char **ret_text)
{
    const struct route *route = route_of(f, path);
    struct query query AUTO_QUERY = {0};
    struct route_request request = {.query = &query, .rest = "", .body = ""};
    AUTO_TEXT struct text text = {0};
    int r;

    assert_int_equal(query_parse(arguments, &query), 0);
    r = route->next ? route->next(&f->pages, &request, cursor, &text)
                    : route->render(&f->pages, &request, 0, &text);
    *ret_text = text_take(&text);
    assert_non_null(*ret_text);
    return r;
}

static void a_stale_snapshot_has_no_tables_and_says_so(void **state)
{
    static const char *const paths[] = {"/api/v1/targets", "/api/v1/status"};
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        for (uint64_t age = 0; age < 2; age++) {
            AUTO_FREE char *text = NULL;

            publish(f, age * 11 * NS_PER_SECOND);
            assert_int_equal(ask(f, paths[i], "", NULL, &text), 0);
            assert_non_null(strstr(text, age ? "\"stale\":true" : "\"stale\":false"));
        }
}

static void before_the_first_cycle_there_is_nothing(void **state)
{
    struct fixture *f = *state;
    AUTO_FREE char *targets = NULL, *status = NULL, *stream = NULL;
    uint64_t cursor = 0;

    assert_int_equal(ask(f, "/api/v1/targets", "", NULL, &targets), -EAGAIN);
    assert_int_equal(ask(f, "/api/v1/status", "", NULL, &status), -EAGAIN);
    assert_int_equal(ask(f, "/api/v1/live", "", &cursor, &stream), 0);
    assert_string_equal(stream, "");
    assert_int_equal(cursor, 0);
}

static void the_stream_tells_each_snapshot_once(void **state)
{
    struct fixture *f = *state;
    uint64_t cursor = 0;

    for (unsigned i = 1; i <= 3; i++) {
        AUTO_FREE char *text = NULL, *again = NULL;
        char begin[64];

        publish(f, 0);
        assert_int_equal(ask(f, "/api/v1/live", "", &cursor, &text), 0);
        (void)snprintf(begin, sizeof(begin), "event: snapshot\nid: %u\ndata: {", i);
        assert_int_equal(strncmp(text, begin, strlen(begin)), 0);
        assert_string_equal(text + strlen(text) - 2, "\n\n");
        assert_int_equal(ask(f, "/api/v1/live", "", &cursor, &again), 0);
        assert_string_equal(again, "");
    }
}

static void the_data_of_an_event_are_what_the_page_has(void **state)
{
    struct fixture *f = *state;
    AUTO_FREE char *page = NULL, *event = NULL;
    uint64_t cursor = 0;

    publish(f, 0);
    assert_int_equal(ask(f, "/api/v1/targets", "target=machine", NULL, &page), 0);
    assert_int_equal(ask(f, "/api/v1/live", "target=machine", &cursor, &event), 0);
    page[strcspn(page, "\n")] = '\0';
    assert_non_null(strstr(event, page));
}

static void a_wrong_argument_is_refused_on_the_stream_too(void **state)
{
    struct fixture *f = *state;
    AUTO_FREE char *text = NULL;
    uint64_t cursor = 0;

    publish(f, 0);
    assert_int_equal(ask(f, "/api/v1/live", "target=x", &cursor, &text), -EINVAL);
    assert_non_null(strstr(text, "expected machine"));
}

static void a_column_that_there_is_none_of_is_refused_with_the_nearest(void **state)
{
    static const struct {
        const char *arguments, *why;
    } cases[] = {
        {"column=pmu_cgroup_fault_total",
         "there is no column \"pmu_cgroup_fault_total\"; did you mean pmu_cgroup_faults_total?"},
        {"column=pmu_cgroup_faults_total&column=nothing",
         "there is no column \"nothing\"; expected a family of /metrics, such as "
         "pmu_machine_cpus_used"},
        {"column=", "there is no column \"\"; expected a family of /metrics"},
    };
    struct fixture *f = *state;
    AUTO(plan) struct plan *plan = fixture_plan("pmu_cgroup_", 0, 2);

    publish_plan(f, plan, 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_FREE char *page = NULL, *stream = NULL;
        uint64_t cursor = 0;

        assert_int_equal(ask(f, "/api/v1/targets", cases[i].arguments, NULL, &page), -EINVAL);
        assert_int_equal(strncmp(page, cases[i].why, strlen(cases[i].why)), 0);
        assert_int_equal(ask(f, "/api/v1/live", cases[i].arguments, &cursor, &stream), -EINVAL);
        assert_string_equal(stream, page);
    }
}

static void a_column_that_goes_with_a_reload_ends_no_stream(void **state)
{
    static const char arguments[] = "column=pmu_cgroup_faults_total";
    struct fixture *f = *state;
    AUTO(plan) struct plan *plan = fixture_plan("pmu_cgroup_", 0, 2);
    AUTO_FREE char *with = NULL, *without = NULL;
    uint64_t cursor = 0;

    publish_plan(f, plan, 0);
    assert_int_equal(ask(f, "/api/v1/live", arguments, &cursor, &with), 0);
    assert_non_null(strstr(with, "pmu_cgroup_faults_total"));
    publish(f, 0);
    assert_int_equal(ask(f, "/api/v1/live", arguments, &cursor, &without), 0);
    assert_non_null(strstr(without, "\"tables\":[]"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(a_stale_snapshot_has_no_tables_and_says_so),
        TEST(before_the_first_cycle_there_is_nothing),
        TEST(the_stream_tells_each_snapshot_once),
        TEST(the_data_of_an_event_are_what_the_page_has),
        TEST(a_wrong_argument_is_refused_on_the_stream_too),
        TEST(a_column_that_there_is_none_of_is_refused_with_the_nearest),
        TEST(a_column_that_goes_with_a_reload_ends_no_stream),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
