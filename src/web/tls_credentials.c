/* SPDX-License-Identifier: Apache-2.0 */
#include "web/tls_credentials.h"

#include <errno.h>
#include <gnutls/x509.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "web/tls_client.h"
#include "web/tls_priorities.h"

/* Says what is wrong. Returns -EINVAL, for `return`. */
static int fault(struct protection_fault *ret_fault, enum protection_part part, const char *format,
                 ...) __attribute__((format(printf, 3, 4)));

static int fault(struct protection_fault *ret_fault, enum protection_part part, const char *format,
                 ...)
{
    va_list arguments;

    ret_fault->part = part;
    va_start(arguments, format);
    (void)vsnprintf(ret_fault->message, sizeof(ret_fault->message), format, arguments);
    va_end(arguments);
    return -EINVAL;
}

static gnutls_datum_t datum_of(const char *text)
{
    return (gnutls_datum_t){(unsigned char *)(uintptr_t)text, (unsigned)strlen(text)};
}

/* GnuTLS tells of a certificate and a key together, so each is looked at alone before. */
static int check_pair(const struct tls_spec *spec, struct protection_fault *ret_fault)
{
    const gnutls_datum_t certificate = datum_of(spec->certificate), key = datum_of(spec->key);
    gnutls_x509_crt_t *chain = NULL;
    gnutls_x509_privkey_t private;
    unsigned n = 0;
    int r;

    r = gnutls_x509_crt_list_import2(&chain, &n, &certificate, GNUTLS_X509_FMT_PEM, 0);
    for (unsigned i = 0; r >= 0 && i < n; i++)
        gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
    if (r < 0)
        return fault(ret_fault, PROTECTION_CERTIFICATE, "no certificate in PEM: %s",
                     gnutls_strerror(r));
    if (gnutls_x509_privkey_init(&private) < 0)
        return -ENOMEM;
    r = gnutls_x509_privkey_import2(private, &key, GNUTLS_X509_FMT_PEM, NULL, 0);
    gnutls_x509_privkey_deinit(private);
    if (r < 0)
        return fault(ret_fault, PROTECTION_KEY, "no private key in PEM without a password: %s",
                     gnutls_strerror(r));
    return 0;
}

static int load_pair(struct tls_credentials *credentials, const struct tls_spec *spec,
                     struct protection_fault *ret_fault)
{
    const gnutls_datum_t certificate = datum_of(spec->certificate), key = datum_of(spec->key);
    int r = check_pair(spec, ret_fault);

    if (r < 0)
        return r;
    r = gnutls_certificate_set_x509_key_mem2(credentials->certificates, &certificate, &key,
                                             GNUTLS_X509_FMT_PEM, NULL, 0);
    if (r == GNUTLS_E_CERTIFICATE_KEY_MISMATCH)
        return fault(ret_fault, PROTECTION_KEY, "the key is not that of the certificate");
    if (r < 0)
        return fault(ret_fault, PROTECTION_CERTIFICATE, "the certificate cannot be used: %s",
                     gnutls_strerror(r));
    return 0;
}

static int load_client_ca(struct tls_credentials *credentials, const struct tls_spec *spec,
                          struct protection_fault *ret_fault)
{
    gnutls_datum_t authorities;
    int r;

    if (!spec->client_ca) {
        if (spec->client_auth >= CLIENT_AUTH_VERIFY_IF_GIVEN)
            (void)gnutls_certificate_set_x509_system_trust(credentials->certificates);
        return 0;
    }
    authorities = datum_of(spec->client_ca);
    r = gnutls_certificate_set_x509_trust_mem(credentials->certificates, &authorities,
                                              GNUTLS_X509_FMT_PEM);
    if (r <= 0)
        return fault(ret_fault, PROTECTION_CLIENT_CA, "no certificate in PEM: %s",
                     gnutls_strerror(r < 0 ? r : GNUTLS_E_NO_CERTIFICATE_FOUND));
    return 0;
}

static int set_priorities(struct tls_credentials *credentials, const struct tls_spec *spec,
                          struct protection_fault *ret_fault)
{
    AUTO_TEXT struct text text = {0};
    AUTO_FREE char *priorities = NULL;
    int r;

    tls_priorities_append(&text, spec);
    priorities = text_take(&text);
    if (!priorities)
        return -ENOMEM;
    r = gnutls_priority_init(&credentials->priorities, priorities, NULL);
    if (r == GNUTLS_E_MEMORY_ERROR)
        return -ENOMEM;
    if (r < 0)
        return fault(ret_fault, PROTECTION_TLS,
                     "these versions, cipher suites and curves do not go together: %s",
                     gnutls_strerror(r));
    credentials->suites = tls_suites_mask(&spec->suites);
    return 0;
}

