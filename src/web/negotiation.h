/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a client wants of the forms in which a page can be had (RFC 9110, 12.5). Prometheus names
 * the formats that it reads by Accept, each with a version and a quality.
 */

#include <stdbool.h>
#include <stddef.h>

#include "web/route.h"

/*
 * How names that not every reader takes are to be escaped. The client's wish is repeated in the
 * answer's Content-Type. All our names are such as Prometheus always had, which every one of these
 * leaves as they are.
 */
enum escaping {
    ESCAPING_NONE,
    ESCAPING_ALLOW_UTF_8,
    ESCAPING_UNDERSCORES,
    ESCAPING_DOTS,
    ESCAPING_VALUES,
    N_ESCAPINGS,
};

/* What follows a Content-Type, such as "; escaping=dots"; empty for ESCAPING_NONE. */
extern const char *const escaping_parameters[N_ESCAPINGS];

/* More than any Prometheus sends; longer values are read each time. */
#define LONGEST_REMEMBERED 511
#define REMEMBERED_ACCEPTS 4

struct negotiated {
    size_t form;
    enum escaping escaping;
};

/*
 * Chooses a form by the value of Accept, or NULL. A form has the quality of that range which names
 * it most exactly, and of those with the same quality the one is chosen that is named more exactly,
 * then that which is named first. Who accepts none gets the first, as from Prometheus' own library.
 * Of a range's parameters only version matters; an escaping that nobody knows is none.
 */
void negotiate_form(const char *accept, const struct route_form *forms, size_t n_forms,
                    struct negotiated *ret_negotiated);

/*
 * What was chosen for the last values of Accept: scrapers send the same at each scrape, and to read
 * it costs as much as the rest of the answer.
 */
struct negotiation_memory {
    struct {
        char accept[LONGEST_REMEMBERED + 1];
        const struct route_form *forms;
        struct negotiated negotiated;
    } entries[REMEMBERED_ACCEPTS];
    unsigned next; /* This entry is the next to be overwritten. */
};

/* Does what negotiate_form() does, or remembers what that has said. */
void negotiate_form_again(struct negotiation_memory *memory, const char *accept,
                          const struct route_form *forms, size_t n_forms,
                          struct negotiated *ret_negotiated);

/* Tells by the value of Accept-Encoding, or NULL, whether a client would rather have gzip. */
bool negotiate_gzip(const char *accept_encoding);
