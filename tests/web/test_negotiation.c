/* SPDX-License-Identifier: Apache-2.0 */
/* The headers that real clients send, and what they get. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "web/negotiation.h"

enum form { TEXT, OPENMETRICS_1, OPENMETRICS_0 };

static const struct route_form forms[] = {
    [TEXT] = {"text/plain; version=0.0.4; charset=utf-8", true},
    [OPENMETRICS_1] = {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
    [OPENMETRICS_0] = {"application/openmetrics-text; version=0.0.1; charset=utf-8", false},
};

static void expect(const char *accept, enum form form, enum escaping escaping)
{
    struct negotiated negotiated;

    negotiate_form(accept, forms, ARRAY_SIZE(forms), &negotiated);
    if (negotiated.form != form || negotiated.escaping != escaping)
        fail_msg("form %zu%s for %s", negotiated.form, escaping_parameters[negotiated.escaping],
                 accept);
}

static void prometheus_gets_what_it_prefers(void **state)
{
    (void)state;
    /* 1.8 */
    expect("text/plain;version=0.0.4;q=1,*/*;q=0.1", TEXT, ESCAPING_NONE);
    expect("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;"
           "encoding=delimited;q=0.7,text/plain;version=0.0.4;q=0.3,*/*;q=0.1",
           TEXT, ESCAPING_NONE);
    /* 2.5 to 2.30 */
    expect("application/openmetrics-text; version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
           OPENMETRICS_0, ESCAPING_NONE);
    /* 2.42 */
    expect("application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;"
           "q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
           OPENMETRICS_1, ESCAPING_NONE);
    /* 2.53, with native histograms */
    expect("application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding="
           "delimited;q=0.5,application/openmetrics-text;version=1.0.0;q=0.4,application/"
           "openmetrics-text;version=0.0.1;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
           OPENMETRICS_1, ESCAPING_NONE);
    /* 3.14 */
    expect("application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/"
           "openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;"
           "q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
           OPENMETRICS_1, ESCAPING_ALLOW_UTF_8);
    expect("application/openmetrics-text;version=1.0.0;escaping=underscores;q=0.5,application/"
           "openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=underscores;"
           "q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1",
           OPENMETRICS_1, ESCAPING_UNDERSCORES);
    /* with scrape_protocols: [PrometheusText0.0.4] */
    expect("text/plain;version=0.0.4;q=0.5,*/*;q=0.4", TEXT, ESCAPING_NONE);
}

static void others_get_the_text(void **state)
{
    (void)state;
    expect(NULL, TEXT, ESCAPING_NONE);
    expect("*/*", TEXT, ESCAPING_NONE);                                    /* curl */
    expect("text/plain;version=0.0.4;q=1,*/*;q=0.1", TEXT, ESCAPING_NONE); /* VictoriaMetrics */
    expect("text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/"
           "apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7",
           TEXT, ESCAPING_NONE); /* Chromium */
    expect("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", TEXT,
           ESCAPING_NONE); /* Firefox */
    expect("application/json", TEXT, ESCAPING_NONE);
    expect("", TEXT, ESCAPING_NONE);
    expect("text/plain;q=0, application/openmetrics-text;q=0", TEXT, ESCAPING_NONE);
}

static void the_most_exact_range_tells_the_quality(void **state)
{
    (void)state;
    expect("*/*;q=0.9,text/plain;q=0.1", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/*;q=0.1,application/*;q=0.2", OPENMETRICS_1, ESCAPING_NONE);
    expect("application/*;q=0.5,application/openmetrics-text;version=1.0.0;q=0.1", OPENMETRICS_0,
           ESCAPING_NONE);
    expect("text/plain;q=0.5,text/plain;version=0.0.4;q=0,application/openmetrics-text;q=0.1",
           OPENMETRICS_1, ESCAPING_NONE);
    expect("*/*,application/openmetrics-text", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/plain;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.1",
           OPENMETRICS_0, ESCAPING_NONE);
    expect("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4", OPENMETRICS_1,
           ESCAPING_NONE);
    expect("text/plain;version=0.0.4,application/openmetrics-text;version=1.0.0", TEXT,
           ESCAPING_NONE);
    expect("*;q=0.2, application/openmetrics-text;version=9;q=1", TEXT, ESCAPING_NONE);
}

static void blanks_quotes_and_capitals_do_not_matter(void **state)
{
    (void)state;
    expect("  Application/OpenMetrics-Text ; Version = \"1.0.0\" ; ESCAPING=\"dots\" ; Q=0.5 , "
           "text/plain;q=.4",
           OPENMETRICS_1, ESCAPING_DOTS);
    expect(",,application/openmetrics-text;;version=0.0.1;,", OPENMETRICS_0, ESCAPING_NONE);
    expect("text/x;a=\",application/openmetrics-text\"", TEXT, ESCAPING_NONE);
    expect("application/openmetrics-text;charset=utf-8;version=1.0.0", OPENMETRICS_1,
           ESCAPING_NONE);
}

