/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * How what is answered on TCP is protected: TLS, users, limits and headers. A protection is made of
 * a plain description, never changes, and is shared by counting: the server changes to a new one
 * while connections that began under the old one go on.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/cleanup.h"

/* Which certificate a client has to show. The names and meanings are those of Go's crypto/tls. */
enum client_auth {
    CLIENT_AUTH_NONE,
    CLIENT_AUTH_REQUEST,            /* it is asked for one, and none is looked at */
    CLIENT_AUTH_REQUIRE_ANY,        /* any certificate will do */
    CLIENT_AUTH_VERIFY_IF_GIVEN,    /* one that is shown has to be signed by the client CA */
    CLIENT_AUTH_REQUIRE_AND_VERIFY, /* it has to show one that is signed by the client CA */
};

enum tls_version { TLS_1_0, TLS_1_1, TLS_1_2, TLS_1_3 };

/* Names of a list; all that a description refers to is borrowed while a protection is made. */
struct protection_names {
    const char *const *names;
    size_t n;
};

struct tls_spec {
    const char *certificate; /* text of PEM: the server's certificate and its chain; NULL: no TLS */
    const char *key;         /* text of PEM */
    const char *client_ca;   /* text of PEM; NULL: the CAs that the machine trusts */
    enum client_auth client_auth;
    struct protection_names client_sans; /* of which a client's certificate has one; none: any */
    enum tls_version oldest, newest;
    struct protection_names suites; /* up to TLS 1.2, names of tls_suite_names; none: the default */
    struct protection_names groups; /* names of tls_group_names; none: the default */
    bool server_chooses;            /* the server's order of suites is that which counts */
};

/* A pair of words: a user and the bcrypt hash of the password, or a header and its value. */
struct protection_pair {
    const char *name;
    const char *value;
};

struct protection_spec {
    struct tls_spec tls;
    const struct protection_pair *users; /* none: everybody is answered */
    size_t n_users;
    const struct protection_pair *headers; /* of every answer */
    size_t n_headers;
    uint64_t rate_interval_ns; /* a request is allowed in each such time; 0: no limit */
    uint64_t rate_burst;       /* so many may come at once */
};

/* What of a description is wrong. */
enum protection_part {
    PROTECTION_CERTIFICATE,
    PROTECTION_KEY,
    PROTECTION_CLIENT_CA,
    PROTECTION_TLS, /* the rest of it: versions, suites and groups that do not go together */
};

struct protection_fault {
    enum protection_part part;
    char message[200];
};

struct protection;

/* Returns 0; -EINVAL with *ret_fault filled; -ENOMEM. */
int protection_new(const struct protection_spec *spec, struct protection **ret_protection,
                   struct protection_fault *ret_fault);

/* Take a reference, and give one up; the last frees it. Any thread may call them. NULL is taken. */
struct protection *protection_ref(struct protection *protection);
struct protection *protection_unref(struct protection *protection);
DEFINE_AUTO(protection, struct protection *, protection_unref)

/* What a protection comes to, for people. */
struct protection_facts {
    bool has_tls;
    char subject[256]; /* of the server's certificate, by RFC 4514, and who has signed it */
    char issuer[256];
    time_t valid_from, valid_until;
    enum client_auth client_auth;
    size_t n_users;
    size_t n_headers;
    uint64_t rate_interval_ns;
    uint64_t rate_burst;
};
void protection_describe(const struct protection *protection, struct protection_facts *ret_facts);

/* The user with this index, of n_users. Borrowed. */
const char *protection_user(const struct protection *protection, size_t i);

/* Whether a text is a hash that bcrypt has made, and that can be verified here. */
bool protection_is_hash(const char *text);

/* The names that a description may have, as Go calls them. Both lists end with NULL. */
extern const char *const tls_suite_names[];
extern const char *const tls_group_names[];

/* The header whose value is one of a few, or may be any text (`values` is empty). */
struct protection_header {
    const char *name;
    const char *values[3];
};
extern const struct protection_header protection_headers[];
extern const size_t protection_n_headers;
