/* SPDX-License-Identifier: Apache-2.0 */

/*
 * failing_calls SOCKET CALL[,CALL...] ORDER COMMAND...
 *
 * Becomes the command, whose calls of these names wait for a second process, which lets them pass
 * or answers in place of the kernel (seccomp_unotify(2)). So they can fail, or be slow, under
 * sanitizers too, which bear no tracer. ORDER holds from the first call on; "pass" is none. Others
 * come by lines to the Unix socket, one connection at a time, and each is answered by a line:
 *
 *   answer CALL VALUE FIRST COUNT [WORD...]   VALUE is what the call returns, or the name of an
 *       error. The calls are counted from 1; those from FIRST on are answered, COUNT of them, or
 *       all if it is 0. "ok".
 *   delay CALL MILLISECONDS [WORD...]         They wait so long and pass then. "ok".
 *   pass                                      All pass, and those that wait, too. "SEEN ANSWERED":
 *       how many calls the last order was about, and how many of these were answered or delayed.
 *   count                                     The same two numbers; the order goes on.
 *
 * A WORD says which calls are meant: thread=NAME, those of threads with this comm; on=TEXT, those
 * whose first argument is a descriptor of a file whose name begins so, as /proc/PID/fd tells it;
 * path=TEXT, those of openat whose path begins so. every=N: from FIRST on only each N-th of them.
 *
 * The second process ends when no process is left that it has to answer.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <seccomp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/program.h"

#define MOST_WAITING  256
#define LAST_ERRNO    133
#define PATH_ARGUMENT 1 /* of openat */

struct order {
    int call; /* -1: all calls pass */
    bool is_delay;
    int64_t value; /* what is returned, or -errno */
    uint64_t delay_ns;
    uint64_t first, every, count;        /* count 0: all from the first on */
    char thread[32], on[128], path[128]; /* empty: any */
    uint64_t seen, answered;
};

struct waiting {
    uint64_t id, due_ns;
};

static struct order order = {.call = -1};
static struct waiting waiting[MOST_WAITING];
static size_t n_waiting;
static int listener = -1;
static struct seccomp_notif *request;
static struct seccomp_notif_resp *response;

static uint64_t now_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Who was asked for may be gone meanwhile; then there is nobody to answer. */
static void respond(uint64_t id, int64_t value, bool pass)
{
    memset(response, 0, sizeof(*response));
    response->id = id;
    response->flags = pass ? SECCOMP_USER_NOTIF_FLAG_CONTINUE : 0;
    response->error = !pass && value < 0 ? (int)value : 0;
    response->val = !pass && value >= 0 ? value : 0;
    if (seccomp_notify_respond(listener, response) < 0 && errno != ENOENT && errno != EINPROGRESS)
        die("cannot answer");
}