static void an_escaping_is_repeated_only_if_it_is_known_and_the_form_has_it(void **state)
{
    (void)state;
    expect("text/plain;version=0.0.4;escaping=values", TEXT, ESCAPING_VALUES);
    expect("text/plain;version=0.0.4;escaping=rot13", TEXT, ESCAPING_NONE);
    expect("application/openmetrics-text;version=0.0.1;escaping=dots", OPENMETRICS_0,
           ESCAPING_NONE);
    expect("*/*;escaping=dots", TEXT, ESCAPING_DOTS);
}

static void a_quality_has_up_to_three_decimals(void **state)
{
    (void)state;
    expect("text/plain;q=0.123,application/openmetrics-text;q=0.124", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/plain;q=0.124,application/openmetrics-text;q=0.123", TEXT, ESCAPING_NONE);
    expect("text/plain;q=0.9999999,application/openmetrics-text;q=1", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/plain;q=0.5,application/openmetrics-text;q=99999999999", OPENMETRICS_1,
           ESCAPING_NONE);
    expect("text/plain;q=0.5,application/openmetrics-text;q=-1", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/plain;q=0.5,application/openmetrics-text;q=", OPENMETRICS_1, ESCAPING_NONE);
    expect("text/plain;q=0.000,*/*;q=0.001", OPENMETRICS_1, ESCAPING_NONE);
}

static void what_was_chosen_is_remembered_for_its_forms_only(void **state)
{
    static const struct route_form others[] = {{"application/openmetrics-text", false}};
    static struct negotiation_memory memory;
    char long_accept[LONGEST_REMEMBERED + 100];
    struct negotiated negotiated;

    (void)state;
    memset(long_accept, ' ', sizeof(long_accept));
    (void)strcpy(long_accept + sizeof(long_accept) - 32, "application/openmetrics-text");
    for (unsigned i = 0; i < 3 * REMEMBERED_ACCEPTS; i++) {
        static const char *const accepts[] = {
            "application/openmetrics-text",
            "text/plain",
            NULL,
            "*/*",
            "application/*",
            "",
            "text/*",
        };
        const char *const accept = accepts[i % ARRAY_SIZE(accepts)];
        const size_t form = accept && accept[0] == 'a' ? OPENMETRICS_1 : TEXT;

        for (unsigned again = 0; again < 2; again++) {
            negotiate_form_again(&memory, accept, forms, ARRAY_SIZE(forms), &negotiated);
            assert_int_equal(form, negotiated.form);
            negotiate_form_again(&memory, accept, others, 1, &negotiated);
            assert_int_equal(0, negotiated.form);
            negotiate_form_again(&memory, long_accept, forms, ARRAY_SIZE(forms), &negotiated);
            assert_int_equal(OPENMETRICS_1, negotiated.form);
        }
    }
}

static void gzip_is_for_who_asks_for_it(void **state)
{
    static const struct {
        const char *accept_encoding;
        bool gzip;
    } cases[] = {
        {NULL, false},
        {"", false},
        {"gzip", true}, /* Prometheus */
        {"gzip, deflate, br, zstd", true},
        {"deflate, GZip;q=1.0", true},
        {"x-gzip", true},
        {"*", true},
        {"deflate, br", false},
        {"identity", false},
        {"gzip;q=0", false},
        {"gzip;q=0.000, *", false},
        {"*, gzip;q=0", false},
        {"*;q=0", false},
        {"gzip;q=0.5, identity;q=0.4", true},
        {"gzip;q=0.4, identity;q=0.5", false},
        {"gzip;q=0.001", true},
        {"gzipped", false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        if (negotiate_gzip(cases[i].accept_encoding) != cases[i].gzip)
            fail_msg("wrong for %s", cases[i].accept_encoding);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prometheus_gets_what_it_prefers),
        cmocka_unit_test(others_get_the_text),
        cmocka_unit_test(the_most_exact_range_tells_the_quality),
        cmocka_unit_test(blanks_quotes_and_capitals_do_not_matter),
        cmocka_unit_test(an_escaping_is_repeated_only_if_it_is_known_and_the_form_has_it),
        cmocka_unit_test(a_quality_has_up_to_three_decimals),
        cmocka_unit_test(what_was_chosen_is_remembered_for_its_forms_only),
        cmocka_unit_test(gzip_is_for_who_asks_for_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
