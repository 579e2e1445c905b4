/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Judges the certificate of a client. */

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdbool.h>

#include "web/tls_credentials.h"

/*
 * Whether the certificate that the client of a session has shown is one that the credentials take:
 * signed by a client CA for the use of clients and valid now, where that is wanted, and with one of
 * the names. A client that has shown none is taken.
 */
bool tls_client_is_taken(gnutls_session_t session, const struct tls_credentials *credentials);

/*
 * Whether a certificate has one of the names as an alternative name of its subject: of DNS, an
 * address of electronic mail, an IP address or a URI, letter by letter.
 */
bool tls_client_has_name(gnutls_x509_crt_t certificate, char *const *names, size_t n);
