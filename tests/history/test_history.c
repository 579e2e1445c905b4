/* SPDX-License-Identifier: Apache-2.0 */
/* The historian's thread: a task that takes long does not cost the snapshots that come meanwhile.
 */
#include <pthread.h>

#include "history/store_fixture.h"

#define SNAPSHOTS 20 /* many times what can wait */

struct work {
    struct store_fixture fixture;
    struct history *history;
    pthread_mutex_t mutex;
    pthread_cond_t done;
    bool is_done;
};

/* Snapshots come while the task is at work, and it catches up between its parts. */
static void work_long(struct history_store *store, void *context)
{
    struct work *const work = context;

    for (unsigned i = 0; i < SNAPSHOTS; i++) {
        AUTO(snapshot) struct snapshot *snapshot = fixture_snapshot(&work->fixture, 1000, false);

        history_record(work->history, snapshot);
        history_store_catch_up(store);
    }
    (void)pthread_mutex_lock(&work->mutex);
    work->is_done = true;
    (void)pthread_cond_signal(&work->done);
    (void)pthread_mutex_unlock(&work->mutex);
}

static void a_long_task_that_catches_up_loses_no_snapshot(void **state)
{
    struct work work = {.mutex = PTHREAD_MUTEX_INITIALIZER, .done = PTHREAD_COND_INITIALIZER};
    struct history_status status;

    (void)state;
    fixture_open(&work.fixture, NULL);
    assert_int_equal(0, history_new(&work.fixture.options, &work.history));
    assert_int_equal(0, history_submit(work.history, work_long, &work));
    (void)pthread_mutex_lock(&work.mutex);
    while (!work.is_done)
        (void)pthread_cond_wait(&work.done, &work.mutex);
    (void)pthread_mutex_unlock(&work.mutex);
    history_get_status(work.history, &status);
    assert_int_equal(0, status.dropped);
    work.history = history_free(work.history);
    fixture_close(&work.fixture);
}

static void a_store_that_stands_alone_has_nothing_to_catch_up(void **state)
{
    struct store_fixture fixture;

    (void)state;
    fixture_open(&fixture, NULL);
    history_store_catch_up(&fixture.store);
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_task_that_catches_up_loses_no_snapshot),
        cmocka_unit_test(a_store_that_stands_alone_has_nothing_to_catch_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
