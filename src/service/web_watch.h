/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Follows the files of --web.config.file: each second a thread looks whether one has changed, reads
 * them all again, and gives the server the new protection. A bad one never replaces a good one.
 */

#include "config/web_config.h"
#include "metric/http_status.h"
#include "web/server.h"

struct web_watch;

/*
 * Puts the configuration, which is taken over, into force, and begins to follow the file. The path,
 * the reader and the server outlive the watch. Returns 0 or -errno.
 */
int web_watch_new(struct object_reader *reader, const char *path, struct web_config *config,
                  struct http_server *server, struct web_watch **ret_watch);
struct web_watch *web_watch_free(struct web_watch *watch);

/* Fills in what is known of the file. Any thread may ask; NULL: there is none. */
void web_watch_status(const struct web_watch *watch, struct http_status *ret_status);
