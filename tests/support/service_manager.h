/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The test plays the service manager: it has the socket that NOTIFY_SOCKET names. */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/service_manager.h"

/*
 * Binds an abstract socket and puts its name into the environment. The name has our process number
 * and the word of the caller, so that tests that run at the same time do not meet. The caller
 * closes the descriptor.
 */
static inline int listen_as_manager(const char *word)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char name[64];
    socklen_t length;
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    assert_true(fd >= 0);
    (void)snprintf(name, sizeof(name), "@pmu_exporter-%s-%d", word, getpid());
    length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name));
    memcpy(address.sun_path + 1, name + 1, strlen(name) - 1);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, length), 0);
    assert_int_equal(setenv("NOTIFY_SOCKET", name, 1), 0);
    return fd;
}

/* The next message that waits at the socket; "" if none does. It is valid until the next call. */
static inline const char *heard(int manager)
{
    static char message[256];
    const ssize_t n = recv(manager, message, sizeof(message) - 1, 0);

    message[n < 0 ? 0 : n] = '\0';
    return message;
}

/* Sends messages until the queue of the service manager is full. */
static inline void fill_manager_queue(void)
{
    int r = 0;

    (void)alarm(60); /* A send that waits would wait for ever. */
    for (int i = 0; r == 0 && i < 1000000; i++)
        r = service_manager_alive();
    (void)alarm(0);
    assert_int_equal(r, -EAGAIN);
}
