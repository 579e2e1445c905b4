/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "web/tls_priorities.h"

/* The string, which GnuTLS has to understand. */
static char *priorities(const struct tls_spec *spec)
{
    struct text text = {0};
    gnutls_priority_t understood;
    char *string;

    tls_priorities_append(&text, spec);
    string = text_take(&text);
    assert_non_null(string);
    assert_int_equal(gnutls_priority_init(&understood, string, NULL), 0);
    gnutls_priority_deinit(understood);
    return string;
}

static void the_default__has_forward_secrecy_and_authenticated_encryption(void **state)
{
    AUTO_FREE char *string = priorities(&(struct tls_spec){.oldest = TLS_1_2, .newest = TLS_1_3});

    (void)state;
    assert_non_null(strstr(string, ":+VERS-TLS1.3:+VERS-TLS1.2:-KX-ALL"));
    assert_non_null(strstr(string, "+ECDHE-RSA"));
    assert_null(strstr(string, "+RSA"));
    assert_null(strstr(string, "CBC"));
    assert_null(strstr(string, "SERVER_PRECEDENCE"));
}

static void versions__go_from_the_newest_to_the_oldest(void **state)
{
    AUTO_FREE char *all = priorities(&(struct tls_spec){.oldest = TLS_1_0, .newest = TLS_1_3});
    AUTO_FREE char *one = priorities(&(struct tls_spec){.oldest = TLS_1_2, .newest = TLS_1_2});

    (void)state;
    assert_non_null(strstr(all, ":+VERS-TLS1.3:+VERS-TLS1.2:+VERS-TLS1.1:+VERS-TLS1.0:-KX-ALL"));
    assert_non_null(strstr(all, "+AES-128-CBC"));
    assert_non_null(strstr(one, "-VERS-ALL:+VERS-TLS1.2:-KX-ALL"));
}

static void each_suite_and_group__is_understood_alone(void **state)
{
    (void)state;
    for (size_t i = 0; tls_suite_names[i]; i++) {
        const struct tls_spec spec = {
            .oldest = TLS_1_2, .newest = TLS_1_3, .suites = {&tls_suite_names[i], 1}};
        AUTO_FREE char *string = priorities(&spec);
        const bool is_of_tls_1_3 = strstr(tls_suite_names[i], "_WITH_") == NULL;

        assert_int_equal(tls_suites_mask(&spec.suites), is_of_tls_1_3 ? 0 : UINT32_C(1) << i);
        assert_int_equal(strstr(string, "SERVER_PRECEDENCE") != NULL, !is_of_tls_1_3);
    }
    for (size_t i = 0; tls_group_names[i]; i++) {
        AUTO_FREE char *string = priorities(&(struct tls_spec){
            .oldest = TLS_1_2, .newest = TLS_1_3, .groups = {&tls_group_names[i], 1}});

        assert_non_null(strstr(string, ":-GROUP-ALL:+GROUP-"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default__has_forward_secrecy_and_authenticated_encryption),
        cmocka_unit_test(versions__go_from_the_newest_to_the_oldest),
        cmocka_unit_test(each_suite_and_group__is_understood_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
