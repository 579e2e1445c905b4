/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void *look_at_signals(void *context)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, context);
    return NULL;
}

static void a_thread_blocks_signals_and_its_maker_does_not(void **state)
{
    sigset_t before, after, within;
    pthread_t thread;

    (void)state;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    assert_int_equal(thread_start("test", look_at_signals, &within, &thread), 0);
    (void)pthread_join(thread, NULL);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int signal = 1; signal < 32; signal++) {
        assert_int_equal(sigismember(&after, signal), sigismember(&before, signal));
        if (signal != SIGKILL && signal != SIGSTOP)
            assert_int_equal(sigismember(&within, signal), 1);
    }
}

static void *wait_for_lock(void *context)
{
    (void)pthread_mutex_lock(context);
    (void)pthread_mutex_unlock(context);
    return NULL;
}

static void a_thread_is_shown_by_its_name(void **state)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    char name[16];

    (void)state;
    (void)pthread_mutex_lock(&mutex);
    assert_int_equal(thread_start("historian", wait_for_lock, &mutex, &thread), 0);
    assert_int_equal(pthread_getname_np(thread, name, sizeof(name)), 0);
    (void)pthread_mutex_unlock(&mutex);
    (void)pthread_join(thread, NULL);
    assert_string_equal(name, "historian");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_blocks_signals_and_its_maker_does_not),
        cmocka_unit_test(a_thread_is_shown_by_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
