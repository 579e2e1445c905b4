/* SPDX-License-Identifier: Apache-2.0 */
/* The server's thread: its start and end, deadlines, heartbeat, addresses. */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/un.h>
#include <unistd.h>

#include "web/http_client.h"

static const struct server_limits short_headers = {512, 512, 1, 30, 120, 12};
static const struct server_limits short_responses = {512, 512, 8, 1, 120, 12};
static const struct server_limits short_idle = {512, 512, 8, 30, 3, 3};
static const struct server_limits no_limit_per_address = {512, 512, 8, 30, 120, 12};

#define LARGE ((size_t)5 * 1000 * 1000)

static unsigned n_open_descriptors(void)
{
    DIR *const directory = opendir("/proc/self/fd");
    unsigned n = 0;

    assert_non_null(directory);
    while (readdir(directory))
        n++;
    (void)closedir(directory);
    return n;
}

static void half_open_connections_are_closed(void **state)
{
    struct fixture fixture;
    int fds[200];

    (void)state;
    fixture_up(&fixture, &short_headers);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        fds[i] = connect_to(fixture.port);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        assert_in_range(ms_until_closed(fds[i]), 0,
                        PATIENCE_MS); /* The other deadlines are 30 s and more. */
        (void)close(fds[i]);
    }
    assert_int_equal(200, scrape(fixture.port));
    fixture_down(&fixture);
}

/* Sends a header that never ends: a byte ten times a second. */
static void slow_headers_do_not_move_the_deadline(void **state)
{
    const uint64_t start = clock_monotonic_ns();
    struct fixture fixture;
    uint64_t ms = 0;
    int fd;

    (void)state;
    fixture_up(&fixture, &short_headers);
    fd = connect_to(fixture.port);
    send_text(fd, "GET /metrics HTTP/1.1\r\nX: ");
    while (ms < PATIENCE_MS && send(fd, "x", 1, MSG_NOSIGNAL) == 1) {
        pause_ms(100);
        ms = (clock_monotonic_ns() - start) / 1000000;
    }
    assert_in_range(ms, 900, PATIENCE_MS - 1);
    (void)close(fd);
    fixture_down(&fixture);
}

/* Tells whether these events of poll(2) come in time, without reading from the connection. */
static bool comes(int fd, short events)
{
    struct pollfd poller = {.fd = fd, .events = events};

    return poll(&poller, 1, PATIENCE_MS) == 1;
}

static void a_response_that_is_not_taken_is_cut_off(void **state)
{
    struct fixture fixture;
    char bytes[65536];
    ssize_t n;
    int fd;

    (void)state;
    fixture_up(&fixture, &short_responses);
    fixture.page.size = LARGE;
    fd = connect_slowly_to(fixture.port);
    send_text(fd, GET_METRICS);
    assert_true(comes(fd, POLLIN));
    assert_true(comes(fd, 0)); /* POLLERR and POLLHUP are always waited for. */
    do {
        n = recv(fd, bytes, sizeof(bytes), 0);
    } while (n > 0);
    assert_int_equal(-1, n); /* It was reset: the kernel keeps nothing of the answer. */
    assert_int_equal(ECONNRESET, errno);
    (void)close(fd);
    assert_int_equal(200, scrape(fixture.port));
    fixture_down(&fixture);
}

static void idle_connections_are_closed_and_busy_ones_stay(void **state)
{
    struct fixture fixture;
    struct pollfd idle;
    int busy;

    (void)state;
    fixture_up(&fixture, &short_idle);
    idle = (struct pollfd){.fd = connect_to(fixture.port), .events = POLLIN};
    busy = connect_to(fixture.port);
    assert_int_equal(200, status_of(busy, GET_METRICS));
    assert_int_equal(200, status_of(idle.fd, GET_METRICS));
    for (unsigned i = 0; i < PATIENCE_MS / 100 && poll(&idle, 1, 0) == 0; i++) {
        assert_int_equal(200, status_of(busy, GET_METRICS));
        pause_ms(100);
    }
    assert_int_equal(1, poll(&idle, 1, 0));
    assert_int_equal(0, recv(idle.fd, &(char){0}, 1, 0)); /* The server has closed it. */
    assert_int_equal(200, status_of(busy, GET_METRICS));
    (void)close(idle.fd);
    (void)close(busy);
    fixture_down(&fixture);
}

