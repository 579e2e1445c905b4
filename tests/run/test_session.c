/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "config/config.h"
#include "run/session.h"
#include "support/resident.h"

#define N_PAGES 100

struct fixture {
    struct run_setup setup;
    struct run_request request;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->setup.machine.sysfs_fd = open("/sys", O_PATH | O_DIRECTORY | O_CLOEXEC);
    f->setup.machine.procfs_fd = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
    f->setup.mechanism = mechanism_direct_new(&perf_ops_kernel);
    assert_non_null(f->setup.mechanism);
    f->setup.mechanism->descriptors = 256;
    f->setup.spare.limit = CONFIG_ALL_COUNTERS;
    f->setup.over_budget = "no counter is left";
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->setup.mechanism->open_counters, 0);
    (void)mechanism_free(f->setup.mechanism);
    (void)close(f->setup.machine.sysfs_fd);
    (void)close(f->setup.machine.procfs_fd);
    run_request_done(&f->request);
    free(f);
    return 0;
}

/* Asks for these events of a process. */
static int ask(struct fixture *f, pid_t pid, const char *events, struct run_session **ret_session,
               struct text *message)
{
    AUTO_TEXT struct text body = {0};

    text_append_format(&body,
                       "{\"title\": \"t\", \"target\": \"pid:%d\", \"events\": [%s], "
                       "\"interval_seconds\": 0.01, \"duration_seconds\": 60}",
                       pid, events);
    run_request_done(&f->request);
    assert_int_equal(run_request_parse(body.data, body.length, &f->request, message), 0);
    return run_session_open(&f->request, &f->setup, ret_session, message);
}

static struct run_session *open_for(struct fixture *f, pid_t pid, const char *events)
{
    struct run_session *session = NULL;
    struct text message = {0};
    const int r = ask(f, pid, events, &session, &message);
    char *told = text_take(&message);

    if (r == -EINVAL && told && strstr(told, "not_permitted")) {
        free(told);
        skip();
    }
    if (r < 0)
        fail_msg("%s: %s", strerror(-r), told);
    free(told);
    return session;
}

static void touch_pages(size_t n)
{
    const size_t size = n * (size_t)getpagesize();
    char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    (void)madvise(pages, size, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i++)
        ((volatile char *)pages)[i * (size_t)getpagesize()] = 1;
    (void)munmap(pages, size);
}

static size_t n_descriptors(void)
{
    size_t n = 0;

    for (int fd = 0; fd < 1024; fd++)
        n += fcntl(fd, F_GETFD) >= 0;
    return n;
}

static void session__page_faults_of_a_process_are_counted_in_rows(void **state)
{
    struct fixture *f = *state;
    AUTO(run_session) struct run_session *session = open_for(f, getpid(), "\"page-faults:u\"");
    struct run_summary summary;
    const struct recording *recording = run_session_recording(session);

    for (int i = 0; i < 3; i++) {
        touch_pages(N_PAGES);
        while (clock_monotonic_ns() < run_session_due_ns(session))
            ;
        assert_int_equal(run_session_turn(session, clock_monotonic_ns()), RUN_GOES_ON);
    }
    run_session_end(session, RUN_WAS_STOPPED, clock_monotonic_ns());
    assert_int_equal(recording->n_rows, 4);
    recording_summarize(recording, 0, &summary);
    assert_true(summary.total >= 3 * N_PAGES);
    assert_true(summary.total < 3 * N_PAGES + 50 || IS_SANITIZED);
    assert_int_equal(f->setup.mechanism->open_counters, 0);
}

static void session__that_is_stopped_when_its_process_has_ended_has_lost_its_target(void **state)
{
    struct fixture *f = *state;
    const pid_t child = fork();

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    for (int i = 0; i < 2; i++) {
        AUTO(run_session) struct run_session *session = open_for(f, child, "\"page-faults\"");

        if (i == 1) {
            assert_int_equal(kill(child, SIGKILL), 0);
            assert_int_equal(waitpid(child, NULL, 0), child);
        }
        run_session_end(session, RUN_WAS_STOPPED, clock_monotonic_ns());
        assert_int_equal(run_session_recording(session)->state,
                         i == 1 ? RUN_TARGET_GONE : RUN_WAS_STOPPED);
    }
}

