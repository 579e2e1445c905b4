/* SPDX-License-Identifier: Apache-2.0 */

/* Each allocation of a worker, and of who takes its result, fails once. */
#include <errno.h>

#include "support/check.h"

#include "profile/object_table.h"
#include "profile/object_work.h"
#include "support/failing_memory.h"

static const char map_text[] = "1000 100 old\n1040 20 new\n2000 10 a b\n";
static const uint32_t starts[] = {0x400, 0x500, 0x5a0};

/* Does a job without its nth allocation. False: it has fewer of them. */
static bool work_without(const struct worker_job *job, unsigned n)
{
    struct worker_job whole = *job;
    int r;

    whole.output = memory_file("", 0);
    allocations = 0;
    failing = n;
    r = object_worker_run(&whole);
    failing = 0;
    (void)close(whole.output);
    if (allocations < n)
        return false;
    assert_int_equal(r, -ENOMEM);
    return true;
}

static void a_worker_without_memory__says_so(void **state)
{
    const int program = open_fixture("profile/fixtures/frames_x86_64.so");
    const int map = memory_file(map_text, strlen(map_text));
    const struct worker_job jobs[] = {
        {.kind = OBJECT_JOB_TABLE, .fd = program, .debug_fd = -1},
        {.kind = OBJECT_JOB_MAP, .fd = map, .debug_fd = -1},
    };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        unsigned n = 1;

        while (work_without(&jobs[i], n))
            n++;
        assert_true(n > 3);
    }
    (void)close(program);
    (void)close(map);
}

/* A name that could not be demangled for want of memory is shown as it is. */
static void names_without_memory__are_not_told_or_as_they_are(void **state)
{
    const int program = open_fixture("profile/fixtures/frames_x86_64.so");
    const struct worker_job job = {
        .kind = OBJECT_JOB_NAMES, .fd = program, .debug_fd = -1, .starts = starts, .n_starts = 3};
    unsigned n = 0;

    (void)state;
    do {
        struct worker_job whole = job;
        int r;

        whole.output = memory_file("", 0);
        allocations = 0;
        failing = ++n;
        r = object_worker_run(&whole);
        failing = 0;
        (void)close(whole.output);
        assert_true(r == -ENOMEM || r == OBJECT_READ);
    } while (allocations >= n);
    assert_true(n > 3);
    (void)close(program);
}

static void a_result_that_finds_no_memory__is_not_taken(void **state)
{
    const int program = open_fixture("profile/fixtures/frames_x86_64.so");
    const struct worker_job job = {.kind = OBJECT_JOB_TABLE, .fd = program, .debug_fd = -1};
    struct work_result result = do_work(&job);
    struct object_table *table = NULL;
    unsigned n = 0;
    int r;

    (void)state;
    do {
        allocations = 0;
        failing = ++n;
        r = object_table_parse(result.bytes, result.n, &table);
        failing = 0;
        assert_true(r == -ENOMEM || (r == 0 && allocations < n));
        assert_true(r == 0 || !table);
    } while (r < 0);
    (void)object_table_free(table);
    free(result.bytes);
    (void)close(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_worker_without_memory__says_so),
        cmocka_unit_test(names_without_memory__are_not_told_or_as_they_are),
        cmocka_unit_test(a_result_that_finds_no_memory__is_not_taken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
