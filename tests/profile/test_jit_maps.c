/* SPDX-License-Identifier: Apache-2.0 */

/* Which maps of code that was made at run time are opened: what is not a map of the process's own
 * shall not even notice that somebody has looked. And what of them is kept. */
#include "support/check.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "profile/jit_maps.h"
#include "profile/object_work.h"
#include "profile/store_fixture.h"

struct fixture {
    struct profile_store *store;
    struct jit_maps *maps;
    int procfs_fd;
    pid_t child;                 /* whose code has no name */
    char path[64], own_path[64]; /* of the maps of the child and of the test; "": there is none */
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_non_null(f);
    f->store = store_of(&roomy);
    f->procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->maps = jit_maps_new(f->store, f->procfs_fd);
    assert_non_null(f->maps);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)unlink(f->path);
    (void)unlink(f->own_path);
    if (f->child > 0) {
        (void)kill(f->child, SIGKILL);
        (void)waitpid(f->child, NULL, 0);
    }
    (void)jit_maps_free(f->maps);
    (void)profile_store_free(f->store);
    (void)close(f->procfs_fd);
    free(f);
    return 0;
}

/* A child waits, in a user namespace of its own if that is asked for. False: there are none. */
static bool start_child(struct fixture *f, bool has_namespace)
{
    char is_there = 0;
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    f->child = fork();
    assert_true(f->child >= 0);
    if (f->child == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (!has_namespace || unshare(CLONE_NEWUSER) == 0)
            (void)!write(ends[1], "y", 1);
        (void)close(ends[1]);
        for (;;)
            (void)pause();
    }
    (void)close(ends[1]);
    (void)!read(ends[0], &is_there, 1);
    (void)close(ends[0]);
    (void)snprintf(f->path, sizeof(f->path), "/tmp/perf-%d.map", (int)f->child);
    return is_there == 'y';
}

static void write_at(const char *path)
{
    AUTO_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "1000 10 x\n", 10), 10);
}

/* Whether the child's map is opened, by what is returned and by what the file has noticed. */
static bool is_opened(const struct fixture *f)
{
    AUTO_CLOSE int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    struct inotify_event event;
    struct object_job job;
    uint32_t function;
    bool is, has_noticed;

    assert_true(inotify_add_watch(watch, f->path, IN_OPEN) >= 0);
    assert_false(jit_maps_function(f->maps, &(struct jit_place){f->child, 1, 0x1000, SECOND},
                                   SECOND, &function));
    is = jit_maps_next_job(f->maps, SECOND, &job);
    if (is)
        (void)close(job.fd);
    has_noticed = read(watch, &event, sizeof(event)) > 0;
    assert_int_equal(is, has_noticed);
    return is;
}

static void map__of_a_process__is_opened(void **state)
{
    struct fixture *f = *state;

    assert_true(start_child(f, false));
    write_at(f->path);
    assert_true(is_opened(f));
}

/* Its writer would be let go on, and whoever it is for would miss what was written. */
static void fifo__in_place_of_a_map__does_not_notice(void **state)
{
    struct fixture *f = *state;

    assert_true(start_child(f, false));
    assert_int_equal(mkfifo(f->path, 0600), 0);
    assert_false(is_opened(f));
}

static void map__of_somebody_else__does_not_notice(void **state)
{
    struct fixture *f = *state;

    if (geteuid() != 0) {
        print_message("only root can give a file to somebody else\n");
        skip();
    }
    assert_true(start_child(f, false));
    write_at(f->path);
    assert_int_equal(chown(f->path, 65534, 65534), 0);
    assert_false(is_opened(f));
}

/* It may have mounted there what it likes, also what never answers. */
static void map__of_a_process_in_another_user_namespace__does_not_notice(void **state)
{
    struct fixture *f = *state;

    if (!start_child(f, true)) {
        print_message("no user namespace can be made here\n");
        skip();
    }
    write_at(f->path);
    assert_false(is_opened(f));
}

/* Two processes that have maps: the child and the test. */
struct pair {
    struct fixture *f;
    pid_t pids[2];
};

static bool has_name(const struct pair *pair, size_t i, uint64_t now_ns)
{
    struct jit_maps *maps = pair->f->maps;
    uint32_t function;

    return jit_maps_function(maps, &(struct jit_place){pair->pids[i], 1, 0x1000, 0}, now_ns,
                             &function) &&
           function != profile_store_function(pair->f->store, PROFILE_JIT, "[jit]", "[unnamed]");
}

/* What reading a map with so many names comes to. */
static struct work_result read_names(size_t n_names)
{
    AUTO_FREE char *text = malloc(n_names * 16 + 32);
    struct work_result result;
    struct worker_job work = {.kind = OBJECT_JOB_MAP, .debug_fd = -1};
    size_t n;

