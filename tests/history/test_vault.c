/* SPDX-License-Identifier: Apache-2.0 */
#include "history/store_fixture.h"

/* Writes over a file, from a place on. */
static void damage(const char *name, long at, const char *bytes, size_t n)
{
    char path[128];
    FILE *file;

    (void)snprintf(path, sizeof(path), "%s/%s", fixture_directory, name);
    file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, at, SEEK_SET), 0);
    assert_int_equal(fwrite(bytes, 1, n, file), n);
    assert_int_equal(fclose(file), 0);
}

static void reopen(struct store_fixture *f)
{
    assert_int_equal(history_store_init(&f->store, &f->options), 0);
    history_store_open(&f->store);
    fixture_make_account(f, 8);
}

/* They could put a symbolic link there, and we would write over what it leads to. */
static void a_directory_that_others_may_write_is_not_used(void **state)
{
    struct store_fixture *f = *state;
    char file[128];

    history_store_done(&f->store);
    (void)snprintf(file, sizeof(file), "%s/history.sqlite", fixture_directory);
    assert_int_equal(unlink(file), 0);
    for (unsigned i = 0; i < 2; i++) { /* with and without the sticky bit */
        assert_int_equal(chmod(fixture_directory, i == 0 ? 0777 : 01777), 0);
        reopen(f);
        assert_true(f->store.status.in_memory);
        assert_non_null(strstr(f->store.status.reason, "others may write"));
        assert_int_equal(access(file, F_OK), -1);
        history_store_done(&f->store);
    }
    assert_int_equal(chmod(fixture_directory, 0750), 0);
    reopen(f);
    assert_false(f->store.status.in_memory);
}

static void database__of_somebody_else_is_set_aside(void **state)
{
    static const char *const changes[] = {"PRAGMA application_id=7", "PRAGMA user_version=99"};
    struct store_fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
        fixture_count_for(f, 70);
        assert_int_equal(database_run(&f->store.past.disk, changes[i]), 0);
        history_store_done(&f->store);
        reopen(f);
        fixture_count_for(f, 3);
        assert_int_equal(f->store.status.set_aside, 1);
        assert_int_equal(f->store.status.in_memory, 0);
        assert_non_null(strstr(f->store.status.set_aside_reason, i ? "version" : "not a database"));
    }
}

static void database__that_is_no_database_is_set_aside(void **state)
{
    struct store_fixture *f = *state;

    fixture_count_for(f, 70);
    history_store_done(&f->store);
    damage("history.sqlite", 0, "This is a text, and no database at all", 38);
    reopen(f);
    fixture_count_for(f, 70);
    assert_int_equal(f->store.status.set_aside, 1);
    assert_int_equal(f->store.status.in_memory, 0);
    assert_true(f->store.status.bytes > 0);
}

static void database__that_is_damaged_anywhere_never_stops_it(void **state)
{
    struct store_fixture *f = *state;
    char path[128];
    struct stat stat_of;

    (void)snprintf(path, sizeof(path), "%s/history.sqlite", fixture_directory);
    for (long at = 0; at < 16; at++) {
        AUTO(history_targets) struct history_targets *targets = NULL;

        fixture_count_for(f, 130);
        history_store_done(&f->store);
        assert_int_equal(stat(path, &stat_of), 0);
        if (at % 2)
            damage("history.sqlite", stat_of.st_size * at / 16,
                   "\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8 some bytes of somebody else \xff\xff\xff", 40);
        else
            assert_int_equal(truncate(path, stat_of.st_size * at / 16), 0);
        reopen(f);
        fixture_count_for(f, 70);
        assert_int_equal(history_store_targets(&f->store, 0, UINT64_MAX, &targets), 0);
        assert_int_equal(targets->n_targets, 1);
        fixture_count_for(f, 70);
        assert_int_equal(f->store.status.in_memory, 0);
    }
}

static void database__that_turns_out_damaged_is_set_aside_and_what_can_be_read_is_kept(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;

    fixture_count_for(f, 180);
    vault_failed(&f->store.past, &f->store.past.disk, -EBADMSG);
    fixture_count_for(f, 2);
    assert_int_equal(f->store.status.set_aside, 1);
    assert_int_equal(f->store.status.in_memory, 0);
    assert_string_equal(f->store.status.set_aside_reason, "it is damaged");
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, 1);
    assert_int_equal(answer->n_times, 182);
}

static void database__that_another_process_has_is_left_alone(void **state)
{
    struct store_fixture *f = *state;
    struct history_store second;

    fixture_count_for(f, 3);
    assert_int_equal(history_store_init(&second, &f->options), 0);
    history_store_open(&second);
    assert_int_equal(second.status.in_memory, 1);
    assert_non_null(strstr(second.status.reason, "another process"));
    assert_int_equal(second.status.set_aside, 0);
    history_store_done(&second);
    fixture_count_for(f, 70);
    assert_int_equal(f->store.status.in_memory, 0);
}

static void database__whose_directory_was_removed_is_made_again(void **state)
{
    struct store_fixture *f = *state;

    fixture_count_for(f, 70);
    fixture_directory_remove();
    fixture_count_for(f, 70);
    assert_int_equal(f->store.status.in_memory, 0);
    assert_int_equal(access(f->store.past.disk.path, F_OK), 0);
}

