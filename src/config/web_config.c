/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A web configuration is read in three steps: the text by its schema, the files that it names, and
 * then both together become a protection. What that step refuses is told at the place of the word
 * that it comes from.
 */
#include "config/web_config.h"

#include <errno.h>
#include <libgen.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "config/config_file.h"
#include "config/web_config_read.h"

#define FIRST_PLACE ((struct config_place){1, 1})

/* Where the cost stands in a hash: "$2y$10$". */
#define COST_AT 4

static const struct web_config_text defaults = {
    .tls = {.oldest = TLS_1_2, .newest = TLS_1_3, .server_chooses = true},
    .http = {.http2 = true},
};

struct web_config *web_config_free(struct web_config *config)
{
    if (!config)
        return NULL;
    for (size_t i = 0; i < WEB_CONFIG_MOST_FILES; i++)
        free(config->files[i]);
    config->protection = protection_unref(config->protection);
    free(config);
    return NULL;
}

static struct config_place place_of(const struct config_word *word, const struct config_word *other)
{
    return word->text ? word->place : other->text ? other->place : FIRST_PLACE;
}

static bool wants_tls(const struct web_config_tls *tls)
{
    return tls->certificate.text || tls->certificate_file.text || tls->key.text ||
           tls->key_file.text || tls->client_ca.text || tls->client_ca_file.text ||
           tls->client_auth != 0;
}

/* What each part of TLS needs of the others. */
static int check_tls(const struct web_config_tls *tls, struct config_error *ret_error)
{
    const struct config_place certificate = place_of(&tls->certificate_file, &tls->certificate);
    const struct config_place key = place_of(&tls->key_file, &tls->key);
    const struct config_place authority = place_of(&tls->client_ca_file, &tls->client_ca);

    if (tls->oldest > tls->newest)
        return config_error_set(ret_error, FIRST_PLACE,
                                "min_version is above max_version; expected TLS versions from the "
                                "older to the newer one");
    if (!wants_tls(tls))
        return 0;
    if (!tls->certificate.text && !tls->certificate_file.text)
        return config_error_set(ret_error, key,
                                "tls_server_config has no \"cert_file\"; expected the path of a "
                                "certificate in PEM");
    if (!tls->key.text && !tls->key_file.text)
        return config_error_set(ret_error, certificate,
                                "tls_server_config has no \"key_file\"; expected the path of a "
                                "private key in PEM");
    if ((tls->client_ca.text || tls->client_ca_file.text) &&
        web_config_client_auth(tls->client_auth) == CLIENT_AUTH_NONE)
        return config_error_set(ret_error, authority,
                                "there is a CA of clients and client_auth_type asks for no "
                                "certificate; expected a client_auth_type such as "
                                "RequireAndVerifyClientCert");
    return 0;
}

static int check_names(const struct config_words *words, const char *const *names, const char *what,
                       struct config_error *ret_error)
{
    size_t n = 0;

    while (names[n])
        n++;
    for (size_t i = 0; i < words->n; i++) {
        size_t at = 0;

        while (at < n && strcmp(names[at], words->words[i].text) != 0)
            at++;
        if (at < n)
            continue;
        (void)config_error_set(ret_error, words->words[i].place, "unknown %s %s; expected ", what,
                               SHOWN(words->words[i].text));
        if (n > 8)
            config_error_add(ret_error, "one of those that Go has, as %s", names[3]);
        for (size_t j = 0; n <= 8 && j < n; j++)
            config_error_add(ret_error, "%s%s", j == 0 ? "" : j + 1 == n ? " or " : ", ", names[j]);
        config_error_suggest(ret_error, words->words[i].text, names, n);
        return -EINVAL;
    }
    return 0;
}

static int check_users(const struct config_pairs *users, struct config_error *ret_error)
{
    for (size_t i = 0; i < users->n; i++) {
        const struct config_pair *const user = &users->pairs[i];

        if (strchr(user->name.text, ':'))
            return config_error_set(ret_error, user->name.place,
                                    "the name %s has a colon, which ends names in HTTP; expected a "
                                    "name without one",
                                    SHOWN(user->name.text));
        if (!protection_is_hash(user->value.text)) /* It may be a password: it is not shown. */
            return config_error_set(ret_error, user->value.place,
                                    "the password of %s is no hash of bcrypt; expected one as "
                                    "`mkpasswd -m bcrypt -R 10` prints, or `htpasswd -nBC 10 USER` "
                                    "behind the colon: $2y$10$…",
                                    SHOWN(user->name.text));
    }
    return 0;
}

