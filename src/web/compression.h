/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Texts as gzip. A compressor belongs to one thread. */

#include <stdbool.h>

#include "base/text.h"

/* A text with fewer bytes is sent as it is: it fits into one packet of most networks. */
#define COMPRESSION_LEAST 1024

struct libdeflate_compressor;

struct compression {
    struct libdeflate_compressor *compressor; /* It is made when it is needed first. */
    struct text scratch;                      /* Texts are compressed here: its pages stay warm. */
};

void compression_done(struct compression *compression);

/*
 * Appends the text as gzip to an empty one. Returns false, with nothing appended, if that would not
 * be shorter, or there is no memory: then the text is to be sent as it is.
 */
bool compression_add(struct compression *compression, const struct text *text,
                     struct text *ret_gzip);
