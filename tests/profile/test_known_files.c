/* SPDX-License-Identifier: Apache-2.0 */

/* Files that come and go: what stays of them for who asks for the code of what was sampled. */
#include "profile/known_files_fixture.h"

/* Takes a sample in the function of a file, which is read for it: the function's number. */
static uint32_t sample(const struct fixture *f, uint32_t number, uint64_t now_ns)
{
    const struct file_use use = {.now_ns = now_ns};
    uint32_t function = 0;

    if (!known_files_function(f->files, number, FUNCTION, &use, &function)) {
        assert_true(read_all(f, now_ns) > 0);
        assert_true(known_files_function(f->files, number, FUNCTION, &use, &function));
    }
    assert_true(f->arrays.files[number].pages.both != 0);
    return function;
}

static bool is_known(const struct fixture *f, uint32_t function)
{
    struct known_code code;

    return known_files_locate(f->files, function, &code);
}

static void sampled_file__that_nobody_has_mapped__is_known_for_an_hour(void **state)
{
    const struct fixture *f = *state;
    uint32_t number, function;

    copy(f, "program", 'a');
    number = find(f, "program");
    function = sample(f, number, SECOND);
    known_files_sweep(f->files, SECOND);
    assert_true(f->arrays.files[number].pages.both != 0); /* it was mapped since the last sweep */
    known_files_sweep(f->files, SECOND);
    assert_true(f->arrays.files[number].pages.both == 0);
    known_files_sweep(f->files, HOUR);
    assert_true(is_known(f, function));
    assert_true(read_all(f, HOUR) > 0); /* also its names */
    known_files_sweep(f->files, HOUR + SECOND);
    assert_false(is_known(f, function));
}

static void file_without_samples__that_nobody_has_mapped__is_forgotten(void **state)
{
    const struct fixture *f = *state;
    struct known_files_figures figures;

    copy(f, "program", 'a');
    (void)find(f, "program");
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_figures(f->files, &figures);
    assert_int_equal(figures.n[FILE_UNREAD], 0);
}

static void file__that_is_mapped_again__is_read_again_and_has_the_same_functions(void **state)
{
    const struct fixture *f = *state;
    uint32_t number, function;

    copy(f, "program", 'a');
    number = find(f, "program");
    function = sample(f, number, SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND);
    assert_int_equal(find(f, "program"), number);
    assert_int_equal(sample(f, number, 2 * SECOND), function);
    assert_true(is_known(f, function));
}

/* The same, when somebody has written over it: as a compiler that is called again. */
static void file__that_is_another_one_when_it_is_mapped_again__has_other_functions(void **state)
{
    const struct fixture *f = *state;
    uint32_t number, function;

    copy(f, "program", 'a');
    number = find(f, "program");
    function = sample(f, number, SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND);
    copy(f, "program", 'b');
    assert_int_equal(find(f, "program"), number);
    assert_int_not_equal(sample(f, number, 2 * SECOND), function);
    assert_false(is_known(f, function));
}

static void code__of_a_file_that_was_written_to_since__is_refused(void **state)
{
    static const struct timespec later[2] = {{.tv_sec = 1}, {.tv_sec = 1}};
    const struct fixture *f = *state;
    struct object_job job;
    struct known_code code;

    copy(f, "program", 'a');
    assert_true(known_files_locate(f->files, sample(f, find(f, "program"), SECOND), &code));
    assert_int_equal(known_files_open_code(f->files, &code, &job), 0);
    (void)close(job.fd);
    assert_int_equal(utimensat(f->tree.fd, "program", later, 0), 0);
    assert_int_equal(known_files_open_code(f->files, &code, &job), -ESTALE);
}

static void too_many_files__are_forgotten_from_the_least_used_on(void **state)
{
    const struct fixture *f = *state;
    uint32_t functions[FILES];

    for (unsigned i = 0; i < FILES; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "program%u", i);
        copy(f, name, (char)('a' + i));
        functions[i] = sample(f, find(f, name), (FILES - i) * SECOND);
    }
    known_files_sweep(f->files, FILES * SECOND);
    known_files_sweep(f->files, FILES * SECOND);
    for (unsigned i = 0; i < FILES; i++)
        assert_int_equal(is_known(f, functions[i]), i < NUMBERS / 4);
}

/* What nobody has mapped any more keeps no number from what runs. */
static void kept_files__make_way_for_those_that_find_no_number(void **state)
{
    const struct fixture *f = *state;
    uint32_t function;
    char name[16] = "kept";

    copy(f, name, 'a');
    function = sample(f, find(f, name), SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND);
    assert_true(is_known(f, function));
    for (unsigned i = 0; i < NUMBERS - 1; i++) { /* 0 is no number */
        (void)snprintf(name, sizeof(name), "program%u", i);
        copy(f, name, (char)('a' + i));
        assert_int_equal(find(f, name) == 0, i == NUMBERS - 2);
    }
    known_files_sweep(f->files, 2 * SECOND);
    assert_false(is_known(f, function));
    assert_int_not_equal(find(f, name), 0);
}

