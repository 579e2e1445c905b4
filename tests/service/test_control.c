/* SPDX-License-Identifier: Apache-2.0 */
/* The service's loop carries out what comes through the control slot. */
#include "cycle/collector_fixture.h"

#include "base/clock.h"
#include "service/control.h"
#include "service/reload.h"

static const char config_text[] = "groups: [{name: software, events: [page-faults]}]\n"
                                  "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

struct served {
    struct fixture *f;
    struct options options;
    struct service service;
    char config_file[96];
};

static int on_nothing(sd_event_source *source, uint64_t usec, void *context)
{
    (void)source, (void)usec, (void)context;
    return 0;
}

static int set_up_service(void **state)
{
    static struct served served;
    struct fixture *f;

    served = (struct served){0};
    assert_int_equal(set_up(state), 0);
    served.f = f = *state;
    start(f, config_text);
    (void)snprintf(served.config_file, sizeof(served.config_file), "%s/c.yml", f->tree.path);
    served.options.config_file = served.config_file;
    served.options.config_file_given = true;
    served.service.options = &served.options;
    served.service.counting.collector = f->collector;
    assert_int_equal(sd_event_new(&served.service.event), 0);
    assert_int_equal(sd_event_add_time(served.service.event, &served.service.timer, CLOCK_MONOTONIC,
                                       UINT64_MAX, 0, on_nothing, NULL),
                     0);
    assert_int_equal(reload_init(&served.service), 0);
    assert_int_equal(control_open(&served.service), 0);
    *state = &served;
    return 0;
}

static int tear_down_service(void **state)
{
    struct served *served = *state;

    control_close(&served->service);
    reload_done(&served->service);
    (void)sd_event_source_unref(served->service.timer);
    (void)sd_event_unref(served->service.event);
    *state = served->f;
    return tear_down(state);
}

/* Asks, lets the loop turn, and collects. The caller frees the text. */
static bool ask(struct served *served, enum control_action action, uint64_t duration_ns,
                char **ret_text)
{
    const struct control_request request = {action, duration_ns};
    struct control_slot *slot = served->service.control;
    struct text text = {0};
    bool good;

    assert_true(control_slot_ask(slot, &request));
    while (!control_slot_collect(slot, &good, &text))
        assert_true(sd_event_run(served->service.event, 5000000) > 0);
    *ret_text = text_take(&text);
    assert_non_null(*ret_text);
    return good;
}

static void expect_paused(struct served *served, uint64_t paused)
{
    cycle(served->f);
    assert_int_equal(served->f->snapshot->status.paused, paused);
}

static void a_pause_begins_and_ends_when_it_is_asked(void **state)
{
    struct served *served = *state;
    char *text;

    expect_paused(served, 0);
    assert_true(ask(served, CONTROL_PAUSE, 600 * NS_PER_SECOND, &text));
    assert_non_null(strstr(text, "not counted until 20"));
    free(text);
    expect_paused(served, 1);
    pause_check(&served->service.pause, served->f->collector);
    expect_paused(served, 1);
    assert_true(ask(served, CONTROL_PAUSE, 0, &text));
    assert_string_equal(text, "hardware events are counted again\n");
    free(text);
    expect_paused(served, 0);
    assert_true(ask(served, CONTROL_PAUSE, 0, &text));
    assert_string_equal(text, "there is no pause\n");
    free(text);
}

static void a_pause_ends_by_itself_when_its_time_is_over(void **state)
{
    struct served *served = *state;
    char *text;

    assert_true(ask(served, CONTROL_PAUSE, 600 * NS_PER_SECOND, &text));
    free(text);
    served->service.pause.end_ns = clock_boottime_ns(); /* Ten minutes have passed. */
    pause_check(&served->service.pause, served->f->collector);
    expect_paused(served, 0);
    assert_int_equal(served->service.pause.end_ns, 0);
}

static void a_second_pause_replaces_the_first(void **state)
{
    struct served *served = *state;
    uint64_t first_end_ns;
    char *text;

    assert_true(ask(served, CONTROL_PAUSE, 600 * NS_PER_SECOND, &text));
    free(text);
    first_end_ns = served->service.pause.end_ns;
    assert_true(ask(served, CONTROL_PAUSE, 60 * NS_PER_SECOND, &text));
    free(text);
    assert_true(served->service.pause.end_ns < first_end_ns);
    expect_paused(served, 1);
}

static void a_bad_configuration_is_answered_with_its_place(void **state)
{
    struct served *served = *state;
    char expected[192], *text;
    FILE *file = fopen(served->config_file, "we");

    assert_non_null(file);
    assert_true(fputs("interval: 1s\nintervall: 2s\n", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_false(ask(served, CONTROL_RELOAD, 0, &text));
    (void)snprintf(expected, sizeof(expected), "%s:2:1: unknown key", served->config_file);
    assert_memory_equal(text, expected, strlen(expected));
    assert_string_equal(text + strlen(text) - 1, "\n");
    free(text);
    cycle(served->f); /* The configuration before goes on. */
    assert_int_equal(served->f->snapshot->status.config_reload_good, 0);
}

static void a_configuration_that_cannot_be_read_is_answered_with_why(void **state)
{
    struct served *served = *state;
    char *text;

    assert_false(ask(served, CONTROL_RELOAD, 0, &text));
    assert_non_null(strstr(text, "c.yml: No such file or directory\n"));
    free(text);
}

#define SERVICE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_service, tear_down_service)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVICE_TEST(a_pause_begins_and_ends_when_it_is_asked),
        SERVICE_TEST(a_pause_ends_by_itself_when_its_time_is_over),
        SERVICE_TEST(a_second_pause_replaces_the_first),
        SERVICE_TEST(a_bad_configuration_is_answered_with_its_place),
        SERVICE_TEST(a_configuration_that_cannot_be_read_is_answered_with_why),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
