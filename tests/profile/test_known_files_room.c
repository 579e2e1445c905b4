/* SPDX-License-Identifier: Apache-2.0 */

/* What is kept of where functions start, and of functions, has bounds. */
#include "profile/known_files_fixture.h"

#define AGAIN (61 * SECOND) /* later than this a file without room is read again */

/* Takes a sample in a file, which is read for it: the function's number. */
static uint32_t sample(const struct fixture *f, uint32_t number, uint64_t now_ns)
{
    const struct file_use use = {.now_ns = now_ns};
    uint32_t function = 0;

    if (!known_files_function(f->files, number, FUNCTION, &use, &function)) {
        (void)read_all(f, now_ns);
        assert_true(known_files_function(f->files, number, FUNCTION, &use, &function));
    }
    return function;
}

/* Three files; there is room for as many of them. */
static void find_three(struct fixture *f, size_t n_with_room, uint32_t numbers[3])
{
    struct known_files_figures figures;
    size_t without_starts, with_starts;

    copy(f, "a", 'a');
    copy(f, "b", 'b');
    copy(f, "c", 'c');
    numbers[0] = find(f, "a");
    numbers[1] = find(f, "b");
    numbers[2] = find(f, "c");
    known_files_figures(f->files, &figures);
    without_starts = figures.bytes;
    (void)sample(f, numbers[0], SECOND);
    with_starts = known_file_of(f->files, numbers[0])->table->n_starts * sizeof(uint32_t);
    known_files_figures(f->files, &figures);
    assert_true(with_starts > 0 && figures.bytes >= without_starts + with_starts);
    f->files->setup.starts_bytes = n_with_room * with_starts;
}

static size_t n_of(const struct fixture *f, enum file_state state)
{
    struct known_files_figures figures;

    known_files_figures(f->files, &figures);
    return figures.n[state];
}

static uint64_t without_room(const struct fixture *f)
{
    struct known_files_figures figures;

    known_files_figures(f->files, &figures);
    return figures.without_room;
}

static void file__that_finds_no_room__has_that_of_the_one_that_is_out_of_use(void **state)
{
    struct fixture *f = *state;
    uint32_t numbers[3], function;

    find_three(f, 2, numbers);
    function = sample(f, numbers[0], SECOND);
    (void)sample(f, numbers[1], 10 * SECOND);
    (void)sample(f, numbers[2], 35 * SECOND);
    assert_int_equal(n_of(f, FILE_READ), 2);
    assert_null(known_file_of(f->files, numbers[0])->table);
    assert_int_equal(f->arrays.files[numbers[0]].pages.both, 0);
    assert_int_equal(without_room(f), 0);
    assert_int_equal(sample(f, numbers[0], 50 * SECOND), function); /* instead of b */
    assert_non_null(known_file_of(f->files, numbers[0])->table);
    assert_null(known_file_of(f->files, numbers[1])->table);
}

static void file__that_finds_all_room_in_use__is_refused_and_tried_again(void **state)
{
    struct fixture *f = *state;
    uint32_t numbers[3];

    find_three(f, 2, numbers);
    (void)sample(f, numbers[1], 2 * SECOND);
    (void)sample(f, numbers[2], 3 * SECOND);
    assert_int_equal(n_of(f, FILE_REFUSED), 1);
    assert_int_equal(without_room(f), 1);
    assert_int_equal(f->arrays.files[numbers[2]].pages.both, 0);
    (void)sample(f, numbers[2], 3 * SECOND + AGAIN);
    assert_int_equal(n_of(f, FILE_REFUSED), 0);
    assert_int_not_equal(f->arrays.files[numbers[2]].pages.both, 0);
}

static void file__of_more_functions_than_there_is_room_for__is_refused_as_too_large(void **state)
{
    struct fixture *f = *state;
    enum object_outcome outcome = OBJECT_READ;
    uint32_t numbers[3];
    char *path;

    find_three(f, 0, numbers);
    (void)sample(f, numbers[1], 2 * SECOND);
    path = known_files_take_refused(f->files, &outcome);
    assert_non_null(path);
    assert_string_equal(strrchr(path, '/'), "/b");
    assert_int_equal(outcome, OBJECT_TOO_LARGE);
    free(path);
    (void)sample(f, numbers[1], 2 * SECOND + AGAIN);
    assert_int_equal(n_of(f, FILE_REFUSED), 1);
}

