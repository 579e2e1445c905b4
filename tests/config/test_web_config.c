/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "config/web_config.h"
#include "support/certificate.h"
#include "support/fixture_tree.h"

/* That of "correct horse". */
#define HASH "$2y$04$pmuexporterpmuexporteuqr71eapzxfpJchaSoN8vSW6tGvLEu2u"

static const char users[] = "basic_auth_users:\n  alice: " HASH "\n";
static const char tls[] = "tls_server_config:\n  cert_file: a.pem\n  key_file: keys/a.key\n";

struct place {
    struct fixture_tree tree;
    char path[96];
};

static struct place make_place(const char *text)
{
    struct place place = {.tree = fixture_tree_open()};
    struct certificate own = certificate_make("exporter.example.org");
    struct certificate other = certificate_make("other.example.org");

    (void)snprintf(place.path, sizeof(place.path), "%s/web.yml", place.tree.path);
    fixture_tree_write(&place.tree, "web.yml", text);
    fixture_tree_write(&place.tree, "a.pem", own.certificate);
    fixture_tree_write(&place.tree, "keys/a.key", own.key);
    fixture_tree_write(&place.tree, "other.key", other.key);
    certificate_done(&own);
    certificate_done(&other);
    return place;
}

static struct web_config *parse(const char *text)
{
    struct web_config *config = NULL;
    struct config_error error = {0};
    int r = web_config_parse(NULL, text, strlen(text), "/nowhere", &config, &error);

    if (r < 0)
        fail_msg("%u:%u: %s", error.place.line, error.place.column, error.message);
    return config;
}

static void a_file__is_read_with_the_certificates_that_it_names(void **state)
{
    struct place place = make_place(tls);
    struct web_config *config = NULL;
    struct config_error error = {0};
    struct protection_facts facts;

    (void)state;
    assert_int_equal(web_config_read(NULL, place.path, &config, &error), 0);
    protection_describe(config->protection, &facts);
    assert_true(facts.has_tls);
    assert_string_equal(facts.subject, "CN=exporter.example.org");
    assert_true(facts.valid_until > facts.valid_from);
    assert_string_equal(config->files[0], place.path);
    assert_non_null(strstr(config->files[1], "/a.pem"));
    assert_non_null(strstr(config->files[2], "/keys/a.key"));
    assert_null(config->files[3]);
    (void)web_config_free(config);
    fixture_tree_close(&place.tree);
}

static void inline_texts__are_taken_as_files_are(void **state)
{
    struct certificate own = certificate_make("inline.example.org");
    struct web_config *config;
    struct protection_facts facts;
    char text[8192];
    int n = snprintf(text, sizeof(text), "tls_server_config:\n  cert: \"");

    (void)state;
    for (const char *c = own.certificate; *c; c++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, *c == '\n' ? "\\n" : "%c", *c);
    n += snprintf(text + n, sizeof(text) - (size_t)n, "\"\n  key: \"");
    for (const char *c = own.key; *c; c++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, *c == '\n' ? "\\n" : "%c", *c);
    (void)snprintf(text + n, sizeof(text) - (size_t)n, "\"\n");
    config = parse(text);
    protection_describe(config->protection, &facts);
    assert_string_equal(facts.subject, "CN=inline.example.org");
    assert_null(config->files[0]);
    (void)web_config_free(config);
    certificate_done(&own);
}

static void users_headers_and_limits__are_taken(void **state)
{
    struct web_config *config =
        parse("basic_auth_users: {alice: " HASH ", 'b o b': " HASH "}\n"
              "http_server_config: {http2: true, headers: {X-Frame-Options: deny}}\n"
              "rate_limit: {interval: 100ms, burst: 20}\n");
    struct protection_facts facts;

    (void)state;
    protection_describe(config->protection, &facts);
    assert_int_equal(facts.n_users, 2);
    assert_string_equal(protection_user(config->protection, 1), "b o b");
    assert_int_equal(facts.n_headers, 1);
    assert_int_equal(facts.rate_interval_ns, NS_PER_SECOND / 10);
    assert_int_equal(facts.rate_burst, 20);
    assert_int_equal(config->dearest_cost, 4);
    assert_true(config->ignores_http2);
    (void)web_config_free(config);
}

static void nothing__is_no_protection(void **state)
{
    static const char *const texts[] = {"",
                                        "{}\n",
                                        "# a comment\n",
                                        "basic_auth_users:\n",
                                        "tls_server_config: {}\n",
                                        "rate_limit: ~\n"};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        struct web_config *config = parse(texts[i]);
        struct protection_facts facts;

        protection_describe(config->protection, &facts);
        assert_false(facts.has_tls);
        assert_int_equal(facts.n_users, 0);
        (void)web_config_free(config);
    }
}