static int check_headers(const struct web_config_text *text, struct config_error *ret_error)
{
    for (size_t i = 0; i < protection_n_headers; i++) {
        const struct config_word *const word = &text->http.headers[i];
        const char *const *const values = protection_headers[i].values;
        size_t n = 0, at = 0;

        while (values[n])
            n++;
        while (word->text && at < n && strcmp(values[at], word->text) != 0)
            at++;
        if (word->text && n > 0 && at == n)
            return config_error_set(ret_error, word->place, "%s is %s; expected %s%s%s",
                                    protection_headers[i].name, SHOWN(word->text), values[0],
                                    n > 1 ? " or " : "", n > 1 ? values[1] : "");
    }
    return 0;
}

static int check_text(const struct web_config_text *text, struct config_error *ret_error)
{
    int r = check_tls(&text->tls, ret_error);

    if (r == 0 && text->rate.interval_ns > 0 && text->rate.burst == 0)
        return config_error_set(ret_error, FIRST_PLACE,
                                "rate_limit has no \"burst\", so that nobody would be answered; "
                                "expected how many requests may come at once, such as 20");
    if (r == 0)
        r = check_names(&text->tls.suites, tls_suite_names, "cipher suite", ret_error);
    if (r == 0)
        r = check_names(&text->tls.groups, tls_group_names, "curve", ret_error);
    if (r == 0)
        r = check_users(&text->users, ret_error);
    return r < 0 ? r : check_headers(text, ret_error);
}

/* The words as the protection takes them; the caller frees the array. */
static int list_names(const struct config_words *words, struct protection_names *ret_names)
{
    const char **names = calloc(words->n + 1, sizeof(*names));

    if (!names)
        return -ENOMEM;
    for (size_t i = 0; i < words->n; i++)
        names[i] = words->words[i].text;
    *ret_names = (struct protection_names){names, words->n};
    return 0;
}

/* What is given to protection_new(); the arrays are freed by done_with(). */
struct made {
    struct protection_spec spec;
    struct protection_pair headers[5];
    struct protection_pair *users;
};

static void done_with(struct made *made)
{
    free((void *)(uintptr_t)made->spec.tls.client_sans.names);
    free((void *)(uintptr_t)made->spec.tls.suites.names);
    free((void *)(uintptr_t)made->spec.tls.groups.names);
    free(made->users);
}

static int add_pairs(const struct web_config_text *text, struct made *made)
{
    made->users = calloc(text->users.n + 1, sizeof(*made->users));
    if (!made->users)
        return -ENOMEM;
    for (size_t i = 0; i < text->users.n; i++)
        made->users[i] = (struct protection_pair){text->users.pairs[i].name.text,
                                                  text->users.pairs[i].value.text};
    made->spec.users = made->users;
    made->spec.n_users = text->users.n;
    made->spec.headers = made->headers;
    for (size_t i = 0; i < protection_n_headers; i++)
        if (text->http.headers[i].text)
            made->headers[made->spec.n_headers++] =
                (struct protection_pair){protection_headers[i].name, text->http.headers[i].text};
    return 0;
}

static int make_spec(const struct web_config_text *text, const struct web_config_pems *pems,
                     struct made *made)
{
    const struct web_config_tls *const tls = &text->tls;
    int r;

    *made = (struct made){.spec = {.tls = {.certificate = pems->certificate,
                                           .key = pems->key,
                                           .client_ca = pems->client_ca,
                                           .client_auth = web_config_client_auth(tls->client_auth),
                                           .oldest = tls->oldest,
                                           .newest = tls->newest,
                                           .server_chooses = tls->server_chooses},
                                   .rate_interval_ns = text->rate.interval_ns,
                                   .rate_burst = text->rate.burst}};
    r = list_names(&tls->client_sans, &made->spec.tls.client_sans);
    if (r == 0)
        r = list_names(&tls->suites, &made->spec.tls.suites);
    if (r == 0)
        r = list_names(&tls->groups, &made->spec.tls.groups);
    return r < 0 ? r : add_pairs(text, made);
}

static int make_protection(const struct web_config_text *text, const struct web_config_pems *pems,
                           struct protection **ret_protection, struct config_error *ret_error)
{
    const struct web_config_tls *const tls = &text->tls;
    struct made made __attribute__((cleanup(done_with))) = {0};
    struct protection_fault fault = {0};
    int r = make_spec(text, pems, &made);

