/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A child records as fast as it can and is killed at random moments, so that kills fall into
 * writing and thinning out. PMU_TEST_KILLS says how often (20), PMU_TEST_SEED by which numbers.
 */
#include "history/store_fixture.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* What was recorded so many seconds before is stored: a chunk has about a minute. */
#define STORED_AFTER_S 62
#define LOOK_BACK_S    1000
#define LONGEST_US     30000

/* What the child tells, also after its end. */
struct progress {
    volatile uint64_t begun_s; /* the first second of this child */
    volatile uint64_t done_s;  /* the last second that it has recorded */
};

static struct progress *progress;

static int set_up(void **state)
{
    (void)state;
    fixture_directory_make();
    progress =
        mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(progress != MAP_FAILED);
    progress->done_s = BEGIN_S;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)munmap(progress, sizeof(*progress));
    fixture_directory_remove();
    return 0;
}

static uint64_t number_of(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : otherwise;
}

/* Goes on where the child before was killed, as another birth of the same target. */
_Noreturn static void record_for_ever(void)
{
    struct store_fixture f;

    fixture_open(&f, fixture_directory);
    fixture_make_account(&f, progress->done_s);
    f.realtime_ns = progress->done_s * NS_PER_SECOND;
    for (;;) {
        fixture_count(&f, 1000, false);
        progress->done_s = f.realtime_ns / NS_PER_SECOND;
    }
}

/* One in four is killed while it opens the databases, or before. */
static void run_and_kill(useconds_t after_us)
{
    const bool opens = random() % 4 == 0;
    pid_t child;

    progress->begun_s = progress->done_s + 1;
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        record_for_ever();
    while (!opens && progress->done_s < progress->begun_s) {
        assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        (void)usleep(100);
    }
    (void)usleep(after_us);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

/* What surely was stored is there, second by second, and right. */
static void check(void)
{
    struct store_fixture f;
    const uint64_t end_s =
                       progress->done_s > STORED_AFTER_S ? progress->done_s - STORED_AFTER_S : 0,
                   start_s = progress->begun_s + LOOK_BACK_S > end_s ? progress->begun_s
                                                                     : end_s - LOOK_BACK_S;
    uint64_t faults = 1;

    fixture_open(&f, fixture_directory);
    assert_false(f.store.status.in_memory);
    assert_int_equal(database_ask(&f.store.past.disk,
                                  "SELECT count(*) FROM pragma_integrity_check"
                                  " WHERE integrity_check != 'ok'",
                                  &faults),
                     0);
    assert_int_equal(faults, 0);
    assert_int_equal(f.store.status.set_aside, 0);
    if (start_s < end_s) {
        AUTO(history_answer) struct history_answer *answer = fixture_ask(&f, start_s, end_s, 1);
        const double *branches = fixture_values(answer, "pmu_cgroup_branches_per_second");

        assert_int_equal(answer->n_times, end_s - start_s);
        for (size_t i = 1; i < answer->n_times; i++)
            assert_true(fabs(branches[i] - 1000) < 1e-6);
    }
    assert_int_equal(f.store.n_damaged, 0);
    fixture_close(&f);
}

static void database__that_is_killed_while_it_is_written__goes_on_whole(void **state)
{
    const uint64_t kills = number_of("PMU_TEST_KILLS", 20);
    uint64_t seed = number_of("PMU_TEST_SEED", (uint64_t)getpid());

    (void)state;
    printf("PMU_TEST_SEED=%llu\n", (unsigned long long)seed);
    srandom((unsigned)seed);
    for (uint64_t i = 0; i < kills; i++) {
        run_and_kill((useconds_t)(random() % LONGEST_US));
        check();
    }
    printf("%llu seconds recorded\n", (unsigned long long)progress->done_s - BEGIN_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(database__that_is_killed_while_it_is_written__goes_on_whole,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
