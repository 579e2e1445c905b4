/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <string.h>

#include "config/config_error.h"
#include "config/config_probes.h"
#include "config/config_validate.h"
#include "event/modifiers.h"

static const struct config_probe *find_probe(const struct config *config, size_t n,
                                             const char *name, size_t length)
{
    for (size_t i = 0; i < n; i++) {
        const char *known = config->probes[i].name.text;

        if (strlen(known) == length && memcmp(known, name, length) == 0)
            return &config->probes[i];
    }
    return NULL;
}

static int check_name(const struct config *config, size_t index, struct config_error *ret_error)
{
    const struct config_word *name = &config->probes[index].name;
    const struct config_probe *first = find_probe(config, index, name->text, strlen(name->text));

    if (!probe_name_valid(name->text))
        return config_error_set(ret_error, name->place,
                                "probe name %s; expected letters, digits and \"_\", no digit "
                                "first, and not only letters of modifiers",
                                SHOWN(name->text));
    if (first)
        return config_error_set(
            ret_error, name->place, "duplicate probe %s; expected it once, the first is at %u:%u",
            SHOWN(name->text), first->name.place.line, first->name.place.column);
    return 0;
}

static int check_place(const struct config_probe *probe, struct config_error *ret_error)
{
    enum probe_kind kind = PROBE_KERNEL;
    const struct config_word *word = config_probe_place(probe, &kind);
    struct probe_place place = {0};
    int r;

    if (!word)
        return config_error_set(ret_error, probe->name.place,
                                "probe %s has several places; expected one of \"kernel\", "
                                "\"user\", \"usdt\"",
                                SHOWN(probe->name.text));
    r = probe_place_parse(kind, word->text, &place);
    probe_place_done(&place);
    if (r == -EINVAL)
        return config_error_set(ret_error, word->place, "probe %s is on %s; expected %s",
                                SHOWN(probe->name.text), SHOWN(word->text),
                                probe_place_expected(kind));
    return r;
}

static int refuse_unknown_probe(const struct config *config, const struct config_word *event,
                                struct config_error *ret_error)
{
    AUTO_FREE const char **names = calloc(config->n_probes + 1, sizeof(*names));
    AUTO_FREE char *name = NULL;
    struct event_code modifiers;
    const size_t length = modifiers_split(event->text, &modifiers) - strlen(PROBE_PREFIX);
    int r;

    name = strndup(event->text + strlen(PROBE_PREFIX), length);
    if (!names || !name)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_probes; i++)
        names[i] = config->probes[i].name.text;
    r = config_error_set(ret_error, event->place,
                         "unknown probe %s; expected a name from \"probes\"", SHOWN(name));
    config_error_suggest(ret_error, name, names, config->n_probes);
    return r;
}

int config_validate_probe_name(const struct config *config, const struct config_word *event,
                               struct config_error *ret_error)
{
    const size_t prefix = strlen(PROBE_PREFIX);
    struct event_code modifiers;
    size_t length;

    if (strncmp(event->text, PROBE_PREFIX, prefix) != 0)
        return 0;
    length = modifiers_split(event->text, &modifiers);
    if (length > prefix &&
        find_probe(config, config->n_probes, event->text + prefix, length - prefix))
        return 0;
    return length > prefix ? refuse_unknown_probe(config, event, ret_error)
                           : config_error_set(ret_error, event->place,
                                              "event %s names no probe; expected probe:NAME",
                                              SHOWN(event->text));
}

int config_validate_probes(const struct config *config, struct config_error *ret_error)
{
    int r = 0;

    for (size_t i = 0; i < config->n_probes && r == 0; i++) {
        r = check_name(config, i, ret_error);
        if (r == 0)
            r = check_place(&config->probes[i], ret_error);
    }
    for (size_t g = 0; g < config->n_groups && r == 0; g++)
        for (size_t i = 0; i < config->groups[g].n_events && r == 0; i++)
            r = config_validate_probe_name(config, &config->groups[g].events[i].event, ret_error);
    return r;
}