static void the_heartbeat_moves_without_requests(void **state)
{
    struct fixture fixture;

    (void)state;
    fixture_up(&fixture, &usual_limits);
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t before = http_server_heartbeat_ns(fixture.server);

        assert_int_not_equal(0, before);
        for (unsigned ms = 0;
             ms < PATIENCE_MS && http_server_heartbeat_ns(fixture.server) == before; ms += 10)
            pause_ms(10);
        assert_true(http_server_heartbeat_ns(fixture.server) > before);
    }
    fixture_down(&fixture);
}

static uint64_t cpu_ns(void)
{
    struct timespec cpu;

    assert_int_equal(0, clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu));
    return (uint64_t)cpu.tv_sec * NS_PER_SECOND + (uint64_t)cpu.tv_nsec;
}

static void an_idle_loop_rests(void **state)
{
    struct fixture fixture;
    uint64_t before;
    int fd;

    (void)state;
    fixture_up(&fixture, &usual_limits);
    fixture.page.size = LARGE;
    fd = connect_slowly_to(fixture.port);
    send_text(fd, GET_METRICS); /* A reader that waits makes no work either. */
    assert_true(comes(fd, POLLIN));
    pause_ms(300);
    before = cpu_ns();
    pause_ms(1000);
    assert_in_range(cpu_ns() - before, 0, NS_PER_SECOND / 50);
    (void)close(fd);
    fixture_down(&fixture);
}

static void start_and_stop_leave_nothing_behind(void **state)
{
    unsigned before;

    (void)state;
    before = n_open_descriptors();
    for (unsigned i = 0; i < 50; i++) {
        struct fixture fixture;

        fixture_up_at(&fixture, i % 2 == 0 ? "127.0.0.1:0" : ":0", &usual_limits);
        assert_int_equal(200, scrape(fixture.port));
        fixture_down(&fixture);
    }
    assert_int_equal(before, n_open_descriptors());
}

static void free__takes_null_and_what_never_started(void **state)
{
    const struct route_table table = usual_table(NULL);
    const char *const addresses[] = {"127.0.0.1:0", ":0"};
    struct http_server *server;
    const char *failed;

    (void)state;
    assert_null(http_server_free(NULL));
    assert_int_equal(0, http_server_new(addresses, 2, &table, &usual_limits, &server, &failed));
    assert_null(http_server_free(server));
}

static void free__waits_for_nobody_who_is_connected(void **state)
{
    struct fixture fixture;
    uint64_t start;
    int fds[512];

    (void)state;
    fixture_up(&fixture, &no_limit_per_address);
    fixture.page.size = LARGE;
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
        fds[i] = connect_slowly_to(fixture.port);
        if (i % 4 == 0)
            send_text(fds[i], GET_METRICS);
        else if (i % 4 == 1)
            send_text(fds[i], "GET /metr");
    }
    pause_ms(100);
    start = clock_monotonic_ns();
    fixture_down(&fixture);
    assert_in_range((clock_monotonic_ns() - start) / 1000000, 0, BEFORE_ANY_DEADLINE_MS);
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        (void)close(fds[i]);
}

