/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A private key and a certificate that it has signed itself, made for a test. After cmocka.h. */

#include <gnutls/gnutls.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct certificate {
    char *key;         /* in PEM, to be freed */
    char *certificate; /* in PEM, to be freed */
};

static inline char *certificate_text(gnutls_datum_t *datum)
{
    char *text = strndup((const char *)datum->data, datum->size);

    assert_non_null(text);
    gnutls_free(datum->data);
    return text;
}

static inline void certificate_set(gnutls_x509_crt_t certificate, gnutls_x509_privkey_t key,
                                   const char *name)
{
    assert_int_equal(gnutls_x509_crt_set_version(certificate, 3), 0);
    assert_int_equal(gnutls_x509_crt_set_serial(certificate, "\x01", 1), 0);
    assert_int_equal(gnutls_x509_crt_set_dn_by_oid(certificate, GNUTLS_OID_X520_COMMON_NAME, 0,
                                                   name, (unsigned)strlen(name)),
                     0);
    assert_int_equal(gnutls_x509_crt_set_subject_alt_name(certificate, GNUTLS_SAN_DNSNAME, name,
                                                          (unsigned)strlen(name), GNUTLS_FSAN_SET),
                     0);
    assert_int_equal(gnutls_x509_crt_set_activation_time(certificate, time(NULL) - 60), 0);
    assert_int_equal(gnutls_x509_crt_set_expiration_time(certificate, time(NULL) + 3600), 0);
    assert_int_equal(gnutls_x509_crt_set_key(certificate, key), 0);
    assert_int_equal(gnutls_x509_crt_sign2(certificate, certificate, key, GNUTLS_DIG_SHA256, 0), 0);
}

static inline struct certificate certificate_make(const char *name)
{
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t certificate;
    gnutls_datum_t key_text, certificate_datum;

    assert_int_equal(gnutls_x509_privkey_init(&key), 0);
    assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
    assert_int_equal(gnutls_x509_privkey_generate(
                         key, GNUTLS_PK_ECDSA, GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0),
                     0);
    certificate_set(certificate, key, name);
    assert_int_equal(gnutls_x509_privkey_export2(key, GNUTLS_X509_FMT_PEM, &key_text), 0);
    assert_int_equal(gnutls_x509_crt_export2(certificate, GNUTLS_X509_FMT_PEM, &certificate_datum),
                     0);
    gnutls_x509_crt_deinit(certificate);
    gnutls_x509_privkey_deinit(key);
    return (struct certificate){certificate_text(&key_text), certificate_text(&certificate_datum)};
}

static inline void certificate_done(struct certificate *certificate)
{
    free(certificate->key);
    free(certificate->certificate);
}
