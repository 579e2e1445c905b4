/* SPDX-License-Identifier: Apache-2.0 */

/* Which maps of code that was made at run time are opened: what is not a map of the process's own
 * shall not even notice that somebody has looked. */
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
#include "profile/store_fixture.h"

struct fixture {
    struct profile_store *store;
    struct jit_maps *maps;
    int procfs_fd;
    pid_t child; /* whose code has no name */
    char path[64];
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

static void write_map(const struct fixture *f)
{
    AUTO_CLOSE int fd = open(f->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

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
    assert_false(jit_maps_function(f->maps, f->child, 1, 0x1000, SECOND, &function));
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
    write_map(f);
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
    write_map(f);
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
    write_map(f);
    assert_false(is_opened(f));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(map__of_a_process__is_opened),
        TEST(fifo__in_place_of_a_map__does_not_notice),
        TEST(map__of_somebody_else__does_not_notice),
        TEST(map__of_a_process_in_another_user_namespace__does_not_notice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