/* Somebody mounts a program of somebody else in another place, and runs it there first. */
static void file__that_a_stranger_has_elsewhere__is_called_as_it_is_here(void **state)
{
    const struct fixture *f = *state;
    uint32_t number;

    copy(f, "program", 'a');
    number = find_at(f, "program", "/no/such/nginx");
    assert_string_equal(known_files_owner(f->files, number), "nginx");
    assert_int_equal(find(f, "program"), number);
    assert_string_equal(known_files_owner(f->files, number), "program");
    (void)sample(f, number, SECOND);
    assert_int_equal(find_at(f, "program", "/no/such/nginx"), number);
    assert_string_equal(known_files_owner(f->files, number), "program");
}

/* A program can be called as what is no file. */
static void file__whose_name_is_in_brackets__is_told_from_the_kernel(void **state)
{
    const struct fixture *f = *state;

    copy(f, "[kernel]", 'a');
    assert_string_equal(known_files_owner(f->files, find(f, "[kernel]")), "./[kernel]");
    copy(f, "nameless", 'b');
    assert_string_equal(known_files_owner(f->files, find_at(f, "nameless", "")), "[unknown file]");
}

/* Without the rights of ptrace(2) only its own path leads to it. */
static void file__that_could_not_be_opened__is_tried_by_the_path_of_another_process(void **state)
{
    struct fixture *f = *state;
    struct file_sight sight = {.path = "/no/such/nginx", .pid = 1, .start = 1, .end = 2};
    const struct file_use use = {.now_ns = SECOND};
    struct known_files_figures figures;
    struct stat status;
    uint32_t number, function;

    copy(f, "program", 'a');
    assert_int_equal(fstatat(f->tree.fd, "program", &status, 0), 0);
    sight.key.device = (uint64_t)major(status.st_dev) << 20 | minor(status.st_dev);
    sight.key.inode = status.st_ino;
    number = known_files_find(f->files, &sight);
    assert_false(known_files_function(f->files, number, FUNCTION, &use, &function));
    assert_int_equal(read_all(f, SECOND), 0);
    known_files_figures(f->files, &figures);
    assert_int_equal(figures.n[FILE_MISSING], 1);
    assert_int_equal(find(f, "program"), number);
    (void)sample(f, number, SECOND);
}

/* Somebody waits for the name of this function, and of no other. */
static void hurry(const struct fixture *f, uint32_t function)
{
    bool *is_waited_for = calloc((size_t)function + 1, sizeof(*is_waited_for));

    assert_non_null(is_waited_for);
    is_waited_for[function] = true;
    known_files_hurry(f->files, is_waited_for, (size_t)function + 1);
    free(is_waited_for);
}

static void names__that_somebody_waits_for__are_read_at_once_and_no_others(void **state)
{
    const struct fixture *f = *state;
    uint32_t function;

    copy(f, "program", 'a');
    copy(f, "other", 'b');
    function = sample(f, find(f, "program"), SECOND);
    (void)sample(f, find(f, "other"), SECOND);
    assert_false(known_files_is_hurried(f->files));
    hurry(f, function);
    assert_true(known_files_is_hurried(f->files));
    assert_int_equal(read_all(f, SECOND), 1);
    assert_false(known_files_is_hurried(f->files));
}

/* Names of it are read with its tables, which nobody asks for until it is sampled again. */
static void names__of_a_file_that_is_in_doubt__are_not_waited_for(void **state)
{
    const struct fixture *f = *state;
    uint32_t function;

    copy(f, "program", 'a');
    function = sample(f, find(f, "program"), SECOND);
    known_files_sweep(f->files, SECOND);
    known_files_sweep(f->files, SECOND);
    (void)find(f, "program");
    hurry(f, function);
    assert_int_equal(read_all(f, HOUR), 0);
    assert_false(known_files_is_hurried(f->files));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sampled_file__that_nobody_has_mapped__is_known_for_an_hour,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(file_without_samples__that_nobody_has_mapped__is_forgotten,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            file__that_is_mapped_again__is_read_again_and_has_the_same_functions, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            file__that_is_another_one_when_it_is_mapped_again__has_other_functions, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(code__of_a_file_that_was_written_to_since__is_refused,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_many_files__are_forgotten_from_the_least_used_on,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(kept_files__make_way_for_those_that_find_no_number, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            file__that_a_stranger_has_elsewhere__is_called_as_it_is_here, set_up, tear_down),
        cmocka_unit_test_setup_teardown(file__whose_name_is_in_brackets__is_told_from_the_kernel,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            file__that_could_not_be_opened__is_tried_by_the_path_of_another_process, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            names__that_somebody_waits_for__are_read_at_once_and_no_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names__of_a_file_that_is_in_doubt__are_not_waited_for,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
