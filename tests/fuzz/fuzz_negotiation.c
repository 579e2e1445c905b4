/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "web/negotiation.h"

/*
 * What a client accepts. Whatever it says, there is a form of ours for it, which has an escaping
 * only if the client named it, and what is remembered is what was chosen.
 */

static const struct route_form forms[] = {
    {"text/plain; version=0.0.4; charset=utf-8", true},
    {"application/openmetrics-text; version=1.0.0; charset=utf-8", true},
    {"application/openmetrics-text; version=0.0.1; charset=utf-8", false},
};

static void fuzz(const char *text)
{
    static struct negotiation_memory memory;
    struct negotiated chosen, again;

    negotiate_form(text, forms, ARRAY_SIZE(forms), &chosen);
    FUZZ_CHECK(chosen.form < ARRAY_SIZE(forms) && chosen.escaping < N_ESCAPINGS);
    FUZZ_CHECK(chosen.escaping == ESCAPING_NONE || forms[chosen.form].can_escape);
    FUZZ_CHECK(chosen.escaping == ESCAPING_NONE || strcasestr(text, "escaping"));
    FUZZ_CHECK(chosen.form == 0 || strstr(text, "*") || strcasestr(text, "openmetrics"));
    for (unsigned i = 0; i < 2; i++) {
        negotiate_form_again(&memory, text, forms, ARRAY_SIZE(forms), &again);
        FUZZ_CHECK(again.form == chosen.form && again.escaping == chosen.escaping);
    }
    FUZZ_CHECK(!negotiate_gzip(text) || strstr(text, "*") || strcasestr(text, "gzip"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *copy = calloc(1, size + 1);

    if (!copy)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    fuzz(copy);
    return 0;
}
