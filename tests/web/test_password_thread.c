/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "web/password_thread.h"

/* That of "correct horse", and one that takes long. */
#define CHEAP "$2y$04$pmuexporterpmuexporteuqr71eapzxfpJchaSoN8vSW6tGvLEu2u"
#define DEAR  "$2y$10$Jk7gXyhyFS4JqlTY.SEHhO3m7I9G1n5qk4Wv0p1JY0a0dV7cZ8x0a"

#define MORE_THAN_WAIT 40

static struct password_job *job_of(const char *password, const char *hash, bool is_unknown)
{
    struct password_job *const job = calloc(1, sizeof(*job));

    assert_non_null(job);
    (void)stpcpy(job->password, password);
    (void)stpcpy(job->hash, hash);
    job->is_unknown = is_unknown;
    return job;
}

/* Waits for the next job that is done. */
static struct password_job *next_done(struct password_thread *thread, int event_fd)
{
    struct pollfd event = {.fd = event_fd, .events = POLLIN};
    struct password_job *job;
    eventfd_t value;

    while (!(job = password_thread_take(thread))) {
        assert_int_equal(poll(&event, 1, -1), 1);
        (void)eventfd_read(event_fd, &value);
    }
    return job;
}

static void only_the_right_password_of_a_known_user__is_right(void **state)
{
    static const struct {
        const char *password;
        bool is_unknown, is_right;
    } cases[] = {{"correct horse", false, true},
                 {"correct horse", true, false},
                 {"Correct horse", false, false},
                 {"", false, false}};
    const int event_fd = eventfd(0, EFD_NONBLOCK);
    struct password_thread *thread;

    (void)state;
    assert_int_equal(password_thread_new(event_fd, &thread), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct password_job *job = job_of(cases[i].password, CHEAP, cases[i].is_unknown);

        assert_int_equal(password_thread_give(thread, job), 0);
        assert_ptr_equal(next_done(thread, event_fd), job);
        assert_int_equal(job->is_right, cases[i].is_right);
        for (size_t j = 0; j < sizeof(job->password); j++)
            assert_int_equal(job->password[j], 0);
        (void)password_job_free(job);
    }
    (void)password_thread_free(thread);
    (void)close(event_fd);
}

static void jobs_beyond_the_queue__are_refused_and_the_end_does_not_wait(void **state)
{
    const int event_fd = eventfd(0, EFD_NONBLOCK);
    struct password_thread *thread;
    unsigned n_refused = 0;

    (void)state;
    assert_int_equal(password_thread_new(event_fd, &thread), 0);
    for (unsigned i = 0; i < MORE_THAN_WAIT; i++) {
        struct password_job *job = job_of("guess", DEAR, false);
        const int r = password_thread_give(thread, job);

        assert_true(r == 0 || r == -EBUSY);
        if (r < 0) {
            (void)password_job_free(job);
            n_refused++;
        }
    }
    assert_true(n_refused > 0);
    (void)password_thread_free(thread);
    (void)close(event_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_right_password_of_a_known_user__is_right),
        cmocka_unit_test(jobs_beyond_the_queue__are_refused_and_the_end_does_not_wait),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