static int copy_names(struct tls_credentials *credentials, const struct protection_names *names)
{
    if (names->n == 0)
        return 0;
    credentials->client_sans = calloc(names->n, sizeof(*credentials->client_sans));
    if (!credentials->client_sans)
        return -ENOMEM;
    while (credentials->n_client_sans < names->n) {
        char *name = strdup(names->names[credentials->n_client_sans]);

        if (!name)
            return -ENOMEM;
        credentials->client_sans[credentials->n_client_sans++] = name;
    }
    return 0;
}

int tls_credentials_init(struct tls_credentials *credentials, const struct tls_spec *spec,
                         struct protection_fault *ret_fault)
{
    int r;

    *credentials = (struct tls_credentials){.client_auth = spec->client_auth};
    if (!spec->certificate)
        return 0;
    if (gnutls_certificate_allocate_credentials(&credentials->certificates) < 0)
        return -ENOMEM;
    r = load_pair(credentials, spec, ret_fault);
    if (r == 0)
        r = load_client_ca(credentials, spec, ret_fault);
    if (r == 0)
        r = set_priorities(credentials, spec, ret_fault);
    return r < 0 ? r : copy_names(credentials, &spec->client_sans);
}

void tls_credentials_done(struct tls_credentials *credentials)
{
    if (credentials->certificates)
        gnutls_certificate_free_credentials(credentials->certificates);
    if (credentials->priorities)
        gnutls_priority_deinit(credentials->priorities);
    for (size_t i = 0; i < credentials->n_client_sans; i++)
        free(credentials->client_sans[i]);
    free(credentials->client_sans);
    *credentials = (struct tls_credentials){0};
}

static int judge_client(gnutls_session_t session)
{
    return tls_client_is_taken(session, gnutls_session_get_ptr(session))
               ? 0
               : GNUTLS_E_CERTIFICATE_ERROR;
}

static gnutls_certificate_request_t request_of(enum client_auth client_auth)
{
    switch (client_auth) {
    case CLIENT_AUTH_NONE:
        return GNUTLS_CERT_IGNORE;
    case CLIENT_AUTH_REQUEST:
    case CLIENT_AUTH_VERIFY_IF_GIVEN:
        return GNUTLS_CERT_REQUEST;
    default:
        return GNUTLS_CERT_REQUIRE;
    }
}

int tls_credentials_open(struct tls_credentials *credentials, gnutls_session_t *ret_session)
{
    static const char name[] = "http/1.1";
    const gnutls_datum_t protocol = {(unsigned char *)(uintptr_t)name, sizeof(name) - 1};
    gnutls_session_t session;

    if (gnutls_init(&session,
                    GNUTLS_SERVER | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS) < 0)
        return -ENOMEM;
    if (gnutls_priority_set(session, credentials->priorities) < 0 ||
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, credentials->certificates) < 0 ||
        gnutls_alpn_set_protocols(session, &protocol, 1, 0) < 0) {
        gnutls_deinit(session);
        return -ENOMEM;
    }
    gnutls_session_set_ptr(session, credentials);
    gnutls_certificate_server_set_request(session, request_of(credentials->client_auth));
    gnutls_session_set_verify_function(session, judge_client);
    *ret_session = session;
    return 0;
}

void tls_credentials_describe(const struct tls_credentials *credentials,
                              struct protection_facts *ret_facts)
{
    gnutls_x509_crt_t *chain = NULL;
    size_t subject = sizeof(ret_facts->subject), issuer = sizeof(ret_facts->issuer);
    unsigned n = 0;

    if (!credentials->certificates ||
        gnutls_certificate_get_x509_crt(credentials->certificates, 0, &chain, &n) < 0)
        return;
    if (n > 0) {
        ret_facts->has_tls = true;
        (void)gnutls_x509_crt_get_dn(chain[0], ret_facts->subject, &subject);
        (void)gnutls_x509_crt_get_issuer_dn(chain[0], ret_facts->issuer, &issuer);
        ret_facts->valid_from = gnutls_x509_crt_get_activation_time(chain[0]);
        ret_facts->valid_until = gnutls_x509_crt_get_expiration_time(chain[0]);
        ret_facts->client_auth = credentials->client_auth;
    }
    for (unsigned i = 0; i < n; i++)
        gnutls_x509_crt_deinit(chain[i]);
    gnutls_free(chain);
}
