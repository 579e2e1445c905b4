/* SPDX-License-Identifier: Apache-2.0 */

/* Files that come and go: what stays of them for who asks for the code of what was sampled. */
#include <errno.h>
#include <sys/sysmacros.h>

#include "support/check.h"

#include "profile/known_file.h"
#include "profile/object_work.h"
#include "profile/store_fixture.h"
#include "support/fixture_tree.h"

#define FIXTURE  "profile/fixtures/frames_x86_64.so"
#define FUNCTION 0x400 /* where a function of it begins */
#define BUILD_ID 0x1d8 /* where its build-id stands */
#define NUMBERS  16    /* a quarter of them are kept */
#define FILES    6
#define ROWS     1000
#define PAGES    100
#define RULES    100

struct fixture {
    struct fixture_tree tree;
    struct profile_arrays arrays;
    struct unwind_pool *pool;
    struct profile_store *store;
    struct known_files *files;
    int procfs_fd;
};

static int set_up(void **state)
{
    static const struct unwind_pool_size size = {.rows = ROWS, .pages = PAGES, .rules = RULES};
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->tree = fixture_tree_open();
    f->arrays = (struct profile_arrays){.rows = calloc(ROWS, sizeof(*f->arrays.rows)),
                                        .rules = calloc(RULES, sizeof(*f->arrays.rules)),
                                        .pages = calloc(PAGES, sizeof(*f->arrays.pages)),
                                        .files = calloc(NUMBERS, sizeof(*f->arrays.files))};
    f->pool = unwind_pool_new(&f->arrays, &size);
    f->store = store_of(&roomy);
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->files = known_files_new(&(struct known_files_setup){.arrays = &f->arrays,
                                                           .pool = f->pool,
                                                           .store = f->store,
                                                           .n = NUMBERS,
                                                           .procfs_fd = f->procfs_fd});
    assert_non_null(f->files);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)known_files_free(f->files);
    (void)profile_store_free(f->store);
    (void)unwind_pool_free(f->pool);
    (void)close(f->procfs_fd);
    free(f->arrays.rows);
    free(f->arrays.rules);
    free(f->arrays.pages);
    free(f->arrays.files);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

/* Copies the program into the tree, with a byte of its build-id changed. */
static void copy(const struct fixture *f, const char *name, char mark)
{
    char bytes[8192];
    const int from = open_fixture(FIXTURE);
    const int to = openat(f->tree.fd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    const ssize_t n = read(from, bytes, sizeof(bytes));

    assert_true(n > BUILD_ID && (size_t)n < sizeof(bytes) && to >= 0);
    bytes[BUILD_ID] = mark;
    assert_int_equal(pwrite(to, bytes, (size_t)n, 0), n);
    (void)close(from);
    (void)close(to);
}

/* A process, which is us, has it mapped at a path: its number. */
static uint32_t find_at(const struct fixture *f, const char *name, const char *at)
{
    struct file_sight sight = {.pid = getpid(), .start = 0x1000, .end = 0x2000};
    struct stat status;
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", f->tree.path, name);
    assert_int_equal(stat(path, &status), 0);
    sight.path = at ? at : path;
    sight.key.device = (uint64_t)major(status.st_dev) << 20 | minor(status.st_dev);
    sight.key.inode = status.st_ino;
    return known_files_find(f->files, &sight);
}

static uint32_t find(const struct fixture *f, const char *name)
{
    return find_at(f, name, NULL);
}

/* Does jobs until there are none. Returns how many there were. */
static size_t read_all(const struct fixture *f, uint64_t now_ns)
{
    struct object_job job;
    size_t n = 0;

    for (; known_files_next_job(f->files, now_ns, &job); n++) {
        const struct worker_job work = {.kind = job.kind,
                                        .fd = job.fd,
                                        .debug_fd = job.debug_fd,
                                        .starts = job.starts,
                                        .n_starts = job.n_starts};
        struct work_result result = do_work(&work);
        const struct object_result of = {
            .outcome = (enum object_outcome)result.r, .bytes = result.bytes, .n = result.n};

        assert_int_equal(result.r, OBJECT_READ);
        known_files_take(f->files, &of, now_ns);
        free(result.bytes);
        (void)close(job.fd);
        if (job.debug_fd >= 0)
            (void)close(job.debug_fd);
    }
    return n;
}

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

/* A sample of a cgroup has ended in a file. */
static void want(const struct fixture *f, const char *name, uint32_t cgroup, uint64_t now_ns)
{
    const struct file_use use = {.cgroup = cgroup, .now_ns = now_ns};

    known_files_want(f->files, find(f, name), &use);
}

/* The next file to be read is this one; it is refused after so much work. */
static void expect_next(const struct fixture *f, const char *name, uint64_t now_ns, uint64_t cpu_ns)
{
    const struct object_result refused = {.outcome = OBJECT_KILLED, .cpu_ns = cpu_ns};
    struct stat wanted, found;
    struct object_job job;

    assert_true(known_files_next_job(f->files, now_ns, &job));
    assert_int_equal(fstatat(f->tree.fd, name, &wanted, 0), 0);
    assert_int_equal(fstat(job.fd, &found), 0);
    assert_int_equal(found.st_ino, wanted.st_ino);
    known_files_take(f->files, &refused, now_ns);
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
        known_files_sweep(f->files, i * 100 * SECOND);
    }
    want(f, "g", 2, 600 * SECOND);
    expect_next(f, "e", 600 * SECOND, 0);
    expect_next(f, "g", 600 * SECOND, 0);
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
        cmocka_unit_test_setup_teardown(
            file__that_a_stranger_has_elsewhere__is_called_as_it_is_here, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            file__that_could_not_be_opened__is_tried_by_the_path_of_another_process, set_up,
            tear_down),
        cmocka_unit_test_setup_teardown(
            names__that_somebody_waits_for__are_read_at_once_and_no_others, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_has_slow_files_read__comes_after_the_others, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(names__of_a_file_that_is_in_doubt__are_not_waited_for,
                                        set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
