/* SPDX-License-Identifier: Apache-2.0 */
#include "config/web_config_schema.h"

#include <limits.h>

#include "base/clock.h"

#define LONGEST_PEM    UINT64_C(262144)
#define LONGEST_PATH   (PATH_MAX - 1)
#define LONGEST_NAME   255
#define LONGEST_HEADER 4096
#define MOST_SUITES    64
#define MOST_SANS      256
#define MOST_USERS     256
#define LARGEST_BURST  1000000

#define TLS(field)  offsetof(struct web_config_tls, field)
#define TEXT(field) offsetof(struct web_config_text, field)

static const char *const client_auth_choices[] = {"NoClientCert",
                                                  "RequestClientCert",
                                                  "RequireAnyClientCert",
                                                  "VerifyClientCertIfGiven",
                                                  "RequireAndVerifyClientCert",
                                                  "RequireClientCert",
                                                  NULL};
static const enum client_auth client_auths[] = {CLIENT_AUTH_NONE,
                                                CLIENT_AUTH_REQUEST,
                                                CLIENT_AUTH_REQUIRE_ANY,
                                                CLIENT_AUTH_VERIFY_IF_GIVEN,
                                                CLIENT_AUTH_REQUIRE_AND_VERIFY,
                                                CLIENT_AUTH_REQUIRE_ANY};

static const char *const version_choices[] = {
    [TLS_1_0] = "TLS10", [TLS_1_1] = "TLS11", [TLS_1_2] = "TLS12", [TLS_1_3] = "TLS13", NULL};

enum client_auth web_config_client_auth(unsigned choice)
{
    return client_auths[choice];
}

#define PEM_TEXT(key, field, what)                                                                 \
    {                                                                                              \
        .name = (key), .type = SCHEMA_WORD, .expected = "the text of " what " in PEM",             \
        .offset = TLS(field), .takes_lines = true, .maximum = LONGEST_PEM                          \
    }
#define PEM_FILE(key, field, what)                                                                 \
    {                                                                                              \
        .name = (key), .type = SCHEMA_WORD, .expected = "the path of " what " in PEM",             \
        .offset = TLS(field), .maximum = LONGEST_PATH                                              \
    }

static const struct schema_key tls_keys[] = {
    PEM_TEXT("cert", certificate, "a certificate"),
    PEM_TEXT("key", key, "a private key"),
    PEM_TEXT("client_ca", client_ca, "a certificate"),
    PEM_FILE("cert_file", certificate_file, "a certificate"),
    PEM_FILE("key_file", key_file, "a private key"),
    PEM_FILE("client_ca_file", client_ca_file, "a certificate"),
    {.name = "client_auth_type",
     .type = SCHEMA_CHOICE,
     .offset = TLS(client_auth),
     .choices = client_auth_choices},
    {.name = "client_allowed_sans",
     .type = SCHEMA_WORDS,
     .expected = "a list of names, such as [prometheus.example.org]",
     .offset = TLS(client_sans),
     .maximum = LONGEST_NAME,
     .most = MOST_SANS,
     .takes_nothing = true},
    {.name = "min_version",
     .type = SCHEMA_CHOICE,
     .offset = TLS(oldest),
     .choices = version_choices},
    {.name = "max_version",
     .type = SCHEMA_CHOICE,
     .offset = TLS(newest),
     .choices = version_choices},
    {.name = "cipher_suites",
     .type = SCHEMA_WORDS,
     .expected = "a list of suites, such as [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256]",
     .offset = TLS(suites),
     .maximum = LONGEST_NAME,
     .most = MOST_SUITES,
     .takes_nothing = true},
    {.name = "prefer_server_cipher_suites",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = TLS(server_chooses)},
    {.name = "curve_preferences",
     .type = SCHEMA_WORDS,
     .expected = "a list of curves, such as [X25519, CurveP256]",
     .offset = TLS(groups),
     .maximum = LONGEST_NAME,
     .most = MOST_SUITES,
     .takes_nothing = true},
};

static const struct schema tls_schema = {"tls_server_config", tls_keys, SCHEMA_N_KEYS(tls_keys)};

#define HEADER(i, key, what)                                                                       \
    {                                                                                              \
        .name = (key), .type = SCHEMA_WORD, .expected = what,                                      \
        .offset = TEXT(http.headers) + (i) * sizeof(struct config_word), .maximum = LONGEST_HEADER \
    }

static const struct schema_key header_keys[] = {
    HEADER(0, "Content-Security-Policy", "a policy in one line"),
    HEADER(1, "Strict-Transport-Security", "a text in one line, such as max-age=31536000"),
    HEADER(2, "X-Content-Type-Options", "nosniff"),
    HEADER(3, "X-Frame-Options", "deny or sameorigin"),
    HEADER(4, "X-XSS-Protection", "a text in one line"),
};

static const struct schema headers_schema = {"headers", header_keys, SCHEMA_N_KEYS(header_keys)};

static const struct schema_key http_keys[] = {
    {.name = "http2",
     .type = SCHEMA_BOOL,
     .expected = "true or false",
     .offset = TEXT(http.http2),
     .given_offset = TEXT(http.http2_given)},
    {.name = "headers",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .inner = &headers_schema,
     .takes_nothing = true},
};

static const struct schema http_schema = {"http_server_config", http_keys,
                                          SCHEMA_N_KEYS(http_keys)};

static const struct schema_key rate_keys[] = {
    {.name = "interval",
     .type = SCHEMA_DURATION,
     .expected = "a duration, such as 100ms, in which one request is allowed, or 0",
     .offset = TEXT(rate.interval_ns),
     .maximum = UINT64_C(24) * 3600 * NS_PER_SECOND},
    {.name = "burst", .type = SCHEMA_NUMBER, .offset = TEXT(rate.burst), .maximum = LARGEST_BURST},
};

static const struct schema rate_schema = {"rate_limit", rate_keys, SCHEMA_N_KEYS(rate_keys)};

static const struct schema_key root_keys[] = {
    {.name = "tls_server_config",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .offset = TEXT(tls),
     .inner = &tls_schema,
     .takes_nothing = true},
    {.name = "http_server_config",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .inner = &http_schema,
     .takes_nothing = true},
    {.name = "basic_auth_users",
     .type = SCHEMA_PAIRS,
     .expected = "a mapping of names to hashes of bcrypt, or {}",
     .offset = TEXT(users),
     .given_offset = TEXT(users_given),
     .maximum = LONGEST_NAME,
     .most = MOST_USERS,
     .takes_nothing = true},
    {.name = "rate_limit",
     .type = SCHEMA_MAPPING,
     .expected = "a mapping",
     .inner = &rate_schema,
     .takes_nothing = true},
};

const struct schema web_config_schema = {"a web configuration", root_keys,
                                         SCHEMA_N_KEYS(root_keys)};