static void memory__takes_over_while_the_disk_is_of_no_use_and_gives_back(void **state)
{
    struct store_fixture *f = *state;
    AUTO(history_answer) struct history_answer *answer = NULL;
    uint64_t id = 0;
    AUTO(history_marks) struct history_marks *marks = NULL;

    fixture_count_for(f, 70);
    vault_failed(&f->store.past, &f->store.past.disk, -ENOSPC);
    vault_failed(&f->store.runs, &f->store.runs.disk, -ENOSPC);
    assert_int_equal(history_store_add_mark(&f->store, 5, "full", &id), 0);
    fixture_count_for(f, 70);
    assert_int_equal(f->store.status.in_memory, 1);
    assert_string_equal(f->store.status.reason, "the disk is full");
    assert_true(f->store.status.write_errors > 0);
    f->store.past.next_try_ns = f->store.runs.next_try_ns = 0;
    fixture_count_for(f, 70);
    assert_int_equal(f->store.status.in_memory, 0);
    answer = fixture_ask(f, BEGIN_S, BEGIN_S + 1000, 1);
    assert_int_equal(answer->n_times, 210);
    assert_int_equal(history_store_list_marks(&f->store, 0, UINT64_MAX, &marks), 0);
    assert_int_equal(marks->n_marks, 1);
    assert_null(f->store.runs.memory.handle);
}

/* Fails the disk of runs and marks, or brings it back. */
static void fail_runs(struct store_fixture *f, bool fails)
{
    if (fails)
        vault_failed(&f->store.runs, &f->store.runs.disk, -ENOSPC);
    f->store.runs.next_try_ns = fails ? UINT64_MAX : 0;
    vault_check(&f->store.runs);
    assert_int_equal(vault_is_in_memory(&f->store.runs), fails);
}

static void runs_and_marks__keep_their_numbers_when_they_move_to_the_disk(void **state)
{
    struct store_fixture *f = *state;
    struct history_run run = {.title = (char *)"on disk", .meta = (char *)"{}"};
    AUTO(history_runs) struct history_runs *runs = NULL;
    AUTO(history_marks) struct history_marks *marks = NULL;
    uint64_t ids[3], mark[2];

    assert_int_equal(history_store_add_run(&f->store, &run, &ids[0]), 0);
    for (size_t i = 1; i < 3; i++) { /* it goes on while its disk comes back */
        fail_runs(f, true);
        run.title = (char *)"in memory";
        assert_int_equal(history_store_add_run(&f->store, &run, &ids[i]), 0);
        assert_int_equal(history_store_add_mark(&f->store, i, "mark", &mark[i - 1]), 0);
        fail_runs(f, false);
        run.id = ids[i];
        run.title = (char *)"ended";
        assert_int_equal(history_store_update_run(&f->store, &run), 0);
    }
    assert_int_equal(history_store_list_runs(&f->store, &runs), 0);
    assert_int_equal(runs->n_runs, 3);
    for (size_t i = 0; i < 3; i++) {
        AUTO(history_runs) struct history_runs *one = NULL;

        assert_int_equal(history_store_get_run(&f->store, ids[i], &one), 0);
        assert_string_equal(one->runs[0].title, i == 0 ? "on disk" : "ended");
    }
    assert_int_equal(history_store_list_marks(&f->store, 0, UINT64_MAX, &marks), 0);
    assert_int_equal(marks->n_marks, 2);
    assert_true(marks->marks[0].id == mark[0] && marks->marks[1].id == mark[1]);
}

static void run__whose_disk_fails_is_completed_in_memory_and_then_there(void **state)
{
    struct store_fixture *f = *state;
    char data[] = "rows";
    struct history_run run = {.start_ns = 5, .title = (char *)"a", .meta = (char *)"{}"};
    uint64_t id;

    assert_int_equal(history_store_add_run(&f->store, &run, &run.id), 0);
    assert_int_equal(history_store_add_run(&f->store, &run, &id), 0);
    fail_runs(f, true);
    run.title = (char *)"ended";
    run.data = data;
    run.data_bytes = sizeof(data);
    assert_int_equal(history_store_complete_run(&f->store, &run), 0);
    for (size_t i = 0; i < 2; i++) { /* in memory, and on the disk */
        AUTO(history_runs) struct history_runs *one = NULL, *runs = NULL;

        assert_int_equal(history_store_get_run(&f->store, run.id, &one), 0);
        assert_string_equal(one->runs[0].title, "ended");
        assert_memory_equal(one->runs[0].data, data, sizeof(data));
        assert_int_equal(history_store_list_runs(&f->store, &runs), 0);
        assert_int_equal(runs->n_runs, i == 0 ? 1 : 2);
        if (i == 0)
            fail_runs(f, false);
    }
    assert_int_equal(history_store_delete_run(&f->store, run.id), 0);
    assert_int_equal(history_store_complete_run(&f->store, &run), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_directory_that_others_may_write_is_not_used),
        TEST(database__of_somebody_else_is_set_aside),
        TEST(database__that_is_no_database_is_set_aside),
        TEST(database__that_is_damaged_anywhere_never_stops_it),
        TEST(database__that_turns_out_damaged_is_set_aside_and_what_can_be_read_is_kept),
        TEST(database__that_another_process_has_is_left_alone),
        TEST(database__whose_directory_was_removed_is_made_again),
        TEST(memory__takes_over_while_the_disk_is_of_no_use_and_gives_back),
        TEST(runs_and_marks__keep_their_numbers_when_they_move_to_the_disk),
        TEST(run__whose_disk_fails_is_completed_in_memory_and_then_there),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
