/* SPDX-License-Identifier: Apache-2.0 */
/* The pages as clients see them, from a server that shows a snapshot of nothing. */
#include "web/http_client.h"

#include "metric/snapshot.h"
#include "service/face_page.h"
#include "service/pages.h"
#include "web/page_files.h"

#define POLICY                                                                                     \
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "            \
    "object-src 'none'"

struct shown {
    struct fixture fixture;
    struct snapshot_slot *slot;
    struct control_slot *control;
    struct pages pages;
};

static int set_up(void **state)
{
    static struct shown shown;
    const char *const address = "127.0.0.1:0";
    struct pages_sources sources = {.telemetry_path = "/numbers", .procfs_fd = -1};
    struct route_table table;
    const char *failed;

    shown = (struct shown){.slot = snapshot_slot_new()};
    sources.slot = shown.slot;
    assert_int_equal(0, pages_init(&shown.pages, &sources));
    assert_int_equal(0, control_slot_new(&shown.control));
    table = pages_table(&shown.pages);
    assert_int_equal(
        0, http_server_new(&address, 1, &table, &usual_limits, &shown.fixture.server, &failed));
    assert_int_equal(0, http_server_control(shown.fixture.server, shown.control, true));
    assert_int_equal(0, http_server_start(shown.fixture.server));
    shown.fixture.port = http_server_port(shown.fixture.server, 0);
    *state = &shown;
    return 0;
}

static int tear_down(void **state)
{
    struct shown *const shown = *state;

    fixture_down(&shown->fixture);
    shown->control = control_slot_free(shown->control);
    pages_done(&shown->pages);
    (void)snapshot_slot_free(shown->slot);
    return 0;
}

static void publish(const struct shown *shown)
{
    const struct exporter_status status = {.interval_ns = NS_PER_SECOND};
    AUTO(catalogue) struct catalogue *catalogue = NULL;
    AUTO(roster) struct roster *roster = NULL;
    struct snapshot *snapshot;

    assert_int_equal(0, catalogue_new(NULL, 0, NULL, 0, &catalogue));
    assert_int_equal(0, roster_new(catalogue, NULL, 0, &roster));
    snapshot = snapshot_new(roster, NULL, 0, &status);
    assert_non_null(snapshot);
    snapshot->taken_ns = clock_monotonic_ns();
    snapshot_slot_publish(shown->slot, snapshot);
}

static struct reply get(const struct shown *shown, const char *path)
{
    AUTO_CLOSE int fd = connect_to(shown->fixture.port);
    char request[256];

    (void)snprintf(request, sizeof(request), "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", path);
    send_text(fd, request);
    return read_reply(fd, true);
}

static void the_page_for_people_links_the_others(void **state)
{
    struct reply reply = get(*state, "/");

    assert_int_equal(200, reply.status);
    assert_non_null(strstr(reply.body, "<a href=\"/numbers\">"));
    assert_non_null(strstr(reply.body, "<a href=\"-/healthy\">"));
    assert_non_null(strstr(reply.body, "<a href=\"-/ready\">"));
    assert_true(header_is(&reply, "Content-Type", "text/html; charset=utf-8"));
    assert_true(header_is(&reply, "Content-Security-Policy", POLICY));
    reply_done(&reply);
}

static void each_file_of_the_page_is_there_whole(void **state)
{
#define EXPECTED(symbol, folder, name, type) {PAGE_FILE_##symbol, "/page/" name, type},
    static const struct {
        enum page_file file;
        const char *path, *type;
    } files[] = {PAGE_FILES(EXPECTED)};

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        struct reply reply = get(*state, files[i].path);
        size_t length;
        const char *text = page_file_text(files[i].file, &length);

        assert_int_equal(200, reply.status);
        assert_true(length > 100);
        assert_int_equal(length, reply.length);
        assert_memory_equal(text, reply.body, length);
        assert_true(header_is(&reply, "Content-Type", files[i].type));
        assert_true(header_is(&reply, "Content-Security-Policy", POLICY));
        reply_done(&reply);
    }
}

