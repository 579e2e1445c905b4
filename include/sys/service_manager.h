/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The service manager (systemd): it is notified of our states as by sd_notify(3), it has a
 * watchdog, and it may pass the sockets of a .socket unit. If we were not started by one, the
 * functions that notify it do nothing, and succeed.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * Each of these notifies the service manager of a state, and never waits. 0, also if there is no
 * service manager ($NOTIFY_SOCKET is not set); -EAGAIN: it does not read its socket now, try again
 * later; -EAFNOSUPPORT: its socket is of a kind that we cannot use; -errno.
 */
int service_manager_ready(void);
int service_manager_status(const char *status); /* one line for people */
int service_manager_reloading(void);            /* ends with service_manager_ready() */
int service_manager_stopping(void);
int service_manager_alive(void); /* resets the watchdog */

/*
 * The time, in microseconds, within which the watchdog expects service_manager_alive(); *ret_usec
 * 0: there is no watchdog. 0; -EINVAL, -ERANGE: the environment variable is no such number.
 */
int service_manager_watchdog(uint64_t *ret_usec);

struct passed_sockets {
    int *fds;     /* -1: somebody has taken it over */
    char **names; /* FileDescriptorName= of its unit, "unknown" where there is none */
    size_t n;
};

/* How many descriptors were passed, without taking them. The number, or -EINVAL. */
int service_manager_count_sockets(void);

/*
 * Takes the descriptors that were passed, in their order; from now on they are closed on exec. It
 * is no failure if there are none. 0; -ENOTSOCK: one of them, whose number is *ret_wrong, is no
 * listening stream socket; -EINVAL: LISTEN_FDS is no number; -EBADF: it counts descriptors that are
 * not open; -ENOMEM. *ret_wrong is -1 unless -ENOTSOCK is returned. After a failure the descriptors
 * stay open.
 */
int service_manager_take_sockets(struct passed_sockets *ret_sockets, int *ret_wrong);

/* Closes the sockets that nobody has taken over. */
void passed_sockets_done(struct passed_sockets *sockets);
