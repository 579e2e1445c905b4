/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "support/fixture_tree.h"
#include "sys/memory_limit.h"

#define MIB UINT64_C(1048576)

/* A procfs and a mount of cgroups, in which we are in /pods/own. */
struct fixture {
    struct fixture_tree tree;
    int procfs_fd;
    struct memory_limit limit;
};

static void put(struct fixture *f, const char *path, const char *text)
{
    fixture_tree_write(&f->tree, path, text);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->tree = fixture_tree_open();
    put(f, "proc/self/cgroup", "");
    f->procfs_fd = openat(f->tree.fd, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    memory_limit_init(&f->limit);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    memory_limit_done(&f->limit);
    (void)close(f->procfs_fd);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

static void mount(struct fixture *f, const char *type, const char *options)
{
    char line[512];

    (void)snprintf(line, sizeof(line), "none %s/mount %s %s 0 0\n", f->tree.path, type, options);
    put(f, "proc/self/mounts", line);
}

static void live_in(struct fixture *f, const char *directory)
{
    char path[128], text[32];

    (void)snprintf(path, sizeof(path), "%s/cgroup.procs", directory);
    (void)snprintf(text, sizeof(text), "1\n%d\n", (int)getpid());
    put(f, path, text);
}

static void use_v2(struct fixture *f)
{
    mount(f, "cgroup2", "rw");
    put(f, "proc/self/cgroup", "0::/pods/own\n");
    live_in(f, "mount/pods/own");
    put(f, "mount/pods/own/memory.max", "max\n");
    put(f, "mount/pods/own/memory.high", "max\n");
    put(f, "mount/pods/own/memory.current", "5242880\n");
    put(f, "mount/pods/own/memory.stat",
        "anon 4194304\ninactive_file 524288\nactive_file 524288\n");
}

static void assert_room(struct fixture *f, uint64_t limit, uint64_t used)
{
    const struct memory_room room = memory_limit_read(&f->limit, f->procfs_fd);

    assert_int_equal(room.limit, limit);
    assert_int_equal(room.used, used);
}

static void limit__that_is_not_there_is_none(void **state)
{
    struct fixture *f = *state;

    use_v2(f);
    assert_room(f, 0, 0);
    put(f, "proc/self/cgroup", "garbage");
    assert_room(f, 0, 0);
}

static void limit__leaves_pages_of_files_out(void **state)
{
    struct fixture *f = *state;

    use_v2(f);
    put(f, "mount/pods/own/memory.max", "20971520\n");
    assert_room(f, 20 * MIB, 4 * MIB);
    put(f, "mount/pods/own/memory.high", "10485760\n");
    assert_room(f, 10 * MIB, 4 * MIB);
}

static void limit__of_what_contains_it_holds_where_it_is_nearer(void **state)
{
    struct fixture *f = *state;

    use_v2(f);
    put(f, "mount/pods/own/memory.max", "20971520\n");
    put(f, "mount/pods/memory.max", "104857600\n");
    put(f, "mount/pods/memory.current", "94371840\n");
    put(f, "mount/pods/memory.stat", "anon 94371840\n");
    assert_room(f, 100 * MIB, 90 * MIB);
}

static void limit__is_of_the_mount_where_that_is_our_cgroup(void **state)
{
    struct fixture *f = *state;

    use_v2(f);
    put(f, "mount/pods/own/cgroup.procs", "1\n");
    put(f, "mount/pods/own/memory.max", "20971520\n");
    assert_room(f, 0, 0);
    memory_limit_done(&f->limit);
    live_in(f, "mount");
    put(f, "mount/memory.max", "31457280\n");
    put(f, "mount/memory.current", "1048576\n");
    put(f, "mount/memory.stat", "anon 1048576\n");
    assert_room(f, 30 * MIB, MIB);
}

static void limit__of_v1_is_also_that_of_what_is_not_mounted(void **state)
{
    struct fixture *f = *state;

    mount(f, "cgroup", "rw,memory");
    put(f, "proc/self/cgroup", "4:cpu,memory:/pods/own\n0::/\n");
    live_in(f, "mount/pods/own");
    put(f, "mount/pods/own/memory.limit_in_bytes", "9223372036854771712\n");
    put(f, "mount/pods/own/memory.usage_in_bytes", "3145728\n");
    put(f, "mount/pods/own/memory.stat",
        "hierarchical_memory_limit 9223372036854771712\ntotal_inactive_file 1048576\n");
    assert_room(f, 0, 0);
    put(f, "mount/pods/own/memory.stat",
        "hierarchical_memory_limit 62914560\ntotal_inactive_file 1048576\n");
    assert_room(f, 60 * MIB, 2 * MIB);
}

static void limit__follows_who_is_moved(void **state)
{
    struct fixture *f = *state;

    use_v2(f);
    put(f, "mount/pods/own/memory.max", "20971520\n");
    assert_room(f, 20 * MIB, 4 * MIB);
    put(f, "mount/pods/memory.max", "31457280\n");
    put(f, "mount/pods/memory.current", "1048576\n");
    put(f, "mount/pods/memory.stat", "anon 1048576\n");
    live_in(f, "mount/pods");
    put(f, "proc/self/cgroup", "0::/pods\n");
    assert_room(f, 30 * MIB, MIB);
}

static void stat__has_whole_names(void **state)
{
    const char *text = "a_file 1\nfile 2\nfiles 3\n";
    uint64_t value = 7;

    (void)state;
    assert_true(memory_stat_value(text, "file", &value));
    assert_int_equal(value, 2);
    assert_false(memory_stat_value(text, "fil", &value));
    assert_false(memory_stat_value("", "file", &value));
    assert_int_equal(value, 2);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(limit__that_is_not_there_is_none),
        TEST(limit__leaves_pages_of_files_out),
        TEST(limit__of_what_contains_it_holds_where_it_is_nearer),
        TEST(limit__is_of_the_mount_where_that_is_our_cgroup),
        TEST(limit__of_v1_is_also_that_of_what_is_not_mounted),
        TEST(limit__follows_who_is_moved),
        cmocka_unit_test(stat__has_whole_names),
    };

    return cmocka_run_group_tests_name("memory_limit", tests, NULL, NULL);
}
