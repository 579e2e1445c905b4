/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "support/fixture_tree.h"
#include "sys/directory_entries.h"
#include "sys/directory_watch.h"

struct place {
    struct fixture_tree tree;
    int fd; /* of the tree */
    struct directory_watch *watch;
    int id;
};

static int setup(void **state)
{
    static struct place place;

    place.tree = fixture_tree_open();
    place.fd = place.tree.fd;
    *state = &place;
    if (directory_watch_new(&place.watch) < 0)
        return -1;
    return directory_watch_add(place.watch, place.fd, &place.id);
}

static int teardown(void **state)
{
    struct place *place = *state;

    place->watch = directory_watch_free(place->watch);
    fixture_tree_close(&place->tree);
    return 0;
}

static void assert_event(struct place *place, enum directory_event_kind kind, int id,
                         const char *name)
{
    struct directory_event event;

    assert_int_equal(directory_watch_next(place->watch, &event), 1);
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.id, id);
    if (name)
        assert_string_equal(event.name, name);
    else
        assert_null(event.name);
}

static void assert_quiet(struct place *place)
{
    struct directory_event event;

    assert_int_equal(directory_watch_next(place->watch, &event), 0);
}

static void watch__tells_births_and_deaths_in_order(void **state)
{
    struct place *place = *state;

    assert_quiet(place);
    assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
    assert_int_equal(renameat(place->fd, "a", place->fd, "b"), 0);
    assert_int_equal(unlinkat(place->fd, "b", AT_REMOVEDIR), 0);
    assert_event(place, DIRECTORY_EVENT_BORN, place->id, "a");
    assert_event(place, DIRECTORY_EVENT_GONE, place->id, "a");
    assert_event(place, DIRECTORY_EVENT_BORN, place->id, "b");
    assert_event(place, DIRECTORY_EVENT_GONE, place->id, "b");
    assert_quiet(place);
}

static void watch__is_silent_about_files(void **state)
{
    struct place *place = *state;

    assert_int_equal(mknodat(place->fd, "file", S_IFREG | 0600, 0), 0);
    assert_int_equal(unlinkat(place->fd, "file", 0), 0);
    assert_quiet(place);
}

static void watch__tells_its_own_end(void **state)
{
    struct place *place = *state;
    int fd, id;

    assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
    fd = openat(place->fd, "a", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(directory_watch_add(place->watch, fd, &id), DIRECTORY_WATCH_ADDED);
    assert_true(id != place->id);
    assert_event(place, DIRECTORY_EVENT_BORN, place->id, "a");
    directory_watch_remove(place->watch, id);
    assert_event(place, DIRECTORY_EVENT_ENDED, id, NULL);
    directory_watch_remove(place->watch, id);
    assert_int_equal(directory_watch_add(place->watch, fd, &id), DIRECTORY_WATCH_ADDED);
    (void)close(fd);
    assert_int_equal(unlinkat(place->fd, "a", AT_REMOVEDIR), 0);
    assert_event(place, DIRECTORY_EVENT_ENDED, id, NULL);
    assert_event(place, DIRECTORY_EVENT_GONE, place->id, "a");
}

static void watch__adding_twice_gives_the_same_id(void **state)
{
    struct place *place = *state;
    int id;

    assert_int_equal(directory_watch_add(place->watch, place->fd, &id), DIRECTORY_WATCH_ADDED);
    assert_int_equal(id, place->id);
}

static void watch__only_directories_can_be_watched(void **state)
{
    struct place *place = *state;
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC), id = -7;

    assert_int_equal(directory_watch_add(place->watch, fd, &id), DIRECTORY_WATCH_GONE);
    assert_int_equal(id, -7);
    (void)close(fd);
}

static void watch__says_so_when_events_were_lost(void **state)
{
    struct place *place = *state;
    struct directory_event event;
    bool overflow = false;

    for (int i = 0; i < 9000; i++) {
        assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
        assert_int_equal(unlinkat(place->fd, "a", AT_REMOVEDIR), 0);
    }
    for (int i = 0; i < 20000 && directory_watch_next(place->watch, &event) == 1; i++)
        if (event.kind == DIRECTORY_EVENT_OVERFLOW) {
            assert_int_equal(event.id, -1);
            assert_null(event.name);
            overflow = true;
        }
    if (!overflow)
        print_message("fs.inotify.max_queued_events is large here: no overflow\n");
    assert_quiet(place);
}

static void entries__are_directories_with_their_inode(void **state)
{
    struct place *place = *state;
    struct directory_entries entries;
    struct directory_entry entry;
    struct stat status;

    assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
    assert_int_equal(mknodat(place->fd, "file", S_IFREG | 0600, 0), 0);
    assert_int_equal(symlinkat("a", place->fd, "link"), 0);
    for (int round = 0; round < 2; round++) {
        directory_entries_init(&entries, place->fd);
        assert_int_equal(directory_entries_next(&entries, &entry), 1);
        assert_string_equal(entry.name, "a");
        assert_int_equal(fstatat(place->fd, "a", &status, 0), 0);
        assert_int_equal(entry.inode, status.st_ino);
        assert_int_equal(directory_entries_next(&entries, &entry), 0);
    }
    assert_int_equal(unlinkat(place->fd, "a", AT_REMOVEDIR), 0);
    assert_int_equal(unlinkat(place->fd, "file", 0), 0);
    assert_int_equal(unlinkat(place->fd, "link", 0), 0);
}

static void entries__none_is_known_by_the_link_count(void **state)
{
    struct place *place = *state;

    assert_int_equal(mknodat(place->fd, "file", S_IFREG | 0600, 0), 0);
    if (!directory_is_leaf(place->fd))
        print_message("/tmp does not count links of directories\n");
    assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
    assert_false(directory_is_leaf(place->fd));
    assert_int_equal(unlinkat(place->fd, "a", AT_REMOVEDIR), 0);
    assert_int_equal(unlinkat(place->fd, "file", 0), 0);
}

static void entries__of_thousands_come_each_once(void **state)
{
    struct place *place = *state;
    struct directory_entries entries;
    struct directory_entry entry;
    bool seen[3000] = {false};
    char name[16];

    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(mkdirat(place->fd, name, 0700), 0);
    }
    directory_entries_init(&entries, place->fd);
    while (directory_entries_next(&entries, &entry) > 0) {
        long i = strtol(entry.name, NULL, 10);

        assert_false(seen[i]);
        seen[i] = true;
    }
    for (int i = 0; i < 3000; i++) {
        assert_true(seen[i]);
        (void)snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(unlinkat(place->fd, name, AT_REMOVEDIR), 0);
    }
}

static void entries__of_what_is_no_directory_are_an_error(void **state)
{
    struct directory_entries entries;
    struct directory_entry entry;
    AUTO_CLOSE int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)state;
    directory_entries_init(&entries, fd);
    assert_int_equal(directory_entries_next(&entries, &entry), -ENOTDIR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(watch__tells_births_and_deaths_in_order),
        TEST(watch__is_silent_about_files),
        TEST(watch__tells_its_own_end),
        TEST(watch__adding_twice_gives_the_same_id),
        TEST(watch__only_directories_can_be_watched),
        TEST(watch__says_so_when_events_were_lost),
        TEST(entries__are_directories_with_their_inode),
        TEST(entries__none_is_known_by_the_link_count),
        TEST(entries__of_thousands_come_each_once),
        cmocka_unit_test(entries__of_what_is_no_directory_are_an_error),
    };

    return cmocka_run_group_tests_name("directory_watch", tests, NULL, NULL);
}