    if (r == 0)
        r = protection_new(&made.spec, ret_protection, &fault);
    if (r != -EINVAL)
        return r;
    return config_error_set(
        ret_error,
        fault.part == PROTECTION_CERTIFICATE ? place_of(&tls->certificate_file, &tls->certificate)
        : fault.part == PROTECTION_KEY       ? place_of(&tls->key_file, &tls->key)
        : fault.part == PROTECTION_CLIENT_CA ? place_of(&tls->client_ca_file, &tls->client_ca)
                                             : FIRST_PLACE,
        "%s", fault.message);
}

static unsigned dearest_cost(const struct config_pairs *users)
{
    unsigned dearest = 0;

    for (size_t i = 0; i < users->n; i++) {
        const char *const hash = users->pairs[i].value.text;
        const unsigned cost =
            (unsigned)(hash[COST_AT] - '0') * 10 + (unsigned)(hash[COST_AT + 1] - '0');

        dearest = cost > dearest ? cost : dearest;
    }
    return dearest;
}

static int complete(const struct web_config_text *text, const char *directory,
                    struct web_config *config, struct config_error *ret_error)
{
    struct web_config_pems pems __attribute__((cleanup(web_config_pems_done))) = {0};
    int r = check_text(text, ret_error);

    if (r == 0)
        r = web_config_read_pems(text, directory, config, &pems, ret_error);
    if (r == 0)
        r = make_protection(text, &pems, &config->protection, ret_error);
    config->has_users_key = text->users_given;
    config->ignores_http2 = text->http.http2 && text->http.http2_given;
    config->dearest_cost = r == 0 ? dearest_cost(&text->users) : 0;
    return r;
}

static void text_forget(struct web_config_text *text)
{
    if (text->tls.key.text)
        explicit_bzero(text->tls.key.text, strlen(text->tls.key.text));
    schema_done(&web_config_schema, text);
}

int web_config_parse(struct object_reader *reader, const char *text, size_t length,
                     const char *directory, struct web_config **ret_config,
                     struct config_error *ret_error)
{
    struct web_config_text read __attribute__((cleanup(text_forget))) = defaults;
    AUTO(web_config) struct web_config *config = calloc(1, sizeof(*config));
    int r;

    if (!config)
        return -ENOMEM;
    r = web_config_read_text(reader, text, length, &read, ret_error);
    if (r == 0)
        r = complete(&read, directory, config, ret_error);
    if (r == 0)
        *ret_config = TAKE(config);
    return r;
}

/* Puts the path of the file itself before those that it names, and notes when reading began. */
static int add_source(struct web_config *config, const char *path, uint64_t begun_ns)
{
    char *const copy = strdup(path);

    if (!copy)
        return -ENOMEM;
    memmove(&config->files[1], &config->files[0],
            (WEB_CONFIG_MOST_FILES - 1) * sizeof(config->files[0]));
    config->files[0] = copy;
    config->begun_realtime_ns = begun_ns;
    return 0;
}

int web_config_read(struct object_reader *reader, const char *path, struct web_config **ret_config,
                    struct config_error *ret_error)
{
    AUTO_FREE char *text = malloc(YAML_READER_LARGEST + 1);
    AUTO_FREE char *copy = strdup(path);
    AUTO(web_config) struct web_config *config = NULL;
    size_t length = 0;
    const uint64_t begun_ns = clock_realtime_ns();
    int r;

    if (!text || !copy)
        return -ENOMEM;
    r = config_file_read(path, text, &length, ret_error);
    if (r == 0)
        r = web_config_parse(reader, text, length, dirname(copy), &config, ret_error);
    explicit_bzero(text, length);
    if (r == 0)
        r = add_source(config, path, begun_ns);
    if (r == 0)
        *ret_config = TAKE(config);
    return r;
}

int web_config_may_follow(const struct web_config *running, const struct web_config *next,
                          struct config_error *ret_error)
{
    struct protection_facts before, after;

    protection_describe(running->protection, &before);
    protection_describe(next->protection, &after);
    if (before.n_users > 0 && !next->has_users_key)
        return config_error_set(ret_error, (struct config_place){0, 0},
                                "\"basic_auth_users\" is no longer there, as if the file had been "
                                "cut; expected it, {} for no users, or a restart");
    if (before.has_tls && !after.has_tls)
        return config_error_set(ret_error, (struct config_place){0, 0},
                                "\"tls_server_config\" is no longer there, as if the file had been "
                                "cut; expected it, or a restart, after which all is in the clear");
    return 0;
}
