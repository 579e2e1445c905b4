/* SPDX-License-Identifier: Apache-2.0 */
/* How clients are accepted: the limits, and what happens when descriptors run out. */
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
    /* A high descriptor that was inherited would leave room for others below it. */
    if (close_range((unsigned)port_fd + 1, ~0U, 0) < 0)
        _exit(1);
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

/* Returns one more than the highest descriptor that the process has open. */
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
        pause_ms(10); /* That connection has to be closed first. */
    limit_descriptors(child, n_descriptors(child));
    for (size_t i = 0; i < ARRAY_SIZE(waiting); i++)
        waiting[i] = connect_to(child->port); /* The kernel's queue takes it. */
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
    /* The connection that is open does not have to end first. */
    assert_int_equal(200, status_of(waiting, GET_METRICS));
    assert_int_equal(200, status_of(standing, GET_METRICS));
}

/* Each of these clients has asked once, and waits. */
static void hold(uint16_t port, int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fds[i] = connect_to(port);
        assert_int_equal(200, status_of(fds[i], GET_METRICS));
    }
}

static void let_go(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++)
        (void)close(fds[i]);
}

static void no_descriptors__who_holds_many_gives_way(void **state)
{
    const struct child *const child = *state;
    int held[60], waiting[30]; /* There are fewer gaps between the descriptors. */

    hold(child->port, held, ARRAY_SIZE(held));
    limit_descriptors(child, n_descriptors(child) - 10);
    hold(child->port, waiting, ARRAY_SIZE(waiting));
    assert_int_equal(200, status_of(held[ARRAY_SIZE(held) - 1], GET_METRICS));
    let_go(held, ARRAY_SIZE(held));
    let_go(waiting, ARRAY_SIZE(waiting));
}

static void an_address_with_many_connections_closes_its_own_oldest(void **state)
{
    static const struct server_limits three_each = {100, 3, 8, 30, 120, 12};
    struct http_status status;
    struct fixture fixture;
    int fds[4];

    (void)state;
    fixture_up(&fixture, &three_each);
    hold(fixture.port, fds, ARRAY_SIZE(fds));
    assert_in_range(ms_until_closed(fds[0]), 0, BEFORE_ANY_DEADLINE_MS);
    for (size_t i = 1; i < ARRAY_SIZE(fds); i++)
        assert_int_equal(200, status_of(fds[i], GET_METRICS));
    http_server_status(fixture.server, &status);
    assert_int_equal(3, status.connections);
    assert_int_equal(4, status.accepted);
    assert_int_equal(1, status.closed[HTTP_CLOSED_ROOM]);
    let_go(fds, ARRAY_SIZE(fds));
    fixture_down(&fixture);
}

/* More clients come than are let in at one time, to a server that is full all the while. */
static void every_newcomer_to_a_full_server_is_answered(void **state)
{
    static const struct server_limits two = {2, 2, 8, 30, 120, 12};
    struct fixture fixture;
    int fds[30];

    (void)state;
    fixture_up(&fixture, &two);
    hold(fixture.port, fds, ARRAY_SIZE(fds));
    let_go(fds, ARRAY_SIZE(fds));
    fixture_down(&fixture);
}

static void half_open_connections_keep_nobody_out(void **state)
{
    static const struct server_limits two = {2, 2, 8, 30, 120, 12};
    struct fixture fixture;
    int silent[30];

    (void)state;
    fixture_up(&fixture, &two);
    for (size_t i = 0; i < ARRAY_SIZE(silent); i++) {
        silent[i] = connect_to(fixture.port);
        send_text(silent[i], "GET /metr");
    }
    for (unsigned i = 0; i < 10; i++)
        assert_int_equal(200, scrape(fixture.port));
    let_go(silent, ARRAY_SIZE(silent));
    fixture_down(&fixture);
}

static void readers_who_do_not_read_keep_nobody_out(void **state)
{
    static const struct server_limits two = {2, 2, 8, 30, 120, 12};
    struct fixture fixture;
    int slow[2];

    (void)state;
    fixture_up(&fixture, &two);
    fixture.page.size = (size_t)5 * 1000 * 1000;
    for (size_t i = 0; i < ARRAY_SIZE(slow); i++) {
        slow[i] = connect_slowly_to(fixture.port);
        send_text(slow[i], GET_METRICS);
        assert_int_equal(1, recv(slow[i], &(char){0}, 1, MSG_PEEK));
    }
    for (unsigned ms = 0; ms < PATIENCE_MS && scrape(fixture.port) != 200; ms += 100)
        pause_ms(100);
    assert_int_equal(200, scrape(fixture.port));
    let_go(slow, ARRAY_SIZE(slow));
    fixture_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_descriptors__costs_no_cpu_and_passes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_descriptors__who_holds_many_gives_way, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(no_descriptors__connections_that_stand_are_served, set_up,
                                        tear_down),
        cmocka_unit_test(an_address_with_many_connections_closes_its_own_oldest),
        cmocka_unit_test(every_newcomer_to_a_full_server_is_answered),
        cmocka_unit_test(half_open_connections_keep_nobody_out),
        cmocka_unit_test(readers_who_do_not_read_keep_nobody_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