static void a_link_of_the_page_for_people_holds_any_path(void **state)
{
    static const struct {
        const char *path;
        const char *link;
    } cases[] = {
        {"/pmu", "<a href=\"/pmu\">"},
        {"/a\"><b>&%", "<a href=\"/a%22%3e%3cb%3e%26%25\">"},
        {"/a b\xc3\xa9", "<a href=\"/a%20b%c3%a9\">"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_TEXT struct text text = {0};
        AUTO_FREE char *page = NULL;

        face_page_write(cases[i].path, &text);
        page = text_take(&text);
        assert_non_null(page);
        assert_non_null(strstr(page, cases[i].link));
    }
}

static void healthy_is_200(void **state)
{
    struct reply reply = get(*state, "/-/healthy");

    assert_int_equal(200, reply.status);
    assert_string_equal("OK\n", reply.body);
    assert_true(header_is(&reply, "Content-Type", "text/plain; charset=utf-8"));
    reply_done(&reply);
}

static void ready_is_503_with_the_reason_until_it_is_200(void **state)
{
    struct reply reply;

    for (unsigned i = 0; i < 3; i++) {
        reply = get(*state, "/-/ready");
        assert_int_equal(503, reply.status);
        assert_string_equal("not ready: the first cycle is not complete\n", reply.body);
        assert_true(header_is(&reply, "X-Content-Type-Options", "nosniff"));
        reply_done(&reply);
    }
    publish(*state);
    reply = get(*state, "/-/ready");
    assert_int_equal(200, reply.status);
    assert_string_equal("ready\n", reply.body);
    reply_done(&reply);
}

static void metrics_are_of_the_families_that_name_chooses(void **state)
{
    struct reply reply;

    publish(*state);
    reply = get(*state, "/numbers?name[]=pmu_exporter_build_info&other=1&name%5B%5D="
                        "pmu_exporter_cycles");
    assert_int_equal(200, reply.status);
    assert_non_null(strstr(reply.body, "\npmu_exporter_build_info{"));
    assert_non_null(strstr(reply.body, "\npmu_exporter_cycles_total 0\n"));
    assert_null(strstr(reply.body, "pmu_exporter_targets"));
    reply_done(&reply);
    reply = get(*state, "/numbers?name[]=pmu_exporter_cycle_total");
    assert_int_equal(400, reply.status);
    assert_string_equal("there is no metric family pmu_exporter_cycle_total; did you mean "
                        "pmu_exporter_cycles_total?\n",
                        reply.body);
    reply_done(&reply);
}

static void metrics_are_503_until_there_are_numbers(void **state)
{
    struct reply reply = get(*state, "/numbers");

    assert_int_equal(503, reply.status);
    assert_string_equal("not ready: there are no numbers yet\n", reply.body);
    reply_done(&reply);
    publish(*state);
    reply = get(*state, "/numbers");
    assert_int_equal(200, reply.status);
    assert_non_null(strstr(reply.body, "\npmu_exporter_build_info{"));
    assert_true(header_is(&reply, "Content-Type", "text/plain; version=0.0.4; charset=utf-8"));
    reply_done(&reply);
    reply = get(*state, "/metrics");
    assert_int_equal(404, reply.status);
    reply_done(&reply);
}

static void targets_are_json_for_who_may_read_the_metrics(void **state)
{
    const struct shown *const shown = *state;
    struct reply reply = get(*state, "/api/v1/targets");

    assert_int_equal(503, reply.status);
    reply_done(&reply);
    publish(*state);
    reply = get(*state, "/api/v1/targets");
    assert_int_equal(200, reply.status);
    assert_non_null(strstr(reply.body, "\"tables\":["));
    assert_true(header_is(&reply, "Content-Type", "application/json"));
    reply_done(&reply);
    for (size_t i = 0; i < shown->pages.n_routes; i++)
        if (strcmp(shown->pages.routes[i].path, "/api/v1/targets") == 0)
            assert_false(shown->pages.routes[i].restricted);
}

static void a_pause_without_a_good_duration_is_400_and_says_what_is_expected(void **state)
{
    const struct shown *const shown = *state;
    AUTO_CLOSE int fd = connect_to(shown->fixture.port);
    struct control_request request;
    struct reply reply;

    send_text(fd, "POST /-/pause?duration=8d HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    reply = read_reply(fd, true);
    assert_int_equal(400, reply.status);
    assert_string_equal("expected ?duration= with " CONTROL_PAUSE_EXPECTED "\n", reply.body);
    reply_done(&reply);
    assert_false(control_slot_take(shown->control, &request));
}

static void every_path_but_that_of_the_metrics_is_taken(void **state)
{
    const struct shown *const shown = *state;

    assert_false(pages_has_path("/numbers"));
    assert_false(pages_has_path("/metrics"));
    for (size_t i = 1; i < shown->pages.n_routes; i++)
        assert_true(pages_has_path(shown->pages.routes[i].path));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        TEST(the_page_for_people_links_the_others),
        TEST(each_file_of_the_page_is_there_whole),
        TEST(a_link_of_the_page_for_people_holds_any_path),
        TEST(healthy_is_200),
        TEST(ready_is_503_with_the_reason_until_it_is_200),
        TEST(metrics_are_of_the_families_that_name_chooses),
        TEST(metrics_are_503_until_there_are_numbers),
        TEST(targets_are_json_for_who_may_read_the_metrics),
        TEST(a_pause_without_a_good_duration_is_400_and_says_what_is_expected),
        TEST(every_path_but_that_of_the_metrics_is_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
