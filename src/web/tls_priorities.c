/* SPDX-License-Identifier: Apache-2.0 */
/*
 * As with Go, suites are chosen up to TLS 1.2 alone: those of TLS 1.3 are always there, and naming
 * them changes nothing. The default leaves out what has no forward secrecy, and, where nobody asks
 * for TLS 1.1 or less, what has no authenticated encryption.
 */
#include "web/tls_priorities.h"

#include <string.h>

#define CIPHERS_OF_TLS_1_3 ":+AES-128-GCM:+AES-256-GCM:+CHACHA20-POLY1305:+AEAD"

struct suite {
    const char *exchange, *cipher, *mac; /* as GnuTLS calls them; NULL: of TLS 1.3 */
};

const char *const tls_suite_names[] = {
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    NULL,
};

/* In the order of the names. */
static const struct suite suites[ARRAY_SIZE(tls_suite_names) - 1] = {
    {NULL, NULL, NULL},
    {NULL, NULL, NULL},
    {NULL, NULL, NULL},
    {"ECDHE-ECDSA", "AES-128-GCM", "AEAD"},
    {"ECDHE-ECDSA", "AES-256-GCM", "AEAD"},
    {"ECDHE-ECDSA", "CHACHA20-POLY1305", "AEAD"},
    {"ECDHE-RSA", "AES-128-GCM", "AEAD"},
    {"ECDHE-RSA", "AES-256-GCM", "AEAD"},
    {"ECDHE-RSA", "CHACHA20-POLY1305", "AEAD"},
    {"ECDHE-ECDSA", "AES-128-CBC", "SHA1"},
    {"ECDHE-ECDSA", "AES-256-CBC", "SHA1"},
    {"ECDHE-RSA", "AES-128-CBC", "SHA1"},
    {"ECDHE-RSA", "AES-256-CBC", "SHA1"},
    {"RSA", "AES-128-GCM", "AEAD"},
    {"RSA", "AES-256-GCM", "AEAD"},
    {"RSA", "AES-128-CBC", "SHA1"},
    {"RSA", "AES-256-CBC", "SHA1"},
};

const char *const tls_group_names[] = {"CurveP256", "CurveP384", "CurveP521", "X25519", NULL};

/* In the order of the names. */
static const char *const groups[] = {"GROUP-SECP256R1", "GROUP-SECP384R1", "GROUP-SECP521R1",
                                     "GROUP-X25519"};

static const char *const versions[] = {[TLS_1_0] = "VERS-TLS1.0",
                                       [TLS_1_1] = "VERS-TLS1.1",
                                       [TLS_1_2] = "VERS-TLS1.2",
                                       [TLS_1_3] = "VERS-TLS1.3"};

/* The index of a name in a list that ends with NULL; its length: it is not there. */
static size_t find(const char *const *names, const char *name)
{
    size_t i = 0;

    while (names[i] && strcmp(names[i], name) != 0)
        i++;
    return i;
}

static void append_suites(struct text *text, const struct protection_names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        const size_t at = find(tls_suite_names, names->names[i]);

        if (at < ARRAY_SIZE(suites) && suites[at].cipher)
            text_append_format(text, ":+%s:+%s:+%s", suites[at].exchange, suites[at].cipher,
                               suites[at].mac);
    }
    text_append_string(text, CIPHERS_OF_TLS_1_3);
    if (!tls_suites_mask(names))
        text_append_string(text, ":+ECDHE-ECDSA:+ECDHE-RSA");
}

static void append_groups(struct text *text, const struct protection_names *names)
{
    if (names->n > 0)
        text_append_string(text, ":-GROUP-ALL");
    for (size_t i = 0; i < names->n; i++) {
        const size_t at = find(tls_group_names, names->names[i]);

        if (at < ARRAY_SIZE(groups))
            text_append_format(text, ":+%s", groups[at]);
    }
}

void tls_priorities_append(struct text *text, const struct tls_spec *spec)
{
    text_append_string(text, "NORMAL:-VERS-ALL");
    for (unsigned version = spec->newest; version + 1 > (unsigned)spec->oldest; version--) {
        text_append_format(text, ":+%s", versions[version]);
        if (version == TLS_1_0)
            break;
    }
    text_append_string(text, ":-KX-ALL:-CIPHER-ALL:-MAC-ALL");
    append_suites(text, &spec->suites);
    if (spec->oldest < TLS_1_2 && !tls_suites_mask(&spec->suites))
        text_append_string(text, ":+AES-128-CBC:+AES-256-CBC:+SHA1");
    append_groups(text, &spec->groups);
    /* where suites are named, those stand before the ones of TLS 1.3 and have to be found first */
    if (spec->server_chooses || tls_suites_mask(&spec->suites))
        text_append_string(text, ":%SERVER_PRECEDENCE");
}

uint32_t tls_suites_mask(const struct protection_names *names)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < names->n; i++) {
        const size_t at = find(tls_suite_names, names->names[i]);

        if (at < ARRAY_SIZE(suites) && suites[at].cipher)
            mask |= UINT32_C(1) << at;
    }
    return mask;
}

bool tls_suites_allow(uint32_t mask, gnutls_session_t session)
{
    if (!mask || gnutls_protocol_get_version(session) >= GNUTLS_TLS1_3)
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(suites); i++)
        if ((mask & UINT32_C(1) << i) &&
            strcmp(suites[i].exchange, gnutls_kx_get_name(gnutls_kx_get(session))) == 0 &&
            strcmp(suites[i].cipher, gnutls_cipher_get_name(gnutls_cipher_get(session))) == 0 &&
            strcmp(suites[i].mac, gnutls_mac_get_name(gnutls_mac_get(session))) == 0)
            return true;
    return false;
}
