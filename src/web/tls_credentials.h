/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The certificate that we show, and which ones we take from clients. */

#include <gnutls/gnutls.h>
#include <stdbool.h>
#include <stdint.h>

#include "web/protection.h"

struct tls_credentials {
    gnutls_certificate_credentials_t certificates; /* NULL: no TLS */
    gnutls_priority_t priorities;
    uint32_t suites; /* tls_suites_mask() */
    enum client_auth client_auth;
    char **client_sans; /* n_client_sans of them */
    size_t n_client_sans;
};

/*
 * Takes over nothing of the description. Returns 0; -EINVAL with *ret_fault filled; -ENOMEM.
 * tls_credentials_done() is to be called in any case.
 */
int tls_credentials_init(struct tls_credentials *credentials, const struct tls_spec *spec,
                         struct protection_fault *ret_fault);
void tls_credentials_done(struct tls_credentials *credentials);

/*
 * Makes a session of a server that has these credentials, which have to outlive it. Returns 0 or
 * -ENOMEM.
 */
int tls_credentials_open(struct tls_credentials *credentials, gnutls_session_t *ret_session);

/* Tells of the certificate that we show. */
void tls_credentials_describe(const struct tls_credentials *credentials,
                              struct protection_facts *ret_facts);
