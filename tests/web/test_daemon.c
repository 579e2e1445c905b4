/* SPDX-License-Identifier: Apache-2.0 */
/* Accepting: limits, and what happens where descriptors run out. */
#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "web/http_client.h"

/* A server in a process of its own, whose descriptors can be taken away. */
struct child {
    pid_t pid;
    uint16_t port;
};

static void serve_for_parent(int port_fd)
{
    struct fixture fixture;

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    fixture_up(&fixture, &usual_limits);
    if (write(port_fd, &fixture.port, sizeof(fixture.port)) != sizeof(fixture.port))
        _exit(1);
    for (;;)
        pause();
}

static int set_up(void **state)
{
    static struct child child;
    int both[2];

    if (pipe(both) < 0)
        return -1;
    child.pid = fork();
    if (child.pid < 0)
        return -1;
    if (child.pid == 0)
        serve_for_parent(both[1]);
    (void)close(both[1]);
    if (read(both[0], &child.port, sizeof(child.port)) != sizeof(child.port))
        return -1;
    (void)close(both[0]);
    *state = &child;
    return 0;
}

static int tear_down(void **state)
{
    const struct child *const child = *state;

    (void)kill(child->pid, SIGKILL);
    (void)waitpid(child->pid, NULL, 0);
    return 0;
}

/* One more than the highest descriptor that the process has open. */
static unsigned n_descriptors(const struct child *child)
{
    const struct dirent *entry;
    unsigned highest = 0;
    char path[64];
    DIR *directory;

    (void)snprintf(path, sizeof(path), "/proc/%d/fd", child->pid);
    directory = opendir(path);
    assert_non_null(directory);
    while ((entry = readdir(directory)) != NULL) {
        const unsigned number = (unsigned)strtoul(entry->d_name, NULL, 10);

        highest = number > highest ? number : highest;
    }
    (void)closedir(directory);
    return highest + 1;
}

static void limit_descriptors(const struct child *child, unsigned limit)
{
    const struct rlimit limits = {limit, 1024};

    assert_int_equal(0, prlimit(child->pid, RLIMIT_NOFILE, &limits, NULL));
}

static double cpu_seconds(const struct child *child)
{
    unsigned long user, kernel;
    char path[64];
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", child->pid);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(2, fscanf(file,
                               "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u "
                               "%lu %lu",
                               &user, &kernel));
    (void)fclose(file);
    return (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
}

/* While clients wait that cannot be accepted the server takes less than a twentieth of a CPU. */
static void expect_little_cpu(const struct child *child)
{
    const uint64_t begin_ns = clock_monotonic_ns();
    const double before = cpu_seconds(child);
    double cpu;

    pause_ms(1500);
    cpu = cpu_seconds(child) - before;
    assert_true(cpu <= 0.05 * (double)(clock_monotonic_ns() - begin_ns) / NS_PER_SECOND + 0.01);
}

static void no_descriptors__costs_no_cpu_and_passes(void **state)
{
    const struct child *const child = *state;
    const unsigned n_at_rest = n_descriptors(child);
    int waiting[10];

    assert_int_equal(200, scrape(child->port));
    for (unsigned ms = 0; ms < PATIENCE_MS && n_descriptors(child) > n_at_rest; ms += 10)
        pause_ms(10); /* until that connection has been closed */
    limit_descriptors(child, n_descriptors(child));
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        waiting[i] = connect_to(child->port); /* the kernel's queue takes it */
    expect_little_cpu(child);
    limit_descriptors(child, 1024);
    assert_int_equal(200, status_of(waiting[0], GET_METRICS));
    assert_int_equal(200, status_of(waiting[9], GET_METRICS));
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        (void)close(waiting[i]);
}

static void no_descriptors__connections_that_stand_are_served(void **state)
{
    const struct child *const child = *state;
    AUTO_CLOSE int standing = connect_to(child->port);
    AUTO_CLOSE int waiting = -1;

    assert_int_equal(200, status_of(standing, GET_METRICS));
    limit_descriptors(child, n_descriptors(child));
    waiting = connect_to(child->port);
    expect_little_cpu(child);
    assert_int_equal(200, status_of(standing, GET_METRICS));
    limit_descriptors(child, 1024);
    /* the one that stands does not have to end first */
    assert_int_equal(200, status_of(waiting, GET_METRICS));
    assert_int_equal(200, status_of(standing, GET_METRICS));
}

static void connections_per_address_are_limited(void **state)
{
    static const struct server_limits three_each = {100, 3, 8, 30, 120};
    struct fixture fixture;
    int fds[3];

    (void)state;
    fixture_up(&fixture, &three_each);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = connect_to(fixture.port);
        assert_int_equal(200, status_of(fds[i], GET_METRICS));
    }
    assert_int_equal(0, scrape(fixture.port));
    (void)close(fds[0]);
    let_server_turn(fds[1]);
    assert_int_equal(200, scrape(fixture.port));
    (void)close(fds[1]);
    (void)close(fds[2]);
    fixture_down(&fixture);
}

static void connections_over_the_limit_wait_for_a_place(void **state)
{
    static const struct server_limits two = {2, 2, 8, 30, 120};
    struct fixture fixture;
    int first, second, third;

    (void)state;
    fixture_up(&fixture, &two);
    first = connect_to(fixture.port);
    second = connect_to(fixture.port);
    assert_int_equal(200, status_of(first, GET_METRICS));
    assert_int_equal(200, status_of(second, GET_METRICS));
    third = connect_to(fixture.port);
    send_text(third, GET_METRICS);
    pause_ms(100);
    assert_int_equal(-1, recv(third, &(char){0}, 1, MSG_DONTWAIT));
    (void)close(first);
    assert_int_equal(200, status_of(third, ""));
    (void)close(second);
    (void)close(third);
    fixture_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_descriptors__costs_no_cpu_and_passes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_descriptors__connections_that_stand_are_served, set_up,
                                        tear_down),
        cmocka_unit_test(connections_per_address_are_limited),
        cmocka_unit_test(connections_over_the_limit_wait_for_a_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