static void let_pass(uint64_t until_ns)
{
    size_t left = 0;

    for (size_t i = 0; i < n_waiting; i++)
        if (waiting[i].due_ns <= until_ns)
            respond(waiting[i].id, 0, true);
        else
            waiting[left++] = waiting[i];
    n_waiting = left;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_of_thread(const char *name)
{
    char path[64], comm[32] = "";
    int fd;

    if (!*name)
        return true;
    (void)snprintf(path, sizeof(path), "/proc/%u/comm", request->pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (read(fd, comm, sizeof(comm) - 1) < 0)
        comm[0] = '\0';
    (void)close(fd);
    comm[strcspn(comm, "\n")] = '\0';
    return strcmp(comm, name) == 0;
}

static bool is_on(const char *start)
{
    char path[64], link[256] = "";

    if (!*start)
        return true;
    (void)snprintf(path, sizeof(path), "/proc/%u/fd/%d", request->pid, (int)request->data.args[0]);
    if (readlink(path, link, sizeof(link) - 1) < 0)
        return false;
    return begins_with(link, start);
}

static bool is_of_path(const char *start)
{
    char path[64], text[256] = "";
    int fd;

    if (!*start)
        return true;
    (void)snprintf(path, sizeof(path), "/proc/%u/mem", request->pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (pread(fd, text, strlen(start), (off_t)request->data.args[PATH_ARGUMENT]) < 0)
        text[0] = '\0';
    (void)close(fd);
    return begins_with(text, start);
}

/* The kernel refuses to watch one more, never to let one go, which libmicrohttpd relies on. */
static bool may_fail(void)
{
    return request->data.nr != SCMP_SYS(epoll_ctl) || request->data.args[1] == EPOLL_CTL_ADD;
}

static bool is_meant(void)
{
    return request->data.nr == order.call && may_fail() && is_of_thread(order.thread) &&
           is_on(order.on) && is_of_path(order.path);
}

/* Whether the call that is meant, counted from 1, is one of those that the order answers. */
static bool is_due(void)
{
    const uint64_t n = ++order.seen;

    return n >= order.first && (n - order.first) % order.every == 0 &&
           (order.count == 0 || (n - order.first) / order.every < order.count);
}

static void take_call(void)
{
    memset(request, 0, sizeof(*request));
    if (seccomp_notify_receive(listener, request) < 0) {
        if (errno == ENOENT || errno == EINTR)
            return; /* who called was killed */
        die("cannot receive a call");
    }
    if (!is_meant() || !is_due()) {
        respond(request->id, 0, true);
        return;
    }
    order.answered++;
    if (!order.is_delay)
        respond(request->id, order.value, false);
    else if (n_waiting < MOST_WAITING)
        waiting[n_waiting++] = (struct waiting){request->id, now_ns() + order.delay_ns};
    else
        die("too many calls wait");
}

static bool parse_value(const char *text, int64_t *ret_value)
{
    char *end;

    for (int i = 1; i <= LAST_ERRNO; i++)
        if (strerrorname_np(i) && strcmp(strerrorname_np(i), text) == 0) {
            *ret_value = -i;
            return true;
        }
    *ret_value = strtoll(text, &end, 10);
    return *text && !*end && *ret_value >= 0;
}

static bool parse_words(char *words, struct order *parsed)
{
    char *rest = NULL;

    for (char *word = strtok_r(words, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (begins_with(word, "thread="))
            (void)snprintf(parsed->thread, sizeof(parsed->thread), "%s", word + 7);
        else if (begins_with(word, "on="))
            (void)snprintf(parsed->on, sizeof(parsed->on), "%s", word + 3);
        else if (begins_with(word, "path="))
            (void)snprintf(parsed->path, sizeof(parsed->path), "%s", word + 5);
        else if (begins_with(word, "every="))
            parsed->every = number(word + 6);
        else
            return false;
    }
    return true;
}

static bool parse_order(char *line, struct order *ret_order)
{
    struct order parsed = {.first = 1, .every = 1};
    char call[64] = "", value[64] = "";
    unsigned long long first = 1, count = 0, milliseconds = 0;
    int used = 0;

    if (strcmp(line, "pass") == 0) {
        *ret_order = (struct order){.call = -1};
        return true;
    }
    if (sscanf(line, "answer %63s %63s %llu %llu%n", call, value, &first, &count, &used) == 4) {
        if (!parse_value(value, &parsed.value))
            return false;
    } else if (sscanf(line, "delay %63s %llu%n", call, &milliseconds, &used) == 2) {
        parsed.is_delay = true;
    } else {
        return false;
    }
    parsed.call = seccomp_syscall_resolve_name(call);
    parsed.first = first;
    parsed.count = count;
    parsed.delay_ns = milliseconds * 1000000;
    *ret_order = parsed;
    return parsed.call != __NR_SCMP_ERROR && parse_words(line + used, ret_order);
}

static void take_order(char *line, char *answer, size_t size)
{
    const struct order last = order;
    const bool passes = strcmp(line, "pass") == 0;

    if (passes || strcmp(line, "count") == 0) {
        (void)snprintf(answer, size, "%llu %llu\n", (unsigned long long)last.seen,
                       (unsigned long long)last.answered);
        if (!passes)
            return;
    }
    let_pass(UINT64_MAX);
    if (!parse_order(line, &order))
        (void)snprintf(answer, size, "no such order\n");
}

/* Returns false if the connection has ended. */
static bool take_line(int connection)
{
    char line[512] = "", answer[64] = "ok\n";
    ssize_t n = recv(connection, line, sizeof(line) - 1, 0);

    if (n <= 0)
        return false;
    line[strcspn(line, "\n")] = '\0';
    take_order(line, answer, sizeof(answer));
    return send(connection, answer, strlen(answer), MSG_NOSIGNAL) > 0;
}

static int milliseconds_until_due(void)
{
    uint64_t due_ns = UINT64_MAX;
    const uint64_t now = now_ns();

    for (size_t i = 0; i < n_waiting; i++)
        if (waiting[i].due_ns < due_ns)
            due_ns = waiting[i].due_ns;
    if (due_ns == UINT64_MAX)
        return -1;
    return due_ns <= now ? 0 : (int)((due_ns - now) / 1000000) + 1;
}

static _Noreturn void supervise(int orders)
{
    int connection = -1;

    if (seccomp_notify_alloc(&request, &response) < 0)
        die("cannot allocate");
    while (true) {
        struct pollfd polled[] = {{listener, POLLIN, 0},
                                  {connection < 0 ? orders : connection, POLLIN, 0}};

        if (poll(polled, 2, milliseconds_until_due()) < 0 && errno != EINTR)
            die("cannot wait");
        let_pass(now_ns());
        if (polled[0].revents & POLLIN)
            take_call();
        else if (polled[0].revents & (POLLHUP | POLLERR))
            _exit(0);
        if (!polled[1].revents)
            continue;
        if (connection < 0) {
            connection = accept4(orders, NULL, NULL, SOCK_CLOEXEC);
        } else if (!take_line(connection)) {
            (void)close(connection);
            connection = -1;
        }
    }
}

static int listen_for_orders(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        die(path);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, 1) < 0)
        die(path);
    return fd;
}

/* Calls of these names wait for the listener, which is returned, from now on. */
static int install(char *calls)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    char *rest = NULL;
    int fd;

    if (!filter || seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0) < 0)
        die("cannot make a filter");
    for (char *name = strtok_r(calls, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const int call = seccomp_syscall_resolve_name(name);

        if (call == __NR_SCMP_ERROR || seccomp_rule_add(filter, SCMP_ACT_NOTIFY, call, 0) < 0) {
            errno = EINVAL;
            die(name);
        }
    }
    errno = -seccomp_load(filter);
    if (errno)
        die("cannot load the filter");
    fd = seccomp_notify_fd(filter);
    return fd;
}

/* Sends the descriptor by sendmsg(2), which may not be one of the calls. */
static void send_descriptor(int to, int fd)
{
    char byte = 'f', space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);

    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    if (sendmsg(to, &message, 0) < 0)
        die("cannot send the listener");
}

