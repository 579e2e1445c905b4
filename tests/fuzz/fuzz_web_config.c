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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config_error error = {0};
    struct web_config *config = NULL;
    int r = web_config_parse(NULL, (const char *)data, size, "/nonexistent", &config, &error);

    FUZZ_CHECK(r == 0 || r == -EINVAL);
    if (r == 0)
        check_config(config);
    else
        check_error(&error);
    (void)web_config_free(config);
    return 0;
}
