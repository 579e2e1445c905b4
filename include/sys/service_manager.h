/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What systemd and we tell each other: states as by sd_notify(3), the watchdog, and the
 * sockets of a .socket unit. Where nobody started us that wants to know, the
 * functions that tell do nothing, and that is no failure.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * Each tells one state, and never waits. 0, also where nobody wants to know ($NOTIFY_SOCKET is not
 * set); -EAGAIN: the service manager does not read its socket, it may be told later;
 * -EAFNOSUPPORT: a kind of socket that is not ours; -errno.
 */
int service_manager_ready(void);
int service_manager_status(const char *status); /* one line for people */
int service_manager_reloading(void);            /* ends with service_manager_ready() */
int service_manager_stopping(void);
int service_manager_alive(void); /* what the watchdog waits for */

/*
 * Within what time, in microseconds, the service manager wants to hear
 * service_manager_alive(); 0: it does not. 0; -EINVAL, -ERANGE: what it says is no such number.
 */
int service_manager_watchdog(uint64_t *ret_usec);

struct passed_sockets {
    int *fds;     /* -1: taken over by someone else */
    char **names; /* FileDescriptorName= of its unit, "unknown" where there is none */
    size_t n;
};

/* How many descriptors were passed; they stay. The number, or -EINVAL. */
int service_manager_count_sockets(void);

/*
 * Takes the descriptors that were passed, in their order, closed on exec from now on;
 * none is no failure. Each must be a listening stream socket, of whatever family: if
 * one is not, -ENOTSOCK, and `ret_wrong` is its number, else -1. -EINVAL: LISTEN_FDS
 * is no number; -EBADF: it counts what is not open; -ENOMEM. After a failure the
 * descriptors stay open.
 */
int service_manager_take_sockets(struct passed_sockets *ret_sockets, int *ret_wrong);

/* Closes those that nobody has taken over. */
void passed_sockets_done(struct passed_sockets *sockets);
