/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A configuration that is refused, with the exact place and what the message says. */
#include "support/check.h"

#include <errno.h>
#include <string.h>

#include "config/config.h"

struct refusal {
    const char *text;
    unsigned line, column;
    const char *says[3]; /* the message has these parts */
};

static inline void expect_refusal(const struct refusal *refusal, size_t length)
{
    struct config_error error = {0};
    struct config *config = NULL;
    int r = config_parse(refusal->text, length, &config, &error);

    if (r != -EINVAL)
        fail_msg("accepted (%d): %s", r, refusal->text);
    if (error.place.line != refusal->line || error.place.column != refusal->column)
        fail_msg("%u:%u instead of %u:%u: %s\n%s", error.place.line, error.place.column,
                 refusal->line, refusal->column, error.message, refusal->text);
    for (size_t i = 0; i < ARRAY_SIZE(refusal->says) && refusal->says[i]; i++)
        if (!strstr(error.message, refusal->says[i]))
            fail_msg("no \"%s\" in: %s", refusal->says[i], error.message);
    assert_null(config);
}

static inline void expect_refusals(const struct refusal *refusals, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_refusal(&refusals[i], strlen(refusals[i].text));
}

#define EXPECT(refusals) expect_refusals(refusals, ARRAY_SIZE(refusals))
