/* SPDX-License-Identifier: Apache-2.0 */
#include "check/spans.h"

#include "resolve/mechanism_size.h"
#include "resolve/resolution_spans.h"

static const char *key_of(const struct config_word *key)
{
    return key->text ? key->text : CONFIG_KEY_THREAD;
}

void check_print_spans(struct check_output *output, const struct resolution *resolution)
{
    const struct config *config = resolution->config;

    for (size_t i = 0; i < resolution->n_spans; i++) {
        const struct config_span *span = &config->spans[i];
        const char *why = resolution->spans[i].why;

        if (why)
            check_note(output, span->name.place, "warning", "span %s cannot be followed: %s",
                       span->name.text, why);
        else
            check_say(output, "span %s: from %s (%s) to %s (%s)\n", span->name.text,
                      span->begin.text, key_of(&span->key), span->end.text,
                      key_of(span->end_key.text ? &span->end_key : &span->key));
    }
    if (config->n_spans > 0 && !(latency_wanted(config) & LATENCY_KIND_SPANS))
        check_note(output, config->spans[0].name.place, "note",
                   "no rule shows spans; expected latency: [spans] where they are wanted");
}
