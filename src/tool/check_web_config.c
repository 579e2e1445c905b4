/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "config/web_config.h"
#include "tool/check_json.h"
#include "tool/file_argument.h"
#include "tool/safe_text.h"

/* From this cost on a password takes about a second and more. */
#define DEAR_COST 14

static const struct argp argp = {
    .parser = file_argument_parse,
    .children = file_argument_children,
    .args_doc = "FILE",
    .doc = "Check a web configuration of pmu_exporter (--web.config.file), and say what it comes "
           "to. Files of Prometheus and its exporters have the same form.\v"
           "Exit status 0: valid; 2: not valid, with FILE:LINE:COLUMN and the reason on stderr.",
};

static const char *const client_auths[] = {
    [CLIENT_AUTH_NONE] = "NoClientCert",
    [CLIENT_AUTH_REQUEST] = "RequestClientCert",
    [CLIENT_AUTH_REQUIRE_ANY] = "RequireAnyClientCert",
    [CLIENT_AUTH_VERIFY_IF_GIVEN] = "VerifyClientCertIfGiven",
    [CLIENT_AUTH_REQUIRE_AND_VERIFY] = "RequireAndVerifyClientCert"};

struct day {
    char text[sizeof("2026-11-22T17:05:00Z") + 12];
};

static const char *day_of(time_t when, struct day *buffer)
{
    struct tm parts;

    if (!gmtime_r(&when, &parts) ||
        strftime(buffer->text, sizeof(buffer->text), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        return "unknown";
    return buffer->text;
}

static json_t *certificate_to_json(const struct protection_facts *facts)
{
    if (!facts->has_tls)
        return json_null();
    return json_pack("{s:o, s:o, s:s, s:s, s:b}", "subject", json_of_text(facts->subject), "issuer",
                     json_of_text(facts->issuer), "valid_from",
                     day_of(facts->valid_from, &(struct day){{0}}), "valid_until",
                     day_of(facts->valid_until, &(struct day){{0}}), "valid_now",
                     time(NULL) >= facts->valid_from && time(NULL) < facts->valid_until);
}

static json_t *users_to_json(const struct web_config *config, size_t n)
{
    json_t *const list = json_array();

    for (size_t i = 0; i < n; i++)
        (void)json_array_append_new(list, json_of_text(protection_user(config->protection, i)));
    return list;
}

static json_t *rate_to_json(const struct protection_facts *facts)
{
    if (facts->rate_interval_ns == 0)
        return json_null();
    return json_pack("{s:f, s:I}", "interval_seconds",
                     (double)facts->rate_interval_ns / (double)NS_PER_SECOND, "burst",
                     (json_int_t)facts->rate_burst);
}

static int print_json(const char *path, const struct web_config *config)
{
    struct protection_facts facts;

    protection_describe(config->protection, &facts);
    return json_print(
        json_pack("{s:o, s:b, s:o, s:s, s:o, s:i, s:I, s:o, s:b}", "file", json_of_text(path),
                  "valid", 1, "certificate", certificate_to_json(&facts), "client_auth_type",
                  client_auths[facts.client_auth], "users", users_to_json(config, facts.n_users),
                  "dearest_cost", (int)config->dearest_cost, "headers", (json_int_t)facts.n_headers,
                  "rate_limit", rate_to_json(&facts), "ignores_http2", config->ignores_http2));
}

static void print_safe(const char *what, const char *value)
{
    AUTO_TEXT struct text text = {0};

    safe_text_append(&text, value, strlen(value));
    (void)printf("%-14s%.*s\n", what, (int)text.length, text.data);
}

static void print_certificate(const struct protection_facts *facts)
{
    const time_t now = time(NULL);

    if (!facts->has_tls) {
        (void)puts("TLS           off: everything is in the clear, passwords too");
        return;
    }
    print_safe("certificate", facts->subject);
    print_safe("issuer", facts->issuer);
    (void)printf("valid         from %s until %s%s\n",
                 day_of(facts->valid_from, &(struct day){{0}}),
                 day_of(facts->valid_until, &(struct day){{0}}),
                 now >= facts->valid_until ? ": it has EXPIRED"
                 : now < facts->valid_from ? ": it is NOT YET valid"
                                           : "");
    (void)printf("clients show  %s\n", client_auths[facts->client_auth]);
}

static void print_users(const struct web_config *config, size_t n)
{
    if (n == 0)
        (void)puts("users         none: everybody is answered");
    for (size_t i = 0; i < n; i++)
        print_safe(i == 0 ? "users" : "", protection_user(config->protection, i));
    if (config->dearest_cost >= DEAR_COST)
        (void)printf("note: a hash has cost %u; each password takes a second or more of CPU time, "
                     "and 10 is common\n",
                     config->dearest_cost);
}

static void print_words(const char *path, const struct web_config *config)
{
    struct protection_facts facts;

    protection_describe(config->protection, &facts);
    print_certificate(&facts);
    print_users(config, facts.n_users);
    if (facts.n_headers > 0)
        (void)printf("headers       %zu, on every answer\n", facts.n_headers);
    if (facts.rate_interval_ns > 0)
        (void)printf("rate limit    a request in %g s, %" PRIu64 " at once\n",
                     (double)facts.rate_interval_ns / (double)NS_PER_SECOND, facts.rate_burst);
    if (config->ignores_http2)
        (void)puts("note: http2 is ignored; HTTP/1.1 is spoken");
    (void)printf("%s is valid\n", path);
}

static int refuse(const struct file_argument *file, int r, const struct config_error *error)
{
    AUTO_TEXT struct text text = {0};

    if (r == -ENOMEM)
        return command_fail(r);
    if (file->json)
        (void)json_print(check_failure_to_json(file->path, r, error));
    config_describe_failure(file->path, r, error, &text);
    (void)fwrite(text.data, 1, text.length, stderr);
    return EXIT_USAGE;
}

int run_check_web_config(int argc, char **argv)
{
    AUTO(object_reader) struct object_reader *reader = NULL;
    AUTO(web_config) struct web_config *config = NULL;
    struct file_argument file = {0};
    struct config_error error = {0};
    int r;

    command_parse(&argp, argc, argv, &file);
    r = config_reader_new("web", &reader);
    if (r >= 0)
        r = web_config_read(reader, file.path, &config, &error);
    if (r < 0)
        return refuse(&file, r, &error);
    if (file.json)
        return print_json(file.path, config) < 0 ? command_fail(-ENOMEM) : EXIT_SUCCESS;
    print_words(file.path, config);
    return EXIT_SUCCESS;
}