static int receive_descriptor(int from)
{
    char byte, space[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = space, .msg_controllen = sizeof(space)};
    struct cmsghdr *header;
    int fd;

    if (recvmsg(from, &message, MSG_CMSG_CLOEXEC) <= 0)
        _exit(120); /* the other has said why */
    header = CMSG_FIRSTHDR(&message);
    if (!header)
        die("no listener came");
    memcpy(&fd, CMSG_DATA(header), sizeof(fd));
    return fd;
}

/* It is nobody's child, since the command may wait for all of its own. */
static void start_supervisor(int pair[2], int orders)
{
    pid_t child = fork();
    int status;

    if (child < 0)
        die("cannot fork");
    if (child > 0) {
        (void)waitpid(child, &status, 0);
        return;
    }
    child = fork();
    if (child != 0)
        _exit(child < 0 ? 120 : 0);
    (void)setsid();
    (void)close(pair[1]);
    listener = receive_descriptor(pair[0]);
    (void)close(pair[0]);
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    supervise(orders);
}

int main(int argc, char **argv)
{
    int pair[2], orders, fd;

    if (argc < 5 || !parse_order(argv[3], &order)) {
        (void)fprintf(stderr, "usage: failing_calls SOCKET CALL[,CALL...] ORDER COMMAND...\n");
        return 2;
    }
    orders = listen_for_orders(argv[1]);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        die("socketpair");
    start_supervisor(pair, orders);
    (void)close(pair[0]);
    (void)close(orders);
    fd = install(argv[2]);
    send_descriptor(pair[1], fd);
    (void)close(fd);
    (void)close(pair[1]);
    (void)execvp(argv[4], argv + 4);
    die(argv[4]);
}
