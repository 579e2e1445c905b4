/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The walls around a worker, each with a worker that runs against it; after each of them the reader
 * reads a good file.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/check.h"

#include "base/cleanup.h"
#include "profile/misdeeds.h"
#include "profile/object_table.h"
#include "reader/object_reader_parts.h"
#include "reader/walls_additions.h"

#define FIXTURE "profile/fixtures/frames_x86_64.so"

static struct object_reader *reader;

static int set_up(void **state)
{
    const struct reader_work with = {
        .name = "object",
        .work = work_or_misbehave,
        .limits = {.memory = 64 << 20, .output = 1 << 20, .cpu_seconds = 1, .wall_ms = 3000},
    };

    (void)state;
    return object_reader_new_for(&with, &reader);
}

static int tear_down(void **state)
{
    (void)state;
    reader = object_reader_free(reader);
    return 0;
}

static struct object_result finish(void)
{
    struct pollfd end = {.fd = object_reader_fd(reader), .events = POLLIN};
    struct object_result result;

    assert_int_equal(poll(&end, 1, 60000), 1);
    assert_int_equal(object_reader_finish(reader, &result), 0);
    return result;
}

static struct object_result read_table(int fd)
{
    const struct object_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};

    assert_int_equal(object_reader_begin(reader, &job), 0);
    return finish();
}

static void assert_reads(void)
{
    AUTO_CLOSE int fd = open(FIXTURE, O_RDONLY | O_CLOEXEC);
    struct object_result result = read_table(fd);
    AUTO(object_table) struct object_table *table = NULL;

    assert_int_equal(result.outcome, OBJECT_READ);
    assert_int_equal(object_table_parse(result.bytes, result.n, &table), 0);
    assert_true(table->n_rows > 10);
}

static void begin(enum misdeed misdeed, int debug_fd)
{
    AUTO_CLOSE int fd = order_file(misdeed);
    const struct object_job job = {.kind = OBJECT_JOB_NAMES, .fd = fd, .debug_fd = debug_fd};

    assert_int_equal(object_reader_begin(reader, &job), 0);
}

static void assert_ends(enum misdeed misdeed, enum object_outcome outcome)
{
    struct object_result result;

    begin(misdeed, -1);
    result = finish();
    assert_string_equal(object_outcome_name(result.outcome), object_outcome_name(outcome));
    assert_null(result.bytes);
    assert_reads();
}

static void a_forbidden_call__kills_the_worker(void **state)
{
    (void)state;
    assert_ends(CONNECTS, OBJECT_KILLED);
    assert_ends(FORKS, OBJECT_KILLED);
    assert_ends(EXECUTES, OBJECT_KILLED);
    assert_ends(MAKES_CODE, OBJECT_KILLED);
    assert_ends(SIGNALS, OBJECT_KILLED);
}

static void opening_a_file__kills_the_worker(void **state)
{
    (void)state;
    if (walls_keep_errors) {
        print_message("a sanitizer opens files to tell what it has found\n");
        skip();
    }
    assert_ends(OPENS, OBJECT_KILLED);
}

static void a_crash__kills_the_worker(void **state)
{
    (void)state;
    assert_ends(CRASHES, OBJECT_KILLED);
}

static void a_deep_recursion__kills_the_worker(void **state)
{
    (void)state;
    assert_ends(RECURSES, OBJECT_KILLED);
}

static void a_worker_that_loops__runs_out_of_time(void **state)
{
    (void)state;
    assert_ends(LOOPS, OBJECT_TOO_SLOW);
}

static void a_worker__cannot_answer_in_the_place_of_its_parent(void **state)
{
    (void)state;
    assert_ends(ANSWERS, OBJECT_TOO_SLOW);
}

static void a_worker_that_waits__is_killed_when_its_time_is_over(void **state)
{
    AUTO_CLOSE int near = -1, far = -1;
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    near = ends[0];
    far = ends[1];
    begin(WAITS, near);
    assert_int_equal(finish().outcome, OBJECT_TOO_SLOW);
    assert_reads();
}

/* The children of a process, by the kernel: the first of them, or 0. */
static pid_t child_of(pid_t pid)
{
    char path[64], text[64] = "";
    AUTO_CLOSE int fd = -1;

    (void)snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
        return 0;
    return (pid_t)strtol(text, NULL, 10);
}

