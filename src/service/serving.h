/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The server as the service runs it: on which sockets, and with what limits. */

#include "base/growing_wait.h"
#include "config/web_config.h"
#include "service/options.h"
#include "service/web_watch.h"
#include "sys/service_manager.h"
#include "web/server.h"

struct serving {
    struct http_server *server;
    struct passed_sockets passed;
    struct http_status logged;        /* These were the numbers when a crowd was logged last. */
    struct web_config *web_config;    /* It is owned until the watch has it; NULL: there is none. */
    struct object_reader *web_reader; /* borrowed; NULL: there is no web configuration */
    struct web_watch *watch;          /* NULL: no file is followed. */
    struct growing_wait log_wait;     /* Before its end a crowd is not logged again. */
};

/*
 * Binds the addresses, or takes the sockets of systemd, opens the control socket, without which it
 * goes on if that fails, and starts the server's thread. The server shows the pages of the table;
 * its commands go through the slot. At most `connections` clients are served at once, and answers
 * that are made for one of them alone take at most `answer_bytes` together. Logs where
 * the server listens and what goes wrong. Returns 0 or -errno; serving_stop() has to be called
 * after a failure too.
 */
int serving_start(struct serving *serving, const struct options *options,
                  const struct route_table *table, struct control_slot *control,
                  unsigned connections, size_t answer_bytes);

/* What the server and the web configuration tell of themselves. Any thread may ask. */
void serving_status(const struct serving *serving, struct http_status *ret_status);

/*
 * Logs a warning if clients had to make room for others or found no room: at most once a minute,
 * and more and more seldom while that goes on. To be called after each cycle.
 */
void serving_log_crowd(struct serving *serving, uint64_t now_ns);

void serving_stop(struct serving *serving);
