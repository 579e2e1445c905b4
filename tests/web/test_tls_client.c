/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "support/certificate.h"
#include "web/tls_client.h"

static void a_certificate__has_the_names_that_stand_in_it_and_no_parts_of_them(void **state)
{
    struct certificate made = certificate_make("scraper.example.org");
    const gnutls_datum_t text = {(unsigned char *)made.certificate,
                                 (unsigned)strlen(made.certificate)};
    char has[] = "scraper.example.org", part[] = "example.org", longer[] = "a.scraper.example.org";
    gnutls_x509_crt_t certificate;

    (void)state;
    assert_int_equal(gnutls_x509_crt_init(&certificate), 0);
    assert_int_equal(gnutls_x509_crt_import(certificate, &text, GNUTLS_X509_FMT_PEM), 0);
    assert_true(tls_client_has_name(certificate, (char *[]){part, has}, 2));
    assert_false(tls_client_has_name(certificate, (char *[]){part, longer}, 2));
    assert_false(tls_client_has_name(certificate, NULL, 0));
    gnutls_x509_crt_deinit(certificate);
    certificate_done(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_certificate__has_the_names_that_stand_in_it_and_no_parts_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