/* As one of which the kernel waits for somebody else, in a read: here its end is held up. */
static void a_worker_that_does_not_end_when_it_is_killed__is_left_behind(void **state)
{
    AUTO_CLOSE int near = -1, far = -1;
    int ends[2];
    pid_t worker = 0;

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    near = ends[0];
    far = ends[1];
    begin(WAITS, near);
    while (worker == 0)
        worker = child_of(child_of(getpid()));
    if (ptrace(PTRACE_SEIZE, worker, NULL, PTRACE_O_TRACEEXIT) < 0) {
        print_message("a worker cannot be traced here: %s\n", strerror(errno));
        skip();
    }
    assert_int_equal(finish().outcome, OBJECT_TOO_SLOW);
    assert_int_equal(kill(worker, 0), 0);
    assert_reads();
    assert_int_equal(waitpid(worker, NULL, __WALL), worker);
    assert_int_equal(ptrace(PTRACE_DETACH, worker, NULL, NULL), 0);
    assert_reads();
    while (kill(worker, 0) == 0) /* it is taken with the next job */
        assert_reads();
}

static void a_worker_that_takes_memory_without_end__gets_none(void **state)
{
    (void)state;
    if (!walls_limit_addresses) {
        print_message("a sanitizer takes terabytes of addresses\n");
        skip();
    }
    assert_ends(ALLOCATES, OBJECT_TOO_LARGE);
}

static void a_worker_that_writes_without_end__is_stopped(void **state)
{
    (void)state;
    assert_ends(WRITES, OBJECT_TOO_LARGE);
}

static void what_a_worker_writes_that_is_no_table__is_refused(void **state)
{
    struct object_result result;
    struct object_table *table;

    (void)state;
    begin(LIES, -1);
    result = finish();
    assert_int_equal(result.outcome, OBJECT_READ);
    assert_int_equal(result.n, 4);
    assert_int_equal(object_table_parse(result.bytes, result.n, &table), -EBADMSG);
    assert_reads();
}

