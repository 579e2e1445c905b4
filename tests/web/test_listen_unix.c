/* SPDX-License-Identifier: Apache-2.0 */
#include "web/listen_unix.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cmocka.h>

#include "base/cleanup.h"

struct fixture {
    char directory[64];
    char path[128];
};

static int set_up(void **state)
{
    static struct fixture fixture;

    (void)snprintf(fixture.directory, sizeof(fixture.directory), "/tmp/test_listen_unix_XXXXXX");
    assert_non_null(mkdtemp(fixture.directory));
    (void)snprintf(fixture.path, sizeof(fixture.path), "%s/run/control", fixture.directory);
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    (void)unlink(fixture->path);
    *strrchr(fixture->path, '/') = '\0';
    (void)rmdir(fixture->path); /* Some tests make it, or leave something in it. */
    assert_int_equal(rmdir(fixture->directory), 0);
    return 0;
}

static int try_connect(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    AUTO_CLOSE int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path));
    return connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
}

static void it_listens_for_its_owner_alone_and_is_removed(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place place;
    struct stat status;
    const mode_t before = umask(0);
    int fd;

    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    (void)umask(before);
    assert_int_equal(stat(fixture->path, &status), 0);
    assert_int_equal(status.st_mode, S_IFSOCK | 0600);
    assert_int_equal(try_connect(fixture->path), 0);
    assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    unix_place_done(&place);
    assert_int_equal(stat(fixture->path, &status), -1);
    unix_place_done(&place); /* It takes a place that has ended. */
    (void)close(fd);
}

static void what_a_dead_process_has_left_is_replaced(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place dead, place;
    int fd;

    assert_int_equal(listen_unix_open(fixture->path, &dead, &fd), 0);
    (void)close(fd);
    free(dead.path);
    assert_int_equal(try_connect(fixture->path), -ECONNREFUSED);
    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    assert_int_equal(try_connect(fixture->path), 0);
    unix_place_done(&place);
    (void)close(fd);
}

static void what_stands_in_its_place_is_not_removed(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place first, second;
    int first_fd, second_fd;

    assert_int_equal(listen_unix_open(fixture->path, &first, &first_fd), 0);
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(listen_unix_open(fixture->path, &second, &second_fd), 0);
    unix_place_done(&first);
    assert_int_equal(try_connect(fixture->path), 0);
    unix_place_done(&second);
    (void)close(first_fd);
    (void)close(second_fd);
}

static void a_living_one_is_left_alone(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place place, other;
    int fd, other_fd = -1;

    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    assert_int_equal(listen_unix_open(fixture->path, &other, &other_fd), -EADDRINUSE);
    assert_int_equal(other_fd, -1);
    assert_int_equal(try_connect(fixture->path), 0);
    unix_place_done(&place);
    (void)close(fd);
}

static void what_is_no_socket_is_left_alone(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place place;
    struct stat status;
    int fd;

    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    unix_place_done(&place);
    (void)close(fd);
    *strrchr(fixture->path, '/') = '\0';
    assert_int_equal(mkdir(fixture->path, 0755), 0);
    fixture->path[strlen(fixture->path)] = '/';
    fd = open(fixture->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    (void)close(fd);
    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), -EEXIST);
    assert_int_equal(stat(fixture->path, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    (void)unlink(fixture->path);
    /* Neither is what a link points at replaced. */
    assert_int_equal(symlink("/dev/null", fixture->path), 0);
    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), -EEXIST);
}

/* Tells whether the directory of the socket is there. */
static bool has_directory(const struct fixture *fixture)
{
    char path[sizeof(fixture->path)];
    struct stat status;

    (void)snprintf(path, sizeof(path), "%s/run", fixture->directory);
    return stat(path, &status) == 0;
}

static void the_directory_that_was_made_is_removed_again(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place place;
    int fd;

    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    assert_true(has_directory(fixture));
    unix_place_done(&place);
    (void)close(fd);
    assert_false(has_directory(fixture));
}

static void a_directory_that_holds_something_or_was_there_is_not_removed(void **state)
{
    struct fixture *fixture = *state;
    struct unix_place place;
    int fd, other;

    assert_int_equal(listen_unix_open(fixture->path, &place, &fd), 0);
    assert_int_equal(unlink(fixture->path), 0);
    other = open(fixture->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0644);
    assert_true(other >= 0);
    unix_place_done(&place);
    (void)close(fd);
    (void)close(other);
    assert_true(has_directory(fixture));
    assert_int_equal(unlink(fixture->path), 0);
    assert_int_equal(listen_unix_open(fixture->path, &place, &fd),
                     0); /* The directory is there already. */
    unix_place_done(&place);
    (void)close(fd);
    assert_true(has_directory(fixture));
}

static void where_it_cannot_be_is_told(void **state)
{
    struct unix_place place;
    char path[256];
    int fd;

    (void)state;
    assert_int_equal(listen_unix_open("/nonexistent/directory/control", &place, &fd), -ENOENT);
    assert_int_equal(listen_unix_open("/dev/null/control", &place, &fd), -ENOTDIR);
    memset(path, 'a', sizeof(path));
    path[0] = '/';
    path[108] = '\0'; /* sun_path has room for 107 bytes and a NUL. */
    assert_int_equal(listen_unix_open(path, &place, &fd), -ENAMETOOLONG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(it_listens_for_its_owner_alone_and_is_removed),
        TEST(what_a_dead_process_has_left_is_replaced),
        TEST(what_stands_in_its_place_is_not_removed),
        TEST(a_living_one_is_left_alone),
        TEST(what_is_no_socket_is_left_alone),
        TEST(the_directory_that_was_made_is_removed_again),
        TEST(a_directory_that_holds_something_or_was_there_is_not_removed),
        cmocka_unit_test(where_it_cannot_be_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