static void several_addresses_are_served(void **state)
{
    const char *const addresses[] = {"127.0.0.1:0", "127.0.0.1:0", "[::1]:0"};
    struct page page = {.version = 1};
    const struct route_table table = usual_table(&page);
    struct http_server *server;
    const char *failed;
    int fd, r;

    (void)state;
    r = http_server_new(addresses, 3, &table, &usual_limits, &server, &failed);
    if (r == -EAFNOSUPPORT || r == -EADDRNOTAVAIL) {
        print_message("skipped: this machine has no IPv6\n");
        skip();
    }
    assert_int_equal(0, r);
    assert_int_equal(0, http_server_start(server));
    assert_int_equal(200, scrape(http_server_port(server, 0)));
    assert_int_equal(200, scrape(http_server_port(server, 1)));
    fd = try_connect(AF_INET6, http_server_port(server, 2), 0);
    assert_true(fd >= 0);
    assert_int_equal(200, status_of(fd, GET_METRICS));
    (void)close(fd);
    assert_int_equal(1, page.n_renders);
    assert_null(http_server_free(server));
}

static void a_taken_port_is_named(void **state)
{
    const struct route_table table = usual_table(NULL);
    struct http_server *server = NULL;
    const char *addresses[2] = {"127.0.0.1:0"};
    struct fixture fixture;
    const char *failed;
    char taken[32];

    (void)state;
    fixture_up(&fixture, &usual_limits);
    (void)snprintf(taken, sizeof(taken), "127.0.0.1:%u", fixture.port);
    addresses[1] = taken;
    assert_int_equal(-EADDRINUSE,
                     http_server_new(addresses, 2, &table, &usual_limits, &server, &failed));
    assert_ptr_equal(taken, failed);
    assert_null(server);
    fixture_down(&fixture);
}

/* A socket as a .socket unit makes it: it blocks and knows nothing of our options. */
static int listen_on(const struct sockaddr *address, socklen_t length)
{
    int fd = socket(address->sa_family, SOCK_STREAM, 0);

    assert_true(fd >= 0);
    assert_int_equal(0, bind(fd, address, length));
    assert_int_equal(0, listen(fd, 16));
    return fd;
}

static int listen_on_loopback(void)
{
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_addr = {htonl(INADDR_LOOPBACK)}};

    return listen_on((const struct sockaddr *)&address, sizeof(address));
}

static void sockets_that_listen_already_are_served(void **state)
{
    struct page page = {.version = 1};
    const struct route_table table = usual_table(&page);
    int fds[] = {listen_on_loopback(), listen_on_loopback()};
    const int first = fds[0];
    struct http_server *server;

    (void)state;
    assert_int_equal(0, http_server_new_on_sockets(fds, 2, &table, &usual_limits, &server));
    assert_int_equal(-1, fds[0]);
    assert_int_equal(-1, fds[1]);
    assert_int_equal(0, http_server_start(server));
    for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(200, scrape(http_server_port(server, i)));
    assert_null(http_server_free(server));
    assert_int_equal(-1, fcntl(first, F_GETFD));
}

static void a_unix_socket_is_served(void **state)
{
    const struct sockaddr_un any_name = {.sun_family = AF_UNIX};
    struct page page = {.version = 1};
    const struct route_table table = usual_table(&page);
    int fd = listen_on((const struct sockaddr *)&any_name, sizeof(sa_family_t));
    struct sockaddr_un address;
    socklen_t length = sizeof(address);
    struct http_server *server;
    int client;

    (void)state;
    assert_int_equal(0, getsockname(fd, (struct sockaddr *)&address, &length));
    assert_int_equal(0, http_server_new_on_sockets(&fd, 1, &table, &usual_limits, &server));
    assert_int_equal(0, http_server_port(server, 0));
    assert_int_equal(0, http_server_start(server));
    client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(0, connect(client, (const struct sockaddr *)&address, length));
    assert_int_equal(200, status_of(client, GET_METRICS));
    assert_int_equal(200, status_of(client, GET_METRICS));
    (void)close(client);
    assert_null(http_server_free(server));
}

