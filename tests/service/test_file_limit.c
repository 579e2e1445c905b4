/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "service/file_limit.h"

static void limit(rlim_t soft, rlim_t hard)
{
    const struct rlimit files = {.rlim_cur = soft, .rlim_max = hard};

    assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
}

static const struct file_wishes counters = {0};
static const struct file_wishes all = {.history = true, .bpf = true, .profiles = true, .cpus = 4};

static void the_soft_limit_is_raised_and_shared(void **state)
{
    struct file_limit files;

    (void)state;
    limit(256, 800);
    assert_int_equal(file_limit_init(&files, 1), 0);
    file_limit_share(&files, &counters);
    assert_int_equal(files.limit, 800);
    assert_int_equal(files.connections, 100);
    assert_true(files.descriptors > 600 && files.descriptors < 700);
    assert_false(file_limit_has_changed(&files));
}

static void
a_lower_limit_leaves_less_to_the_collector_and_the_table_of_connections_as_it_is(void **state)
{
    struct file_limit files;
    size_t before;

    (void)state;
    limit(800, 800);
    assert_int_equal(file_limit_init(&files, 1), 0);
    file_limit_share(&files, &counters);
    before = files.descriptors;
    limit(400, 800);
    assert_true(file_limit_has_changed(&files));
    file_limit_share(&files, &counters);
    assert_true(files.descriptors < before && files.descriptors > 300);
    assert_int_equal(files.connections, 100);
    assert_false(file_limit_has_changed(&files));
    limit(800, 800);
    assert_true(file_limit_has_changed(&files));
    file_limit_share(&files, &counters);
    assert_int_equal(files.descriptors, before);
}

/* Whatever has room leaves some counters; bpf comes first. */
static void what_has_no_room_is_left_out_and_comes_back(void **state)
{
    static const struct {
        rlim_t limit;
        bool has_bpf, has_profiles;
    } cases[] = {{64, false, false}, {128, false, true}, {176, true, false},
                 {256, true, true},  {64, false, false}, {800, true, true}};
    struct file_limit files;

    (void)state;
    limit(800, 800);
    assert_int_equal(file_limit_init(&files, 1), 0);
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        limit(cases[i].limit, 800);
        assert_true(file_limit_has_changed(&files));
        file_limit_share(&files, &all);
        assert_int_equal(files.has_bpf, cases[i].has_bpf);
        assert_int_equal(files.has_profiles, cases[i].has_profiles);
        assert_true(files.descriptors >= 12);
    }
}

static void a_bpf_of_more_programs_needs_more(void **state)
{
    struct file_wishes wishes = all;
    struct file_limit files;

    (void)state;
    limit(192, 800);
    assert_true(file_limit_init(&files, 1) == 0 && files.limit == 800);
    limit(192, 800);
    assert_true(file_limit_has_changed(&files));
    wishes.observers = 5;
    file_limit_share(&files, &wishes);
    assert_false(files.has_bpf);
}

/* Nobody could count by the new limit: the change is found again, but not at once. */
static void a_change_that_could_not_be_followed_waits(void **state)
{
    struct file_limit files;

    (void)state;
    limit(800, 800);
    assert_int_equal(file_limit_init(&files, 1), 0);
    limit(400, 800);
    assert_true(file_limit_has_changed(&files));
    file_limit_retry(&files);
    assert_int_equal(files.limit, 800);
    assert_false(file_limit_has_changed(&files));
    files.wait = (struct growing_wait){0};
    assert_true(file_limit_has_changed(&files));
    assert_int_equal(files.limit, 400);
}

/* It comes last: a hard limit is not raised again without rights. */
static void a_limit_under_which_nothing_could_be_counted_is_refused(void **state)
{
    struct file_limit files;

    (void)state;
    limit(63, 63);
    assert_int_equal(file_limit_init(&files, 1), -EMFILE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_soft_limit_is_raised_and_shared),
        cmocka_unit_test(
            a_lower_limit_leaves_less_to_the_collector_and_the_table_of_connections_as_it_is),
        cmocka_unit_test(what_has_no_room_is_left_out_and_comes_back),
        cmocka_unit_test(a_bpf_of_more_programs_needs_more),
        cmocka_unit_test(a_change_that_could_not_be_followed_waits),
        cmocka_unit_test(a_limit_under_which_nothing_could_be_counted_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
