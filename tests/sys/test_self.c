/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "support/fixture_tree.h"
#include "sys/self.h"
#include "sys/self_stat.h"

#define FIELDS_4_TO_19 " 1 2 3 0 -1 4194560 100 0 2 0 7 8 0 0 20 0"

static void stat__takes_its_fields(void **state)
{
    struct self_stat stat;

    (void)state;
    assert_int_equal(self_stat_parse("42 (pmu_exporter) S" FIELDS_4_TO_19
                                     " 2 0 12345 104857600 2560 18446744073709551615 1 1\n",
                                     &stat),
                     0);
    assert_int_equal(stat.threads, 2);
    assert_int_equal(stat.start_ticks, 12345);
    assert_int_equal(stat.virtual_bytes, 104857600);
    assert_int_equal(stat.resident_pages, 2560);
}

static void stat__is_not_fooled_by_a_hostile_name(void **state)
{
    struct self_stat stat;

    (void)state;
    assert_int_equal(self_stat_parse("42 (a) R 1 2 3 4 5\n) ( \xff) S" FIELDS_4_TO_19
                                     " 3 0 12345 1 2 3\n",
                                     &stat),
                     0);
    assert_int_equal(stat.threads, 3);
    assert_int_equal(stat.start_ticks, 12345);
}

static void stat__may_end_with_the_last_field_of_these(void **state)
{
    struct self_stat stat;

    (void)state;
    assert_int_equal(self_stat_parse("42 (x) S" FIELDS_4_TO_19 " 3 0 12345 1 99", &stat), 0);
    assert_int_equal(stat.resident_pages, 99);
}

static void stat__refuses_what_is_cut_or_no_number(void **state)
{
    static const char *const texts[] = {
        "",
        "42 pmu_exporter S 1 2 3",
        "42 (x)",
        "42 (x) S" FIELDS_4_TO_19 " 3 0 12345 1",
        "42 (x) S" FIELDS_4_TO_19 " -3 0 12345 1 99",
        "42 (x) S" FIELDS_4_TO_19 " 3 0 1x 1 99",
        "42 (x) S" FIELDS_4_TO_19 " 3 0 12345  99",
        "42 (x) S" FIELDS_4_TO_19 " 3 0 99999999999999999999 1 99",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct self_stat stat = {.threads = 77};

        assert_int_equal(self_stat_parse(texts[i], &stat), -EINVAL);
        assert_int_equal(stat.threads, 77);
    }
}

static struct self_stats read_self(void)
{
    AUTO_CLOSE int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct self_stats stats;

    assert_int_equal(self_stats_read(procfs, &stats), 0);
    return stats;
}

static void stats__are_plausible(void **state)
{
    struct self_stats stats = read_self();
    struct rlimit limit;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    assert_int_equal(stats.max_fds, limit.rlim_cur);
    assert_true(stats.resident_bytes > 100 * 1024);
    assert_true(stats.virtual_bytes > stats.resident_bytes);
    assert_int_equal(stats.threads, 1);
    assert_true(stats.cpu_ns > 0);
}

static void stats__count_descriptors(void **state)
{
    uint64_t before = read_self().open_fds;
    int fds[5];

    (void)state;
    for (size_t i = 0; i < 5; i++)
        fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_int_equal(read_self().open_fds, before + 5);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(close(fds[i]), 0);
    assert_int_equal(read_self().open_fds, before);
}

/* Before Linux 6.2 /proc/self/fd has no size, as /proc/self/fdinfo has none today. */
static void stats__list_descriptors_where_the_directory_has_no_size(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    struct self_stats stats;
    struct stat directory;

    (void)state;
    fixture_tree_write(&procfs, "self/stat", "42 (x) S" FIELDS_4_TO_19 " 3 0 1 1 99\n");
    assert_int_equal(symlinkat("/proc/self/fdinfo", procfs.fd, "self/fd"), 0);
    assert_int_equal(fstatat(procfs.fd, "self/fd", &directory, 0), 0);
    assert_int_equal(directory.st_size, 0);
    assert_int_equal(self_stats_read(procfs.fd, &stats), 0);
    assert_int_equal(stats.open_fds,
                     read_self().open_fds - 1); /* read_self() has /proc open, too */
    assert_int_equal(stats.threads, 3);
    fixture_tree_close(&procfs);
}

/* CPU time, not the time that passes: a busy machine may give us little of it. */
static uint64_t cpu_ns(void)
{
    struct timespec now;

    assert_int_equal(clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now), 0);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void stats__have_cpu_time_that_grows_with_work(void **state)
{
    const uint64_t before = read_self().cpu_ns, began = cpu_ns();
    uint64_t used, after;

    (void)state;
    while (cpu_ns() - began < NS_PER_SECOND / 50)
        ;
    used = read_self().cpu_ns - before;
    after = cpu_ns() - began;
    assert_in_range(used, NS_PER_SECOND / 100, after + NS_PER_SECOND / 100);
}

static void stats__have_a_start_that_stands(void **state)
{
    uint64_t start = read_self().start_time_realtime_ns, now = clock_realtime_ns();
    const struct timespec pause = {.tv_nsec = 1000000};

    (void)state;
    assert_in_range(start, now - 60 * NS_PER_SECOND, now + NS_PER_SECOND / 50);
    for (int i = 0; i < 5; i++) {
        (void)nanosleep(&pause, NULL);
        assert_int_equal(read_self().start_time_realtime_ns, start);
    }
}

static void *wait_for_end(void *lock)
{
    assert_int_equal(pthread_mutex_lock(lock), 0);
    assert_int_equal(pthread_mutex_unlock(lock), 0);
    return NULL;
}

static void stats__count_threads(void **state)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    uint64_t before = read_self().threads;
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_mutex_lock(&lock), 0);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_end, &lock), 0);
    assert_int_equal(read_self().threads, before + 1);
    assert_int_equal(pthread_mutex_unlock(&lock), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void stats__are_refused_where_procfs_is_not(void **state)
{
    struct fixture_tree procfs = fixture_tree_open();
    struct self_stats stats = {.threads = 77};

    (void)state;
    assert_int_equal(self_stats_read(procfs.fd, &stats), -ENOENT);
    fixture_tree_write(&procfs, "self/stat", "nonsense\n");
    assert_int_equal(self_stats_read(procfs.fd, &stats), -EINVAL);
    assert_int_equal(stats.threads, 77);
    fixture_tree_close(&procfs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stat__takes_its_fields),
        cmocka_unit_test(stat__is_not_fooled_by_a_hostile_name),
        cmocka_unit_test(stat__may_end_with_the_last_field_of_these),
        cmocka_unit_test(stat__refuses_what_is_cut_or_no_number),
        cmocka_unit_test(stats__are_plausible),
        cmocka_unit_test(stats__count_descriptors),
        cmocka_unit_test(stats__list_descriptors_where_the_directory_has_no_size),
        cmocka_unit_test(stats__have_cpu_time_that_grows_with_work),
        cmocka_unit_test(stats__have_a_start_that_stands),
        cmocka_unit_test(stats__count_threads),
        cmocka_unit_test(stats__are_refused_where_procfs_is_not),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
