/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libcurl tells which of its sockets it waits for, and until when at most. Both are put behind one
 * descriptor of epoll, the time as a timerfd, so that a program has one thing to wait for.
 */
#include "client/exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/client.h"
#include "client/libcurl.h"

/* Longer than the service waits for its own main thread. */
#define PATIENCE_MS    40000L
#define LONGEST_ANSWER ((size_t)256 << 20)
#define MOST_EVENTS    8

struct exchange {
    const struct libcurl *curl;
    char *socket;   /* the path of a Unix socket; NULL: TCP */
    char *base_url; /* what stands before a path */
    CURLM *multi;
    CURL *easy;
    struct curl_slist *headers;
    int epoll_fd, timer_fd;
    bool is_under_way;
    struct buffer received;
    char words[CURL_ERROR_SIZE];
};

static bool append(struct buffer *buffer, const char *bytes, size_t n)
{
    if (n > LONGEST_ANSWER || buffer->length > LONGEST_ANSWER - n)
        return false;
    if (buffer->length + n > buffer->capacity) {
        const size_t capacity = 2 * (buffer->length + n);
        char *const data = realloc(buffer->data, capacity);

        if (!data)
            return false;
        buffer->data = data;
        buffer->capacity = capacity;
    }
    memcpy(buffer->data + buffer->length, bytes, n);
    buffer->length += n;
    return true;
}

static size_t on_bytes(char *bytes, size_t size, size_t n, void *context)
{
    struct exchange *exchange = context;

    return append(&exchange->received, bytes, size * n) ? size * n : 0;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
    const struct exchange *exchange = context;
    struct epoll_event event = {.data.fd = fd};

    (void)easy, (void)socket_context;
    if (what == CURL_POLL_REMOVE) {
        (void)epoll_ctl(exchange->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);
    if (epoll_ctl(exchange->epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0 && errno == ENOENT)
        return epoll_ctl(exchange->epoll_fd, EPOLL_CTL_ADD, fd, &event);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
    const struct exchange *exchange = context;
    struct itimerspec when = {0};

    (void)multi;
    if (timeout_ms == 0)
        when.it_value.tv_nsec = 1; /* zero would stop it */
    if (timeout_ms > 0) {
        when.it_value.tv_sec = timeout_ms / 1000;
        when.it_value.tv_nsec = timeout_ms % 1000 * 1000000;
    }
    return timerfd_settime(exchange->timer_fd, 0, &when, NULL);
}

/* What every request has in common. No proxy of the environment stands between us and this host. */
static bool set_options(struct exchange *exchange)
{
    CURL *const easy = exchange->easy;

    exchange->headers = exchange->curl->slist_append(NULL, "Content-Type: application/json");
    return exchange->headers &&
           exchange->curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1) ==
               CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, exchange->words) == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_WRITEDATA, exchange) == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, PATIENCE_MS) == CURLE_OK &&
           (!exchange->socket || exchange->curl->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH,
                                                             exchange->socket) == CURLE_OK);
}

static bool set_callbacks(struct exchange *exchange)
{
    CURLM *const multi = exchange->multi;

    return exchange->curl->multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket) == CURLM_OK &&
           exchange->curl->multi_setopt(multi, CURLMOPT_SOCKETDATA, exchange) == CURLM_OK &&
           exchange->curl->multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer) == CURLM_OK &&
           exchange->curl->multi_setopt(multi, CURLMOPT_TIMERDATA, exchange) == CURLM_OK;
}

static int take_place(struct exchange *exchange, const char *where)
{
    const size_t room = sizeof(((struct sockaddr_un *)NULL)->sun_path);
    size_t length = strlen(where);

    if (strncmp(where, "http://", 7) == 0 || strncmp(where, "https://", 8) == 0) {
        while (where[length - 1] == '/')
            length--;
        exchange->base_url = strndup(where, length);
        return exchange->base_url ? 0 : -ENOMEM;
    }
    if (length == 0 || strstr(where, "://"))
        return -EINVAL;
    if (length >= room)
        return -ENAMETOOLONG;
    exchange->socket = strdup(where);
    exchange->base_url = strdup("http://localhost");
    return exchange->socket && exchange->base_url ? 0 : -ENOMEM;
}