static void sockets_that_are_none_are_refused(void **state)
{
    const struct route_table table = usual_table(NULL);
    int fds[] = {listen_on_loopback(), open("/dev/null", O_RDONLY | O_CLOEXEC)};
    struct http_server *server = NULL;

    (void)state;
    assert_int_equal(-ENOTSOCK, http_server_new_on_sockets(fds, 2, &table, &usual_limits, &server));
    assert_int_equal(-1, fds[0]); /* The server had it already, and has closed it. */
    assert_true(fds[1] >= 0);
    (void)close(fds[1]);
    assert_int_equal(-EINVAL, http_server_new_on_sockets(fds, 0, &table, &usual_limits, &server));
    assert_null(server);
}

static void what_is_no_address_is_refused(void **state)
{
    const struct route_table table = usual_table(NULL);
    const char *const wrong = "localhost";
    const char *const right = ":0";
    struct http_server *server;
    const char *failed;

    (void)state;
    assert_int_equal(-EINVAL, http_server_new(&wrong, 1, &table, &usual_limits, &server, &failed));
    assert_ptr_equal(wrong, failed);
    assert_int_equal(-EINVAL, http_server_new(&right, 0, &table, &usual_limits, &server, &failed));
    assert_null(failed);
}

/* Finds the thread of this name and what it blocks (SigBlk of /proc). */
static bool find_thread(const char *thread_name, unsigned long long *ret_blocked)
{
    const struct dirent *entry;
    bool found = false;
    DIR *const directory = opendir("/proc/self/task");

    assert_non_null(directory);
    while (!found && (entry = readdir(directory)) != NULL) {
        char path[300], line[256], name[64] = "";
        FILE *file;

        (void)snprintf(path, sizeof(path), "/proc/self/task/%s/status", entry->d_name);
        file = fopen(path, "re");
        while (file && fgets(line, sizeof(line), file)) {
            (void)sscanf(line, "Name: %63s", name);
            if (strncmp(line, "SigBlk:", 7) == 0)
                *ret_blocked = strtoull(line + 7, NULL, 16);
        }
        if (file)
            (void)fclose(file);
        found = strcmp(name, thread_name) == 0;
    }
    (void)closedir(directory);
    return found;
}

/* A thread has its name soon after it was made. */
static bool blocks(const char *thread_name, int signal)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;
    unsigned long long blocked = 0;

    while (!find_thread(thread_name, &blocked))
        assert_true(clock_monotonic_ns() < end_ns);
    return (blocked >> (signal - 1) & 1) != 0;
}

static void the_thread_takes_no_signals(void **state)
{
    static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1};
    struct fixture fixture;
    sigset_t mine;

    (void)state;
    fixture_up(&fixture, &usual_limits);
    for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
        assert_true(blocks("http", signals[i]));
    assert_int_equal(0, pthread_sigmask(SIG_BLOCK, NULL, &mine));
    assert_false(sigismember(&mine, SIGTERM));
    fixture_down(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_open_connections_are_closed),
        cmocka_unit_test(slow_headers_do_not_move_the_deadline),
        cmocka_unit_test(a_response_that_is_not_taken_is_cut_off),
        cmocka_unit_test(idle_connections_are_closed_and_busy_ones_stay),
        cmocka_unit_test(the_heartbeat_moves_without_requests),
        cmocka_unit_test(an_idle_loop_rests),
        cmocka_unit_test(start_and_stop_leave_nothing_behind),
        cmocka_unit_test(free__takes_null_and_what_never_started),
        cmocka_unit_test(free__waits_for_nobody_who_is_connected),
        cmocka_unit_test(several_addresses_are_served),
        cmocka_unit_test(a_taken_port_is_named),
        cmocka_unit_test(sockets_that_listen_already_are_served),
        cmocka_unit_test(a_unix_socket_is_served),
        cmocka_unit_test(sockets_that_are_none_are_refused),
        cmocka_unit_test(what_is_no_address_is_refused),
        cmocka_unit_test(the_thread_takes_no_signals),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