static void function__that_finds_no_room_in_the_store__gets_it_later(void **state)
{
    struct fixture *f = *state;
    uint32_t number, folded;
    char name[16];

    copy(f, "a", 'a');
    number = find(f, "a");
    for (size_t i = 0; i < roomy.functions; i++) {
        (void)snprintf(name, sizeof(name), "f%zu", i);
        folded = profile_store_function(f->store, PROFILE_USER, "x", name);
    }
    assert_int_equal(sample(f, number, SECOND), folded);
    assert_null(known_file_of(f->files, number)->functions);
    assert_int_equal(known_file_of(f->files, number)->n_wanted, 0);
    profile_store_tick(f->store, BEGIN); /* none of them has samples */
    assert_int_not_equal(sample(f, number, SECOND), folded);
}

/* All numbers of the store are given to others, as none has samples. */
static void renumber(const struct fixture *f)
{
    char name[16];

    for (size_t i = 0; i < roomy.functions; i++) {
        (void)snprintf(name, sizeof(name), "f%zu", i);
        (void)profile_store_function(f->store, PROFILE_USER, "x", name);
    }
    profile_store_tick(f->store, BEGIN);
}

static void names_of_a_job__go_to_no_function_that_has_the_number_by_now(void **state)
{
    struct fixture *f = *state;
    const struct file_use use = {.now_ns = SECOND};
    struct object_result of = {.outcome = OBJECT_READ};
    struct known_files_figures figures;
    struct work_result result;
    struct object_job job;
    uint32_t number, function, other;

    copy(f, "a", 'a');
    number = find(f, "a");
    known_files_want(f->files, number, &use);
    assert_true(read_all(f, SECOND) > 0); /* its table */
    assert_true(known_files_function(f->files, number, FUNCTION, &use, &function));
    assert_true(known_files_next_job(f->files, MINUTE, &job)); /* its names */
    result = do_work(&(struct worker_job){.kind = job.kind,
                                          .fd = job.fd,
                                          .debug_fd = job.debug_fd,
                                          .starts = job.starts,
                                          .n_starts = job.n_starts});
    (void)close(job.fd);
    renumber(f);
    other = profile_store_unnamed(f->store, PROFILE_USER, "other", "0x1234");
    for (size_t i = 0; i < roomy.functions && other != function; i++)
        other = profile_store_unnamed(f->store, PROFILE_USER, "other", "0x1234");
    assert_int_equal(other, function);
    of.bytes = result.bytes;
    of.n = result.n;
    known_files_take(f->files, &of, MINUTE);
    free(result.bytes);
    profile_store_add(f->store, 0, BEGIN, &(struct profile_stack){&other, 1, PROFILE_NO_PLACE});
    {
        AUTO(profile_tree)
        struct profile_tree *tree = tree_of(f->store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);

        assert_tree(tree, "0x1234 1\n");
    }
    known_files_figures(f->files, &figures);
    assert_int_equal(figures.outcomes[OBJECT_KILLED], 0);
}

/* It is made room for, and keeps its own. */
static void file__that_is_mapped_again_where_there_is_little_room__keeps_its_functions(void **state)
{
    struct fixture *f = *state;
    uint32_t numbers[3], function;

    find_three(f, 2, numbers);
    function = sample(f, numbers[0], SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND); /* nobody has them mapped */
    numbers[1] = find(f, "b");
    numbers[2] = find(f, "c");
    (void)sample(f, numbers[1], 2 * SECOND);
    (void)sample(f, numbers[2], 20 * SECOND);
    assert_int_equal(find(f, "a"), numbers[0]);
    for (size_t i = 0; i < 3; i++) /* its own use is the longest ago */
        known_files_want(f->files, numbers[i], &(struct file_use){.now_ns = (21 + i) * SECOND});
    (void)read_all(f, 100 * SECOND); /* it comes to its turn late */
    assert_int_equal(sample(f, numbers[0], 100 * SECOND), function);
}

static void functions__whose_numbers_others_have_now__are_forgotten_without_a_sample(void **state)
{
    struct fixture *f = *state;
    uint32_t number;

    copy(f, "a", 'a');
    number = find(f, "a");
    (void)sample(f, number, SECOND);
    assert_non_null(known_file_of(f->files, number)->functions);
    renumber(f);
    known_files_sweep(f->files, SECOND);
    assert_null(known_file_of(f->files, number)->functions);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(file__that_finds_no_room__has_that_of_the_one_that_is_out_of_use),
        TEST(file__that_finds_all_room_in_use__is_refused_and_tried_again),
        TEST(file__of_more_functions_than_there_is_room_for__is_refused_as_too_large),
        TEST(function__that_finds_no_room_in_the_store__gets_it_later),
        TEST(names_of_a_job__go_to_no_function_that_has_the_number_by_now),
        TEST(file__that_is_mapped_again_where_there_is_little_room__keeps_its_functions),
        TEST(functions__whose_numbers_others_have_now__are_forgotten_without_a_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
