/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A server on a Unix socket that gives each connection the same bytes after one request, and ends
 * it; or gives none and keeps it. The last request is kept for the test.
 */

#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

struct answering_server {
    char directory[32], path[64];
    int fd;
    pthread_t thread;
    const char *bytes; /* NULL: none ever come */
    char request[4096];
    atomic_int n_requests;
};

/* Reads a request with its body, if that comes at once. */
static inline void server_read(struct answering_server *server, int fd)
{
    size_t length = 0;

    do {
        const ssize_t n =
            recv(fd, server->request + length, sizeof(server->request) - 1 - length, 0);

        if (n <= 0)
            break;
        length += (size_t)n;
        server->request[length] = '\0';
    } while (!strstr(server->request, "\r\n\r\n"));
}

static inline void *server_run(void *context)
{
    struct answering_server *const server = context;
    char byte;

    for (;;) {
        const int fd = accept(server->fd, NULL, NULL);

        if (fd < 0)
            return NULL;
        server_read(server, fd);
        atomic_fetch_add(&server->n_requests, 1);
        if (server->bytes) {
            (void)send(fd, server->bytes, strlen(server->bytes), MSG_NOSIGNAL);
            (void)shutdown(fd, SHUT_WR);
        }
        while (recv(fd, &byte, 1, 0) > 0)
            ; /* until the client ends */
        (void)close(fd);
    }
}

static inline void server_start(struct answering_server *server, const char *bytes)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    *server = (struct answering_server){.bytes = bytes, .directory = "/tmp/client-test-XXXXXX"};
    assert_non_null(mkdtemp(server->directory));
    (void)snprintf(server->path, sizeof(server->path), "%s/control", server->directory);
    memcpy(address.sun_path, server->path, strlen(server->path) + 1);
    server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_return_code(bind(server->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
    assert_return_code(listen(server->fd, 8), 0);
    assert_int_equal(0, pthread_create(&server->thread, NULL, server_run, server));
}

/* The clients have ended before. */
static inline void server_stop(struct answering_server *server)
{
    (void)shutdown(server->fd, SHUT_RDWR);
    assert_int_equal(0, pthread_join(server->thread, NULL));
    (void)close(server->fd);
    (void)unlink(server->path);
    (void)rmdir(server->directory);
}