static void session__leaves_nothing_open(void **state)
{
    struct fixture *f = *state;
    const size_t before = n_descriptors();

    for (int i = 0; i < 3; i++) {
        struct run_session *session = open_for(f, getpid(), "[\"page-faults\", \"task-clock\"]");

        assert_true(n_descriptors() > before);
        if (i == 0)
            run_session_end(session, RUN_WAS_STOPPED, clock_monotonic_ns());
        (void)run_session_free(session);
        assert_int_equal(n_descriptors(), before);
    }
}

static void session__an_event_that_cannot_be_counted_is_left_out_with_words(void **state)
{
    struct fixture *f = *state;
    AUTO(run_session)
    struct run_session *session =
        open_for(f, getpid(), "\"page-faults\", \"no_such_pmu/event=1/\"");
    const struct recording *recording = run_session_recording(session);

    assert_int_equal(recording->n_columns, 1);
    assert_int_equal(recording->n_events, 2);
    assert_null(recording->events[0].reason);
    assert_string_equal(recording->events[1].reason, "no_pmu");
}

static void session__a_name_that_is_not_known_is_refused_with_the_nearest(void **state)
{
    struct fixture *f = *state;
    struct run_session *session = NULL;
    struct text message = {0};
    char *told;

    assert_int_equal(ask(f, getpid(), "\"page-fault\"", &session, &message), -EINVAL);
    told = text_take(&message);
    assert_non_null(strstr(told, "did you mean page-faults?"));
    free(told);
}

static void session__without_counters_hardware_is_over_budget(void **state)
{
    struct fixture *f = *state;
    struct run_session *session = NULL;
    struct text message = {0};
    char *told;

    f->setup.spare = (struct spare_counters){.limit = 1, .held = 1};
    if (ask(f, getpid(), "\"cycles\"", &session, &message) != -EINVAL)
        fail();
    told = text_take(&message);
    /* Where there is no PMU that is the reason, and budget makes no difference. */
    assert_true(strstr(told, "over_budget, no counter is left") || strstr(told, "no_pmu") ||
                strstr(told, "not_supported") || strstr(told, "not_permitted"));
    free(told);
}

static void session__ends_with_the_process(void **state)
{
    struct fixture *f = *state;
    const pid_t child = fork();
    AUTO(run_session) struct run_session *session = NULL;
    enum run_state end;

    if (child == 0) {
        (void)pause();
        _exit(0);
    }
    session = open_for(f, child, "\"page-faults\"");
    (void)kill(child, SIGKILL);
    (void)waitpid(child, NULL, 0);
    do
        end = run_session_turn(session, clock_monotonic_ns());
    while (end == RUN_GOES_ON);
    assert_int_equal(end, RUN_TARGET_GONE);
    assert_int_equal(f->setup.mechanism->open_counters, 0);
}

static void session__a_process_that_is_not_there_is_refused(void **state)
{
    struct fixture *f = *state;
    struct run_session *session = NULL;
    struct text message = {0};

    assert_true(ask(f, 4194304, "\"page-faults\"", &session, &message) < 0);
    assert_true(message.length > 0);
    text_done(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(session__page_faults_of_a_process_are_counted_in_rows,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            session__that_is_stopped_when_its_process_has_ended_has_lost_its_target, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(session__leaves_nothing_open, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            session__an_event_that_cannot_be_counted_is_left_out_with_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            session__a_name_that_is_not_known_is_refused_with_the_nearest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(session__without_counters_hardware_is_over_budget, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(session__ends_with_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(session__a_process_that_is_not_there_is_refused, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
