/* SPDX-License-Identifier: Apache-2.0 */
#include "web/tls_client.h"

#include <arpa/inet.h>
#include <string.h>

#define LONGEST_NAME 1024

/* The address as text; false: it is none. */
static bool address_to_text(const char *bytes, size_t length, char *ret_text, size_t size)
{
    const int family = length == 4 ? AF_INET : AF_INET6;

    return (length == 4 || length == 16) &&
           inet_ntop(family, bytes, ret_text, (socklen_t)size) != NULL;
}

static bool is_named(const char *name, char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

bool tls_client_has_name(gnutls_x509_crt_t certificate, char *const *names, size_t n)
{
    for (unsigned i = 0;; i++) {
        char name[LONGEST_NAME + 1] = "", shown[INET6_ADDRSTRLEN];
        size_t length = LONGEST_NAME;
        const int kind = gnutls_x509_crt_get_subject_alt_name(certificate, i, name, &length, NULL);

        if (kind == GNUTLS_E_SHORT_MEMORY_BUFFER)
            continue; /* nobody has named one so long */
        if (kind < 0)
            return false;
        if (kind == GNUTLS_SAN_IPADDRESS) {
            if (address_to_text(name, length, shown, sizeof(shown)) && is_named(shown, names, n))
                return true;
        } else if (kind == GNUTLS_SAN_DNSNAME || kind == GNUTLS_SAN_RFC822NAME ||
                   kind == GNUTLS_SAN_URI) {
            if (strlen(name) == length && is_named(name, names, n))
                return true;
        }
    }
}

static bool is_verified(gnutls_session_t session)
{
    gnutls_typed_vdata_st purpose = {.type = GNUTLS_DT_KEY_PURPOSE_OID,
                                     .data = (unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_CLIENT};
    unsigned status = 0;

    return gnutls_certificate_verify_peers(session, &purpose, 1, &status) >= 0 && status == 0;
}

static bool has_name(gnutls_session_t session, const struct tls_credentials *credentials)
{
    const gnutls_datum_t *const shown = gnutls_certificate_get_peers(session, NULL);
    gnutls_x509_crt_t certificate;
    bool has = false;

    if (!shown || gnutls_x509_crt_init(&certificate) < 0)
        return false;
    if (gnutls_x509_crt_import(certificate, shown, GNUTLS_X509_FMT_DER) >= 0)
        has =
            tls_client_has_name(certificate, credentials->client_sans, credentials->n_client_sans);
    gnutls_x509_crt_deinit(certificate);
    return has;
}

bool tls_client_is_taken(gnutls_session_t session, const struct tls_credentials *credentials)
{
    const bool verifies = credentials->client_auth == CLIENT_AUTH_VERIFY_IF_GIVEN ||
                          credentials->client_auth == CLIENT_AUTH_REQUIRE_AND_VERIFY;

    if (!gnutls_certificate_get_peers(session, NULL))
        return true; /* where one has to be shown, GnuTLS has refused the client */
    if (verifies && !is_verified(session))
        return false;
    return credentials->n_client_sans == 0 || has_name(session, credentials);
}
