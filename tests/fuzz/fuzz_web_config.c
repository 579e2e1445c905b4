/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever the text: a web configuration, or one clean line that says where it is wrong. */

#include <errno.h>
#include <string.h>

#include "config/web_config.h"
#include "fuzz/fuzz.h"

static void check_error(const struct config_error *error)
{
    FUZZ_CHECK(error->place.line > 0 && error->place.column > 0);
    FUZZ_CHECK(error->message[0]);
    for (const char *c = error->message; *c; c++)
        FUZZ_CHECK((unsigned char)*c >= ' ' && *c != '\x7f');
}

static void check_config(const struct web_config *config)
{
    struct protection_facts facts;

    protection_describe(config->protection, &facts);
    FUZZ_CHECK(facts.n_users == 0 || config->has_users_key);
    FUZZ_CHECK(facts.rate_interval_ns == 0 || facts.rate_burst > 0);
    for (size_t i = 0; i < facts.n_users; i++)
        FUZZ_CHECK(!strchr(protection_user(config->protection, i), ':'));
}

/*
 * What may follow a configuration that is in force: itself always, and what remains of it where the
 * file was cut unless users or TLS have gone.
 */
static void check_follower(const struct web_config *running, const char *text, size_t size)
{
    struct config_error error = {0};
    struct web_config *cut = NULL;
    struct protection_facts before, after;
    bool loses;

    FUZZ_CHECK(web_config_may_follow(running, running, &error) == 0);
    while (size > 0 && text[--size] != '\n')
        ;
    if (web_config_parse(NULL, text, size, "/nonexistent", &cut, &error) < 0)
        return;
    protection_describe(running->protection, &before);
    protection_describe(cut->protection, &after);
    loses = (before.n_users > 0 && !cut->has_users_key) || (before.has_tls && !after.has_tls);
    error = (struct config_error){0};
    FUZZ_CHECK(web_config_may_follow(running, cut, &error) == (loses ? -EINVAL : 0));
    FUZZ_CHECK(loses == (error.message[0] != '\0'));
    (void)web_config_free(cut);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_error error = {0};
    struct web_config *config = NULL;
    int r = web_config_parse(NULL, (const char *)data, size, "/nonexistent", &config, &error);

    FUZZ_CHECK(r == 0 || r == -EINVAL);
    if (r == 0) {
        check_config(config);
        check_follower(config, (const char *)data, size);
    } else {
        check_error(&error);
    }
    (void)web_config_free(config);
    return 0;
}
