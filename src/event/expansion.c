/* SPDX-License-Identifier: Apache-2.0 */
#include "event/expansion.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "event/modifiers.h"

/* What is collected while a source shows events. */
struct collected {
    struct event_expansion expansion;
    size_t capacity;
    const char *modifiers; /* what each name gets behind it: ":u", or nothing */
};

/* The order needs all names at once; a machine that has absurdly many does not get our memory. */
#define MOST_COLLECTED ((size_t)4 * EVENT_EXPANSION_MAX)

static int collect(void *object, const struct event_listing *listing)
{
    struct collected *collected = object;
    struct event_expansion *expansion = &collected->expansion;
    AUTO_TEXT struct text name = {0};
    char **names;

    if (expansion->n_names == MOST_COLLECTED) {
        expansion->n_beyond++;
        return 0;
    }
    names = array_reserve((void *)expansion->names, sizeof(*names), &collected->capacity,
                          expansion->n_names + 1);
    if (!names)
        return -ENOMEM;
    expansion->names = names;
    text_append_string(&name, listing->name);
    text_append_string(&name, collected->modifiers);
    names[expansion->n_names] = text_take(&name);
    if (!names[expansion->n_names])
        return -ENOMEM;
    expansion->n_names++;
    return 0;
}

static int compare(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void cut(struct event_expansion *expansion, size_t limit)
{
    while (expansion->n_names > limit) {
        free(expansion->names[--expansion->n_names]);
        expansion->n_beyond++;
    }
}

int event_expand(struct event_resolver *resolver, const char *name, size_t limit,
                 struct event_expansion *ret_expansion)
{
    struct event_code modifiers;
    const size_t n_base = modifiers_split(name, &modifiers);
    AUTO_FREE char *base = strndup(name, n_base);
    struct collected collected = {.modifiers = name + n_base};
    const struct event_visitor visitor = {collect, &collected};
    int r = base ? event_resolver_expand(resolver, base, &visitor) : -ENOMEM;

    if (r < 0) {
        event_expansion_done(&collected.expansion);
        return r;
    }
    if (collected.expansion.n_names > 0)
        qsort((void *)collected.expansion.names, collected.expansion.n_names, sizeof(char *),
              compare);
    cut(&collected.expansion, limit);
    *ret_expansion = collected.expansion;
    return 0;
}

void event_expansion_done(struct event_expansion *expansion)
{
    for (size_t i = 0; i < expansion->n_names; i++)
        free(expansion->names[i]);
    free((void *)expansion->names);
    *expansion = (struct event_expansion){0};
}