static void what_is_no_regular_file__is_no_program(void **state)
{
    char name[] = "/tmp/pmu_exporter_test_XXXXXX";
    AUTO_CLOSE int directory = -1, fifo = -1;

    (void)state;
    assert_non_null(mkdtemp(name));
    directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(mkfifoat(directory, "fifo", 0600), 0);
    fifo = openat(directory, "fifo", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_int_equal(read_table(directory).outcome, OBJECT_NO_PROGRAM);
    assert_int_equal(read_table(fifo).outcome, OBJECT_NO_PROGRAM);
    assert_reads();
    (void)unlinkat(directory, "fifo", 0);
    (void)rmdir(name);
}

/* A copy of a program is made shorter and longer again all the time, while it is read. */
static void a_file_that_is_cut_off_meanwhile__is_read_or_refused(void **state)
{
    AUTO_CLOSE int program = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    AUTO_CLOSE int fd = memfd_create("program", MFD_CLOEXEC);
    struct pollfd end = {.fd = object_reader_fd(reader), .events = POLLIN};
    const struct object_job job = {.kind = OBJECT_JOB_TABLE, .fd = fd, .debug_fd = -1};
    struct stat status;

    (void)state;
    assert_int_equal(fstat(program, &status), 0);
    for (int i = 0; i < 50; i++) {
        struct object_result result;
        off_t offset = 0;

        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
        while (offset < status.st_size) {
            AUTO_FREE char *bytes = malloc(1 << 20);
            const ssize_t n = pread(program, bytes, 1 << 20, offset);

            assert_true(n > 0 && write(fd, bytes, (size_t)n) == n);
            offset += n;
        }
        assert_int_equal(object_reader_begin(reader, &job), 0);
        (void)poll(&end, 1, i % 5);
        assert_int_equal(ftruncate(fd, status.st_size * (i % 10) / 10), 0);
        result = finish();
        assert_in_range(result.outcome, OBJECT_READ, OBJECT_NO_PROGRAM);
    }
    assert_reads();
}

static void a_second_job__has_to_wait(void **state)
{
    AUTO_CLOSE int near = -1, far = -1;
    struct object_result result;
    int ends[2];
    const struct object_job job = {.kind = OBJECT_JOB_MAP, .fd = STDIN_FILENO, .debug_fd = -1};

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    near = ends[0];
    far = ends[1];
    begin(WAITS, near);
    assert_int_equal(object_reader_begin(reader, &job), -EBUSY);
    assert_int_equal(object_reader_finish(reader, &result), -EAGAIN);
    assert_int_equal(write(far, "x", 1), 1);
    /* nothing was written, which is no result */
    assert_int_equal(finish().outcome, OBJECT_FAILED);
    assert_reads();
}

static void nothing_under_way__is_nothing_done(void **state)
{
    struct object_result result;

    (void)state;
    assert_int_equal(object_reader_finish(reader, &result), -EAGAIN);
}

/* What the kernel tells of the process that has the workers, once it has settled. */
static void read_status(char *ret_text, size_t size)
{
    const pid_t process = child_of(getpid());
    AUTO_CLOSE int fd = -1;
    char path[64];
    ssize_t n;

    assert_true(process > 0);
    assert_reads();
    (void)snprintf(path, sizeof(path), "/proc/%d/status", (int)process);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    n = read(fd, ret_text, size - 1);
    assert_true(n > 0);
    ret_text[n] = '\0';
}

static void the_process__has_no_rights(void **state)
{
    char text[4096];

    (void)state;
    read_status(text, sizeof(text));
    assert_non_null(strstr(text, "CapEff:\t0000000000000000"));
    assert_non_null(strstr(text, "CapPrm:\t0000000000000000"));
    assert_non_null(strstr(text, "NoNewPrivs:\t1"));
    if (getuid() != 0)
        return;
    assert_non_null(strstr(text, "CapBnd:\t0000000000000000"));
    assert_non_null(strstr(text, "Uid:\t0\t0\t0\t0")); /* those of nobody may stop nobody's */
}

/* Else the keys of a terminal would stop it, and who waits for its answer with it. */
static void the_process__goes_on_when_a_terminal_stops_all(void **state)
{
    static const int signals[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    char text[4096];
    const char *line;
    uint64_t ignored;

    (void)state;
    read_status(text, sizeof(text));
    line = strstr(text, "SigIgn:\t");
    assert_non_null(line);
    ignored = strtoull(line + strlen("SigIgn:\t"), NULL, 16);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        assert_true(ignored >> (signals[i] - 1) & 1);
}

static void a_process_that_has_ended__is_told(void **state)
{
    const struct object_job job = {.kind = OBJECT_JOB_MAP, .fd = STDIN_FILENO, .debug_fd = -1};
    struct pollfd end = {.fd = object_reader_fd(reader), .events = POLLIN};
    AUTO_CLOSE int near = -1, far = -1;
    struct object_result result;
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    near = ends[0];
    far = ends[1];
    begin(WAITS, near);
    assert_false(object_reader_has_ended(reader));
    assert_int_equal(kill(child_of(getpid()), SIGKILL), 0);
    assert_int_equal(poll(&end, 1, 60000), 1);
    assert_int_equal(object_reader_finish(reader, &result), -EPIPE);
    assert_int_equal(object_reader_begin(reader, &job), -EPIPE);
    assert_true(object_reader_has_ended(reader));
}

static void a_reader_that_goes__leaves_no_process(void **state)
{
    AUTO_CLOSE int near = -1, far = -1;
    struct pollfd end;
    int ends[2];

    (void)state;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    near = ends[0];
    far = ends[1];
    begin(WAITS, near);
    end = (struct pollfd){.fd = far};
    (void)close(near);
    near = -1;
    reader = object_reader_free(reader);
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
    /* the worker had the last descriptor of the other end */
    assert_int_equal(poll(&end, 1, 60000), 1);
    assert_true(end.revents & POLLERR);
}

static void the_vdso__has_a_table(void **state)
{
    const void *vdso = (const void *)getauxval(AT_SYSINFO_EHDR); // NOLINT: an address
    AUTO_CLOSE int fd = memfd_create("vdso", MFD_CLOEXEC);
    AUTO(object_table) struct object_table *table = NULL;
    struct object_result result;

    (void)state;
    if (!vdso) {
        print_message("the kernel has given no vDSO\n");
        skip();
    }
    assert_int_equal(write(fd, vdso, 8192) > 0, 1);
    result = read_table(fd);
    assert_int_equal(result.outcome, OBJECT_READ);
    assert_int_equal(object_table_parse(result.bytes, result.n, &table), 0);
    assert_true(table->n_starts > 0);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_forbidden_call__kills_the_worker),
        TEST(opening_a_file__kills_the_worker),
        TEST(a_crash__kills_the_worker),
        TEST(a_deep_recursion__kills_the_worker),
        TEST(a_worker_that_loops__runs_out_of_time),
        TEST(a_worker__cannot_answer_in_the_place_of_its_parent),
        TEST(a_worker_that_waits__is_killed_when_its_time_is_over),
        TEST(a_worker_that_does_not_end_when_it_is_killed__is_left_behind),
        TEST(a_worker_that_takes_memory_without_end__gets_none),
        TEST(a_worker_that_writes_without_end__is_stopped),
        TEST(what_a_worker_writes_that_is_no_table__is_refused),
        TEST(what_is_no_regular_file__is_no_program),
        TEST(a_file_that_is_cut_off_meanwhile__is_read_or_refused),
        TEST(a_second_job__has_to_wait),
        TEST(nothing_under_way__is_nothing_done),
        TEST(the_process__has_no_rights),
        TEST(the_process__goes_on_when_a_terminal_stops_all),
        TEST(a_process_that_has_ended__is_told),
        TEST(a_reader_that_goes__leaves_no_process),
        TEST(the_vdso__has_a_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