    assert_non_null(text);
    n = (size_t)sprintf(text, "1000 10 f\n");
    for (size_t i = 0; i < n_names; i++)
        n += (size_t)sprintf(text + n, "%zx 10 f\n", 0x2000 + 16 * i);
    work.fd = memory_file(text, n);
    result = do_work(&work);
    assert_int_equal(result.r, OBJECT_READ);
    (void)close(work.fd);
    return result;
}

/* The map that was opened has so many names: what takes some 28 bytes each, so that there is room
 * for 300,000. */
static void take_map(struct jit_maps *maps, size_t n_names, uint64_t now_ns)
{
    struct work_result result = read_names(n_names);

    jit_maps_take(
        maps, &(struct object_result){.outcome = OBJECT_READ, .bytes = result.bytes, .n = result.n},
        now_ns);
    free(result.bytes);
    assert_in_range(jit_maps_bytes(maps), 0, 9 << 20);
}

/* The map of one of them is opened, and read. */
static void read_map(const struct pair *pair, size_t i, size_t n_names, uint64_t now_ns)
{
    const struct jit_place unnamed = {pair->pids[i], 1, 0x5, 0};
    struct jit_maps *maps = pair->f->maps;
    struct object_job job;
    uint32_t function;

    (void)jit_maps_function(maps, &unnamed, now_ns, &function);
    assert_true(jit_maps_next_job(maps, now_ns, &job));
    (void)close(job.fd);
    take_map(maps, n_names, now_ns);
}

static void maps__that_find_no_room__go_from_the_largest_on(void **state)
{
    struct fixture *f = *state;
    struct pair pair = {.f = f};

    assert_true(start_child(f, false));
    write_at(f->path);
    (void)snprintf(f->own_path, sizeof(f->own_path), "/tmp/perf-%d.map", (int)getpid());
    write_at(f->own_path);
    pair.pids[0] = f->child;
    pair.pids[1] = getpid();
    read_map(&pair, 0, 120000, SECOND);
    read_map(&pair, 1, 190000, SECOND); /* it is the larger one */
    assert_true(has_name(&pair, 0, SECOND));
    assert_false(has_name(&pair, 1, SECOND));
    assert_int_equal(jit_maps_without_room(f->maps), 1);
    read_map(&pair, 1, 100000, 2 * MINUTE);
    read_map(&pair, 1, 170000, 3 * MINUTE); /* in place of its own */
    assert_true(has_name(&pair, 0, 3 * MINUTE));
    assert_true(has_name(&pair, 1, 3 * MINUTE));
    assert_int_equal(jit_maps_without_room(f->maps), 1);
    read_map(&pair, 0, 150000, 5 * MINUTE); /* the other one is larger, and goes */
    assert_true(has_name(&pair, 0, 5 * MINUTE));
    assert_false(has_name(&pair, 1, 5 * MINUTE));
    assert_int_equal(jit_maps_without_room(f->maps), 2);
}

/* What was made since the map was read is in the next one. */
static void function__that_was_made_after_the_map_was_read__waits_for_the_next_map(void **state)
{
    struct fixture *f = *state;
    struct pair pair = {.f = f};
    struct jit_place early = {0, 1, 0x5, SECOND / 2}, late = {0, 1, 0x5, 2 * SECOND};
    uint32_t function;
    struct object_job job;

    assert_true(start_child(f, false));
    write_at(f->path);
    early.pid = late.pid = pair.pids[0] = f->child;
    read_map(&pair, 0, 10, SECOND);
    assert_false(jit_maps_function(f->maps, &late, 3 * SECOND, &function));
    assert_true(jit_maps_function(f->maps, &early, 3 * SECOND, &function)); /* it has no name */
    assert_false(jit_maps_next_job(f->maps, 3 * SECOND, &job));
    assert_true(jit_maps_next_job(f->maps, 7 * SECOND, &job)); /* though nobody has asked again */
    (void)close(job.fd);
    assert_false(jit_maps_function(f->maps, &late, 7 * SECOND, &function));
    take_map(f->maps, 20, 7 * SECOND);
    assert_true(jit_maps_function(f->maps, &late, 8 * SECOND, &function));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(map__of_a_process__is_opened),
        TEST(fifo__in_place_of_a_map__does_not_notice),
        TEST(map__of_somebody_else__does_not_notice),
        TEST(map__of_a_process_in_another_user_namespace__does_not_notice),
        TEST(maps__that_find_no_room__go_from_the_largest_on),
        TEST(function__that_was_made_after_the_map_was_read__waits_for_the_next_map),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
