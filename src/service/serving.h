/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The server as the service runs it: on which sockets, and with what limits. */

#include "base/growing_wait.h"
#include "service/options.h"
#include "sys/service_manager.h"
#include "web/server.h"

struct serving {
    struct http_server *server;
    struct passed_sockets passed;
    struct http_status told;       /* what the log has told of */
    struct growing_wait told_wait; /* not again before its end */
};

/*
 * Binds the addresses, or takes the sockets of systemd, and the control socket, which
 * may fail, and starts the server's thread. What may be asked of the service goes through the
 * slot. Logs where it listens and what goes wrong. 0 or -errno; serving_stop() is
 * wanted also then.
 */
int serving_start(struct serving *serving, const struct options *options,
                  const struct route_table *table, struct control_slot *control,
                  unsigned connections);

/*
 * Warns where clients had to make room for others or found none: at most once a minute, and more
 * and more seldom while that goes on.
 */
void serving_tell(struct serving *serving, uint64_t now_ns);

void serving_stop(struct serving *serving);
