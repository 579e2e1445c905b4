/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The file of --web.config.file, in which TLS and users are configured as for Prometheus and its
 * exporters: https://prometheus.io/docs/prometheus/latest/configuration/https/. It is read as
 * strictly as our own configuration, and every file that it names is read with it.
 */

#include <stdbool.h>

#include "config/config.h"
#include "web/protection.h"

/* The file itself, and those that it names: a certificate, a key, a client CA. */
#define WEB_CONFIG_MOST_FILES 4

/* What was read. */
struct web_config {
    struct protection *protection;
    uint64_t begun_realtime_ns;         /* what changed since then may not be in it */
    char *files[WEB_CONFIG_MOST_FILES]; /* the paths of the files that it came from; or NULL */
    bool has_users_key;                 /* basic_auth_users is there, maybe without a user */
    bool ignores_http2;                 /* http2 is asked for, which is not spoken here */
    unsigned dearest_cost;              /* of the hashes of users: each step doubles the time */
};

struct web_config *web_config_free(struct web_config *config);
DEFINE_AUTO(web_config, struct web_config *, web_config_free)

/*
 * Reads the file, and those that it names: relative paths are relative to its folder. A process
 * without rights takes its text apart; `reader` NULL: this one does. Returns 0;
 * -EINVAL with *ret_error filled, the place being that of the word at fault; -ENOMEM; another
 * -errno: the file itself cannot be read.
 */
int web_config_read(struct object_reader *reader, const char *path, struct web_config **ret_config,
                    struct config_error *ret_error);

/*
 * Parses the text of such a file, whose folder is `directory`, as web_config_read() does; ->files
 * has only the files that the text names.
 */
int web_config_parse(struct object_reader *reader, const char *text, size_t length,
                     const char *directory, struct web_config **ret_config,
                     struct config_error *ret_error);

/*
 * Whether it may take the place of the one that is in force. It may not where that one has TLS or
 * users and the new one says nothing of them: a file that was cut looks like that. Users are
 * removed by an empty `basic_auth_users: {}`, TLS by a restart. 0, or -EINVAL with *ret_error
 * filled.
 */
int web_config_may_follow(const struct web_config *running, const struct web_config *next,
                          struct config_error *ret_error);