static int open_descriptors(struct exchange *exchange)
{
    struct epoll_event event = {.events = EPOLLIN};

    exchange->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    exchange->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    event.data.fd = exchange->timer_fd;
    if (exchange->epoll_fd < 0 || exchange->timer_fd < 0 ||
        epoll_ctl(exchange->epoll_fd, EPOLL_CTL_ADD, exchange->timer_fd, &event) < 0)
        return -errno;
    return 0;
}

static int set_up(struct exchange *exchange, const char *where)
{
    int r = take_place(exchange, where);

    if (r >= 0)
        r = open_descriptors(exchange);
    if (r < 0)
        return r;
    exchange->curl = libcurl_load();
    if (!exchange->curl)
        return -ELIBACC;
    exchange->multi = exchange->curl->multi_init();
    exchange->easy = exchange->curl->easy_init();
    if (!exchange->multi || !exchange->easy || !set_options(exchange) || !set_callbacks(exchange))
        return -ENOMEM;
    return 0;
}

int exchange_new(const char *where, struct exchange **ret_exchange)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    int r;

    if (!exchange)
        return -ENOMEM;
    exchange->epoll_fd = exchange->timer_fd = -1;
    r = set_up(exchange, where ? where : PMU_CLIENT_SOCKET);
    if (r < 0) {
        (void)exchange_free(exchange);
        return r;
    }
    *ret_exchange = exchange;
    return 0;
}

struct exchange *exchange_free(struct exchange *exchange)
{
    if (!exchange)
        return NULL;
    if (exchange->curl) {
        exchange_cancel(exchange);
        exchange->curl->easy_cleanup(exchange->easy);
        (void)exchange->curl->multi_cleanup(exchange->multi);
        exchange->curl->slist_free_all(exchange->headers);
    }
    cleanup_close(&exchange->timer_fd);
    cleanup_close(&exchange->epoll_fd);
    free(exchange->received.data);
    free(exchange->socket);
    free(exchange->base_url);
    free(exchange);
    return NULL;
}

/* Whether it begins with a slash, and has no byte that would have to be encoded. */
static bool is_path(const char *path)
{
    if (path[0] != '/')
        return false;
    for (; *path; path++)
        if (*path <= ' ' || *path > '~')
            return false;
    return true;
}

static bool set_url(struct exchange *exchange, const char *path)
{
    AUTO_FREE char *url = NULL;
    CURLcode code;

    if (asprintf(&url, "%s%s", exchange->base_url, path) < 0) {
        url = NULL;
        return false;
    }
    code = exchange->curl->easy_setopt(exchange->easy, CURLOPT_URL, url);
    return code == CURLE_OK;
}

static bool set_request(struct exchange *exchange, const struct exchange_request *request)
{
    CURL *const easy = exchange->easy;
    const bool is_post = strcmp(request->method, "POST") == 0;
    const char *const body = request->body ? request->body : "";

    return set_url(exchange, request->path) &&
           exchange->curl->easy_setopt(easy, CURLOPT_TIMEOUT_MS,
                                       request->is_endless ? 0L : PATIENCE_MS) == CURLE_OK &&
           exchange->curl->easy_setopt(easy, CURLOPT_HTTPHEADER,
                                       request->body ? exchange->headers : NULL) == CURLE_OK &&
           (is_post ? exchange->curl->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE,
                                                  (curl_off_t)strlen(body)) == CURLE_OK &&
                          exchange->curl->easy_setopt(easy, CURLOPT_POSTFIELDS, body) == CURLE_OK
                    : exchange->curl->easy_setopt(easy, CURLOPT_HTTPGET, 1L) == CURLE_OK) &&
           exchange->curl->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method) == CURLE_OK;
}