/* What is wrong in a file, at which place, and a part of what is said of it. */
static const struct {
    const char *text;
    unsigned line, column;
    const char *message;
} wrong[] = {
    {"basic_auth_users:\n  alice: secret\n", 2, 10,
     "is no hash of bcrypt; expected one as `mkpasswd -m bcrypt -R 10` prints, or `htpasswd "},
    {"basic_auth_users:\n  a:b: " HASH "\n", 2, 3, "colon"},
    {"basic_auth_users: {a: " HASH ", a: " HASH "}\n", 1, 85, "twice"},
    {"basic_auth_users: [a]\n", 1, 19, "expected a mapping"},
    {"tls_server_config: {cert_file: a.pem}\n", 1, 32, "no \"key_file\""},
    {"tls_server_config: {key_file: keys/a.key}\n", 1, 31, "no \"cert_file\""},
    {"tls_server_config:\n  cert_file: a.pem\n  key_file: other.key\n", 3, 13, "not that of"},
    {"tls_server_config:\n  cert_file: b.pem\n  key_file: other.key\n", 2, 14, "cannot be read"},
    {"tls_server_config:\n  cert_file: other.key\n  key_file: other.key\n", 2, 14,
     "no certificate"},
    {"tls_server_config:\n  cert_file: a.pem\n  key_file: a.pem\n", 3, 13, "no private key"},
    {"tls_server_config:\n  cert_file: a.pem\n  cert: x\n  key_file: keys/a.key\n", 3, 9, "2:14"},
    {"tls_server_config:\n  cert_file: a.pem\n  key_file: keys/a.key\n  client_ca_file: a.pem\n", 4,
     19, "client_auth_type"},
    {"tls_server_config:\n  client_auth_type: Any\n", 2, 21, "RequireAnyClientCert"},
    {"tls_server_config: {cipher_suites: [TLS_RSA_WITH_AES_128_CBC_SHA256]}\n", 1, 37,
     "did you mean"},
    {"tls_server_config: {min_version: TLS14}\n", 1, 34, "did you mean \"TLS13\"?"},
    {"tls_server_config: {max_version: TLSv1.2}\n", 1, 34, "did you mean \"TLS12\"?"},
    {"tls_server_config: {min_version: TLS13, max_version: TLS12}\n", 1, 1, "above"},
    {"http_server_config: {headers: {X-Frame-Options: allow}}\n", 1, 49, "deny or sameorigin"},
    {"http_server_config: {headers: {Server: x}}\n", 1, 32, "unknown key"},
    {"rate_limit: {interval: 1s}\n", 1, 1, "burst"},
};

static void what_is_wrong__is_told_with_its_place(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct place place = make_place(wrong[i].text);
        struct web_config *config = NULL;
        struct config_error error = {0};

        assert_int_equal(web_config_read(NULL, place.path, &config, &error), -EINVAL);
        if (error.place.line != wrong[i].line || error.place.column != wrong[i].column ||
            !strstr(error.message, wrong[i].message))
            fail_msg("%s: %u:%u: %s", wrong[i].text, error.place.line, error.place.column,
                     error.message);
        assert_null(strstr(error.message, "secret"));
        assert_null(config);
        fixture_tree_close(&place.tree);
    }
}

static void a_file_that_was_cut__may_not_follow_one_with_users(void **state)
{
    struct web_config *with = parse(users), *without = parse("{}\n");
    struct web_config *none = parse("basic_auth_users: {}\n");
    struct config_error error = {0};

    (void)state;
    assert_int_equal(web_config_may_follow(with, without, &error), -EINVAL);
    assert_non_null(strstr(error.message, "basic_auth_users"));
    assert_int_equal(web_config_may_follow(with, none, &error), 0);
    assert_int_equal(web_config_may_follow(without, with, &error), 0);
    assert_int_equal(web_config_may_follow(with, with, &error), 0);
    (void)web_config_free(with);
    (void)web_config_free(without);
    (void)web_config_free(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file__is_read_with_the_certificates_that_it_names),
        cmocka_unit_test(inline_texts__are_taken_as_files_are),
        cmocka_unit_test(users_headers_and_limits__are_taken),
        cmocka_unit_test(nothing__is_no_protection),
        cmocka_unit_test(what_is_wrong__is_told_with_its_place),
        cmocka_unit_test(a_file_that_was_cut__may_not_follow_one_with_users),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
