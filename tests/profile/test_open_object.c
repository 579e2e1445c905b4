/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <sys/inotify.h>
#include <sys/sysmacros.h>

#include "base/cleanup.h"
#include "profile/open_object.h"
#include "support/fixture_tree.h"

struct fixture {
    struct fixture_tree tree;
    char path[128];
    struct object_place place; /* of the file that was there first */
    int procfs_fd;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    struct stat status;

    f->tree = fixture_tree_open();
    fixture_tree_write(&f->tree, "program", "as it was mapped");
    (void)snprintf(f->path, sizeof(f->path), "%s/program", f->tree.path);
    assert_int_equal(stat(f->path, &status), 0);
    f->place =
        (struct object_place){.path = f->path,
                              .device = (uint64_t)major(status.st_dev) << 20 | minor(status.st_dev),
                              .inode = status.st_ino,
                              .pid = getpid(),
                              .start = 0x1000,
                              .end = 0x2000};
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)close(f->procfs_fd);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

static void file__that_is_at_its_path__is_opened(void **state)
{
    const struct fixture *f = *state;
    AUTO_CLOSE int fd = open_object(f->procfs_fd, &f->place);
    char bytes[5] = "";

    assert_true(fd >= 0);
    assert_int_equal(read(fd, bytes, 5), 5);
    assert_memory_equal(bytes, "as it", 5);
}

/* The first file lives on, so that its number is not given again. */
static void keep_and_replace(const struct fixture *f)
{
    char kept[160];

    (void)snprintf(kept, sizeof(kept), "%s.kept", f->path);
    assert_int_equal(rename(f->path, kept), 0);
}

static void file__in_whose_place_another_stands__is_not_opened(void **state)
{
    struct fixture *f = *state;

    keep_and_replace(f);
    fixture_tree_write(&f->tree, "program", "another one");
    assert_int_equal(open_object(f->procfs_fd, &f->place), -ESTALE);
}

static void file__in_whose_place_a_pipe_stands__holds_nobody_up(void **state)
{
    struct fixture *f = *state;
    AUTO_CLOSE int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    char event[sizeof(struct inotify_event) + NAME_MAX + 1];

    keep_and_replace(f);
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_true(inotify_add_watch(watch, f->path, IN_OPEN) >= 0);
    assert_int_equal(open_object(f->procfs_fd, &f->place), -ESTALE);
    assert_int_equal(read(watch, event, sizeof(event)), -1); /* nobody has opened it */
    assert_int_equal(errno, EAGAIN);
}

static void file__in_whose_place_a_link_to_it_stands__is_not_opened(void **state)
{
    struct fixture *f = *state;

    keep_and_replace(f);
    assert_int_equal(symlink("program.kept", f->path), 0);
    assert_true(open_object(f->procfs_fd, &f->place) < 0);
}

/* Who has the folder elsewhere has put a link here, so that the path leads to another's file. */
static void file__to_which_a_folder_that_is_a_link_leads__is_not_opened(void **state)
{
    struct fixture *f = *state;
    char link[192], path[224];

    (void)snprintf(link, sizeof(link), "%s/link", f->tree.path);
    (void)snprintf(path, sizeof(path), "%s/program", link);
    assert_int_equal(symlink(f->tree.path, link), 0);
    f->place.path = path;
    assert_false(object_is_at_path(&f->place));
    assert_true(open_object(f->procfs_fd, &f->place) < 0);
    (void)snprintf(path, sizeof(path), "/proc/self/root%s", f->path);
    assert_false(object_is_at_path(&f->place));
    (void)snprintf(path, sizeof(path), "//%s/", f->path + 1); /* the same file */
    assert_true(object_is_at_path(&f->place));
    f->place.path = "/";
    assert_false(object_is_at_path(&f->place));
    f->place.path = f->path + 1;
    assert_false(object_is_at_path(&f->place));
    f->place.path = f->path;
    assert_true(object_is_at_path(&f->place));
}

static void file__that_is_gone__is_not_there(void **state)
{
    struct fixture *f = *state;

    keep_and_replace(f);
    assert_int_equal(open_object(f->procfs_fd, &f->place), -ENOENT);
}

static void vdso__is_an_elf_file(void **state)
{
    const struct fixture *f = *state;
    const struct object_place vdso = {.path = "[vdso]"};
    AUTO_CLOSE int fd = open_object(f->procfs_fd, &vdso);
    char bytes[SELFMAG];

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, bytes, sizeof(bytes), 0), SELFMAG);
    assert_memory_equal(bytes, ELFMAG, SELFMAG);
}

static void symbols__of_no_build_id__are_none(void **state)
{
    static const uint8_t unknown[20] = {0x5a, 0x5a, 0x5a};

    (void)state;
    assert_int_equal(open_debug_object(NULL, 0), -1);
    assert_int_equal(open_debug_object(unknown, sizeof(unknown)), -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(file__that_is_at_its_path__is_opened),
        TEST(file__in_whose_place_another_stands__is_not_opened),
        TEST(file__in_whose_place_a_pipe_stands__holds_nobody_up),
        TEST(file__in_whose_place_a_link_to_it_stands__is_not_opened),
        TEST(file__to_which_a_folder_that_is_a_link_leads__is_not_opened),
        TEST(file__that_is_gone__is_not_there),
        TEST(vdso__is_an_elf_file),
        TEST(symbols__of_no_build_id__are_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
