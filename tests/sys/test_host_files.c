/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "base/cleanup.h"
#include "support/fixture_tree.h"
#include "support/refused_call.h"
#include "sys/host_files.h"
#include "sys/small_file.h"

static int setup(void **state)
{
    struct fixture_tree *tree = calloc(1, sizeof(*tree));

    *tree = fixture_tree_open();
    fixture_tree_write(tree, "run/a/state", "hello");
    fixture_tree_write(tree, "secret", "secret");
    *state = tree;
    return 0;
}

static int teardown(void **state)
{
    fixture_tree_close(*state);
    free(*state);
    return 0;
}

static int read_of(int root_fd, const char *path, size_t most)
{
    AUTO_FREE char *text = NULL;
    size_t n = 0;

    return host_file_read(root_fd, path, most, &text, &n);
}

static void a_file__is_read_whole_with_a_nul_behind_it(void **state)
{
    const struct fixture_tree *tree = *state;
    AUTO_FREE char *text = NULL;
    size_t n = 0;

    assert_int_equal(host_file_read(tree->fd, "run/a/state", 5, &text, &n), 0);
    assert_int_equal(n, 5);
    assert_string_equal(text, "hello");
    assert_int_equal(read_of(tree->fd, "run/a/nothing", 5), -ENOENT);
    assert_int_equal(read_of(tree->fd, "", 5), -ENOENT);
}

static void a_file__of_more_bytes_than_the_bound_is_refused(void **state)
{
    const struct fixture_tree *tree = *state;

    assert_int_equal(read_of(tree->fd, "run/a/state", 4), -EFBIG);
    assert_int_equal(read_of(tree->fd, "run/a/state", 0), -EFBIG);
}

static void a_large_file__is_read_in_pieces(void **state)
{
    const struct fixture_tree *tree = *state;
    const size_t size = (size_t)100 * 1000;
    AUTO_FREE char *large = malloc(size + 1);
    AUTO_FREE char *text = NULL;
    size_t n = 0;

    memset(large, 'x', size);
    large[size] = '\0';
    fixture_tree_write(tree, "run/large", large);
    assert_int_equal(host_file_read(tree->fd, "run/large", size, &text, &n), 0);
    assert_int_equal(n, size);
    assert_string_equal(text, large);
    assert_int_equal(read_of(tree->fd, "run/large", size - 1), -EFBIG);
}

static void a_link__is_not_followed_wherever_it_stands(void **state)
{
    const struct fixture_tree *tree = *state;

    assert_int_equal(symlinkat("state", tree->fd, "run/a/link"), 0);
    assert_int_equal(symlinkat("a", tree->fd, "run/b"), 0);
    assert_int_equal(symlinkat("/etc/passwd", tree->fd, "run/out"), 0);
    assert_int_equal(read_of(tree->fd, "run/a/link", 5), -ELOOP);
    assert_int_equal(read_of(tree->fd, "run/b/state", 5), -ELOOP);
    assert_int_equal(read_of(tree->fd, "run/out", 5), -ELOOP);
    assert_null(host_file_list(tree->fd, "run/b"));
    assert_int_equal(errno, ELOOP);
}

static void a_path__does_not_lead_above_the_root(void **state)
{
    const struct fixture_tree *tree = *state;
    AUTO_CLOSE int below = openat(tree->fd, "run", O_PATH | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(read_of(below, "../secret", 100), -EXDEV);
    assert_int_equal(read_of(below, "a/../../secret", 100), -EXDEV);
    assert_int_equal(read_of(below, "/etc/passwd", 100000), -EXDEV);
}

static void a_pipe_or_a_directory__is_refused_at_once(void **state)
{
    const struct fixture_tree *tree = *state;

    assert_int_equal(mkfifoat(tree->fd, "run/pipe", 0600), 0);
    assert_int_equal(read_of(tree->fd, "run/pipe", 5), -EINVAL);
    assert_int_equal(read_of(tree->fd, "run/a", 5), -EINVAL);
    assert_int_equal(read_of(tree->fd, "run/a/state/inner", 5), -ENOTDIR);
}

static void a_directory__is_listed(void **state)
{
    const struct fixture_tree *tree = *state;
    AUTO(directory) DIR *directory = host_file_list(tree->fd, "run/a");
    const struct dirent *entry;
    size_t n = 0;

    assert_non_null(directory);
    while ((entry = readdir(directory)))
        n += strcmp(entry->d_name, "state") == 0;
    assert_int_equal(n, 1);
    assert_null(host_file_list(tree->fd, "run/a/state"));
    assert_int_equal(errno, ENOTDIR);
}

static void the_users_own_file__may_be_a_link_but_no_pipe(void **state)
{
    const struct fixture_tree *tree = *state;
    AUTO_FREE char *text = NULL;
    char path[128];
    size_t n = 0;

    assert_int_equal(symlinkat("state", tree->fd, "run/a/own"), 0);
    (void)snprintf(path, sizeof(path), "%s/run/a/own", tree->path);
    assert_int_equal(own_file_read(path, 100, &text, &n), 0);
    assert_string_equal(text, "hello");
    assert_int_equal(mkfifoat(tree->fd, "run/a/own_pipe", 0600), 0);
    (void)snprintf(path, sizeof(path), "%s/run/a/own_pipe", tree->path);
    assert_int_equal(own_file_read(path, 100, &text, &n), -EINVAL);
}

/* As by the filter of RestrictSUIDSGID=. */
static void reading__needs_no_openat2(void **state)
{
    (void)state;
    refuse_call(SYS_openat2, ENOSYS);
    assert_int_equal(syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0), -1);
    assert_int_equal(errno, ENOSYS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#define ALL_TESTS                                                                                  \
    TEST(a_file__is_read_whole_with_a_nul_behind_it),                                              \
        TEST(a_file__of_more_bytes_than_the_bound_is_refused),                                     \
        TEST(a_large_file__is_read_in_pieces), TEST(a_link__is_not_followed_wherever_it_stands),   \
        TEST(a_path__does_not_lead_above_the_root),                                                \
        TEST(a_pipe_or_a_directory__is_refused_at_once), TEST(a_directory__is_listed),             \
        TEST(the_users_own_file__may_be_a_link_but_no_pipe)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ALL_TESTS,
        cmocka_unit_test(reading__needs_no_openat2),
        ALL_TESTS,
    };

    return cmocka_run_group_tests_name("host_files", tests, NULL, NULL);
}
