/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The keys of a web configuration, and the structure that they are read into. */

#include "config/schema.h"
#include "web/protection.h"

struct web_config_tls {
    struct config_word certificate, key, client_ca;                /* PEM in the file itself */
    struct config_word certificate_file, key_file, client_ca_file; /* or in a file */
    unsigned client_auth;                                          /* a choice of the schema */
    struct config_words client_sans;
    enum tls_version oldest, newest;
    struct config_words suites;
    bool server_chooses;
    struct config_words groups;
};

struct web_config_text {
    struct web_config_tls tls;
    struct {
        bool http2, http2_given;
        struct config_word headers[5]; /* in the order of protection_headers */
    } http;
    struct config_pairs users;
    bool users_given;
    struct {
        uint64_t interval_ns, burst;
    } rate;
};

extern const struct schema web_config_schema;

/* What the choice of client_auth_type means; an older name of the toolkit is one of them. */
enum client_auth web_config_client_auth(unsigned choice);