int exchange_begin(struct exchange *exchange, const struct exchange_request *request)
{
    exchange_cancel(exchange);
    if (!is_path(request->path))
        return -EINVAL;
    if (!set_request(exchange, request) ||
        exchange->curl->multi_add_handle(exchange->multi, exchange->easy) != CURLM_OK)
        return -ENOMEM;
    exchange->is_under_way = true;
    return 0;
}

void exchange_cancel(struct exchange *exchange)
{
    if (exchange->is_under_way)
        (void)exchange->curl->multi_remove_handle(exchange->multi, exchange->easy);
    exchange->is_under_way = false;
    exchange->received.length = 0;
    exchange->words[0] = '\0';
}

/* What a failure is as an errno. */
static int error_of(const struct exchange *exchange, CURLcode code)
{
    long error = 0;

    switch (code) {
    case CURLE_COULDNT_CONNECT:
        (void)exchange->curl->easy_getinfo(exchange->easy, CURLINFO_OS_ERRNO, &error);
        return error > 0 ? -(int)error : -ECONNREFUSED;
    case CURLE_OPERATION_TIMEDOUT:
        return -ETIMEDOUT;
    case CURLE_OUT_OF_MEMORY:
        return -ENOMEM;
    case CURLE_COULDNT_RESOLVE_HOST:
        return -EHOSTUNREACH;
    case CURLE_WRITE_ERROR:
        return -EFBIG;
    case CURLE_URL_MALFORMAT:
        return -EINVAL;
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_GOT_NOTHING:
        return -ECONNRESET;
    default:
        return -EPROTO;
    }
}

/* Gives libcurl what has happened to its sockets and to the time. */
static int drive(struct exchange *exchange)
{
    struct epoll_event events[MOST_EVENTS];
    const int n = epoll_wait(exchange->epoll_fd, events, MOST_EVENTS, 0);
    int running;

    for (int i = 0; i < n; i++) {
        const int fd = events[i].data.fd;
        const unsigned happened = events[i].events;
        const int what = (happened & EPOLLIN ? CURL_CSELECT_IN : 0) |
                         (happened & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                         (happened & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
        uint64_t expirations;
        CURLMcode code;

        if (fd == exchange->timer_fd) {
            (void)!read(fd, &expirations, sizeof(expirations));
            code = exchange->curl->multi_socket_action(exchange->multi, CURL_SOCKET_TIMEOUT, 0,
                                                       &running);
        } else {
            code = exchange->curl->multi_socket_action(exchange->multi, fd, what, &running);
        }
        if (code != CURLM_OK)
            return -ENOMEM;
    }
    return n < 0 && errno != EINTR ? -errno : 0;
}

int exchange_advance(struct exchange *exchange)
{
    const CURLMsg *message;
    CURLcode code;
    int left, r;

    if (!exchange->is_under_way)
        return -EINVAL;
    r = drive(exchange);
    if (r < 0)
        return r;
    message = exchange->curl->multi_info_read(exchange->multi, &left);
    if (!message)
        return 0;
    code = message->data.result;
    (void)exchange->curl->multi_remove_handle(exchange->multi, exchange->easy);
    exchange->is_under_way = false;
    return code == CURLE_OK ? 1 : error_of(exchange, code);
}

int exchange_descriptor(const struct exchange *exchange)
{
    return exchange->epoll_fd;
}

int exchange_wait(const struct exchange *exchange, int timeout_ms)
{
    struct epoll_event event;
    const int n = epoll_wait(exchange->epoll_fd, &event, 1, timeout_ms);

    return n < 0 && errno != EINTR ? -errno : n != 0;
}

int exchange_status(const struct exchange *exchange)
{
    long status = 0;

    (void)exchange->curl->easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
    return (int)status;
}

const char *exchange_content_type(const struct exchange *exchange)
{
    char *type = NULL;

    (void)exchange->curl->easy_getinfo(exchange->easy, CURLINFO_CONTENT_TYPE, &type);
    return type ? type : "";
}

struct buffer *exchange_received(struct exchange *exchange)
{
    return &exchange->received;
}

const char *exchange_words(const struct exchange *exchange)
{
    return exchange->words;
}
