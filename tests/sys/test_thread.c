/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread.h"

#include <linux/capability.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
    assert_int_equal(thread_start("test", THREAD_HAS_ALL, look_at_signals, &within, &thread), 0);
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
    assert_int_equal(thread_start("historian", THREAD_HAS_NONE, wait_for_lock, &mutex, &thread), 0);
    assert_int_equal(pthread_getname_np(thread, name, sizeof(name)), 0);
    (void)pthread_mutex_unlock(&mutex);
    (void)pthread_join(thread, NULL);
    assert_string_equal(name, "historian");
}

static uint32_t permitted_capabilities(void)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0}};

    assert_int_equal(syscall(SYS_capget, &header, data), 0);
    assert_int_equal(data[0].effective, data[0].permitted);
    return data[0].permitted;
}

static void *look_at_capabilities(void *context)
{
    *(uint32_t *)context = permitted_capabilities();
    return NULL;
}

static uint32_t capabilities_of(enum thread_rights rights)
{
    uint32_t permitted = 0;
    pthread_t thread;

    assert_int_equal(thread_start("test", rights, look_at_capabilities, &permitted, &thread), 0);
    (void)pthread_join(thread, NULL);
    return permitted;
}

static void a_thread_has_the_capabilities_that_it_needs_and_its_maker_keeps_its_own(void **state)
{
    const uint32_t all = permitted_capabilities();
    const uint32_t for_files = UINT32_C(1) << CAP_CHOWN | UINT32_C(1) << CAP_DAC_OVERRIDE |
                               UINT32_C(1) << CAP_DAC_READ_SEARCH | UINT32_C(1) << CAP_FOWNER;

    (void)state;
    if ((all & for_files) != for_files || all == for_files) {
        print_message("skipped: only root has capabilities to give up\n");
        skip();
    }
    assert_int_equal(capabilities_of(THREAD_HAS_NONE), 0);
    assert_int_equal(capabilities_of(THREAD_HAS_FILES), for_files);
    assert_int_equal(capabilities_of(THREAD_HAS_ALL), all);
    assert_int_equal(permitted_capabilities(), all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_blocks_signals_and_its_maker_does_not),
        cmocka_unit_test(a_thread_is_shown_by_its_name),
        cmocka_unit_test(a_thread_has_the_capabilities_that_it_needs_and_its_maker_keeps_its_own),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
