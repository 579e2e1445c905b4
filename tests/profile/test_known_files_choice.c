/* SPDX-License-Identifier: Apache-2.0 */

/* Whose files are read first, and what is told of those that are refused. */
#include "profile/known_files_fixture.h"
#include "profile/object_message.h"

/* A sample of a cgroup has ended in a file. */
static void want(const struct fixture *f, const char *name, uint32_t cgroup, uint64_t now_ns)
{
    const struct file_use use = {.cgroup = cgroup, .now_ns = now_ns};

    known_files_want(f->files, find(f, name), &use);
}

/* The next file to be read is this one; it is refused after so long, in which the reader has waited
 * for a disk. */
static void expect_next(const struct fixture *f, const char *name, uint64_t now_ns, uint64_t job_ns)
{
    const struct object_result refused = {.outcome = OBJECT_KILLED};
    struct stat wanted, found;
    struct object_job job;

    assert_true(known_files_next_job(f->files, now_ns, &job));
    assert_int_equal(fstatat(f->tree.fd, name, &wanted, 0), 0);
    assert_int_equal(fstat(job.fd, &found), 0);
    assert_int_equal(found.st_ino, wanted.st_ino);
    known_files_take(f->files, &refused, now_ns + job_ns);
    (void)close(job.fd);
}

static void whoever_has_slow_files_read__comes_after_the_others(void **state)
{
    const struct fixture *f = *state;

    for (char name[] = "a"; name[0] <= 'h'; name[0]++)
        copy(f, name, name[0]);
    want(f, "a", 1, SECOND);
    want(f, "b", 1, 2 * SECOND);
    want(f, "c", 1, 3 * SECOND); /* both have it mapped */
    want(f, "d", 2, 4 * SECOND);
    want(f, "c", 2, 5 * SECOND);
    expect_next(f, "a", 6 * SECOND, 10 * SECOND);
    want(f, "c", 2, 7 * SECOND);
    expect_next(f, "c", 8 * SECOND, SECOND / 10);
    expect_next(f, "d", 8 * SECOND, SECOND / 10);
    expect_next(f, "b", 8 * SECOND, 0);

    want(f, "e", 1, 9 * SECOND);
    want(f, "f", 2, 10 * SECOND);
    expect_next(f, "f", 10 * SECOND, SECOND / 10); /* not forgotten yet */
    for (unsigned i = 1; i <= 5; i++) {
        (void)find(f, "e"); /* it is still mapped */
        known_files_sweep(f->files, UINT64_C(100) * i * SECOND);
    }
    want(f, "g", 2, 600 * SECOND);
    expect_next(f, "e", 600 * SECOND, 0);
    expect_next(f, "g", 600 * SECOND, 0);
}

/* They come before the table of a file of the same cgroup, which has spent much. */
static void names__that_somebody_waits_for__come_before_what_was_spent_is_looked_at(void **state)
{
    const struct file_use use = {.cgroup = 1, .now_ns = SECOND};
    const struct fixture *f = *state;
    bool is_waited_for[64] = {false};
    uint32_t function;

    for (char name[] = "a"; name[0] <= 'c'; name[0]++)
        copy(f, name, name[0]);
    want(f, "a", 1, SECOND);
    assert_int_equal(read_all(f, SECOND), 1);
    assert_true(known_files_function(f->files, find(f, "a"), FUNCTION, &use, &function));
    assert_true(function < ARRAY_SIZE(is_waited_for));
    want(f, "b", 1, SECOND);
    expect_next(f, "b", SECOND, 10 * SECOND);
    assert_true(read_all(f, SECOND) == 0); /* names are not due yet */
    is_waited_for[function] = true;
    known_files_hurry(f->files, is_waited_for, ARRAY_SIZE(is_waited_for));
    want(f, "c", 1, SECOND);
    expect_next(f, "a", SECOND, 0);
    expect_next(f, "c", SECOND, 0);
}

/* What the reader has made of a file with more rules than one may have. */
struct table_of_many_rules {
    struct object_table_head head;
    struct object_row row;
    struct unwind_rule rules[RULES / 4 + 1];
} __attribute__((packed));

static void file__with_more_rules_than_one_may_have__is_refused_and_told(void **state)
{
    struct table_of_many_rules table = {.head = {.mark = OBJECT_TABLE_MARK,
                                                 .n_segments = 1,
                                                 .has_unwind = 1,
                                                 .n_rows = 1,
                                                 .n_rules = ARRAY_SIZE(table.rules),
                                                 .segments = {{0, 0, 0x1000}}},
                                        .row = {0x10, 0}};
    const struct object_result result = {
        .outcome = OBJECT_READ, .bytes = (const char *)&table, .n = sizeof(table)};
    const struct fixture *f = *state;
    struct known_files_figures figures;
    enum object_outcome outcome;
    struct object_job job;
    AUTO_FREE char *path = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(table.rules); i++)
        table.rules[i] = (struct unwind_rule){.cfa = UNWIND_CFA_SP, .cfa_offset = (int16_t)i};
    copy(f, "a", 'a');
    want(f, "a", 1, SECOND);
    assert_true(known_files_next_job(f->files, SECOND, &job));
    known_files_take(f->files, &result, SECOND);
    (void)close(job.fd);
    path = known_files_take_refused(f->files, &outcome);
    assert_non_null(path);
    assert_string_equal(strrchr(path, '/'), "/a");
    assert_int_equal(outcome, OBJECT_TOO_LARGE);
    known_files_figures(f->files, &figures);
    assert_int_equal(figures.outcomes[OBJECT_TOO_LARGE], 1);
    assert_int_equal(figures.outcomes[OBJECT_READ], 0);
    assert_int_equal(figures.n[FILE_REFUSED], 1);
}

static void refused_file__is_told_once(void **state)
{
    const struct fixture *f = *state;
    enum object_outcome outcome;
    AUTO_FREE char *path = NULL;

    for (char name[] = "a"; name[0] <= 'b'; name[0]++) {
        copy(f, name, name[0]);
        want(f, name, 1, SECOND);
    }
    assert_null(known_files_take_refused(f->files, &outcome));
    expect_next(f, "a", SECOND, 0);
    expect_next(f, "b", SECOND, 0);
    path = known_files_take_refused(f->files, &outcome);
    assert_string_equal(strrchr(path, '/'), "/a");
    assert_int_equal(outcome, OBJECT_KILLED);
    assert_null(known_files_take_refused(f->files, &outcome));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(whoever_has_slow_files_read__comes_after_the_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            names__that_somebody_waits_for__come_before_what_was_spent_is_looked_at, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            file__with_more_rules_than_one_may_have__is_refused_and_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_file__is_told_once, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
