/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The last samples one by one, in a ring of 16 bytes each: times are milliseconds from a base,
 * which moves on before they overflow.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECENT_NO_TARGET UINT32_MAX /* it belongs to nobody any more */

struct recent_sample {
    uint32_t ms; /* from the base */
    uint32_t target, node;
    uint32_t place; /* of the leaf in its file; PROFILE_NO_PLACE: not known */
};

struct recent {
    struct recent_sample *samples;
    size_t n, capacity;
    size_t next;            /* the place of the next one */
    uint64_t base_ms;       /* CLOCK_REALTIME */
    uint64_t whole_from_ms; /* from here on it has all samples that there were */
};

/* 0 or -ENOMEM. */
int recent_init(struct recent *recent, size_t capacity);
void recent_done(struct recent *recent);

/* Forgets all samples; it is whole again from that time on. */
void recent_forget(struct recent *recent, uint64_t from_ms);

/* Its time is the one that is given, whatever the sample says. */
void recent_add(struct recent *recent, uint64_t time_ms, const struct recent_sample *sample);

/* CLOCK_REALTIME, in milliseconds. */
static inline uint64_t recent_time_ms(const struct recent *recent,
                                      const struct recent_sample *sample)
{
    return recent->base_ms + sample->ms;
}
