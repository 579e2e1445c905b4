/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/recent.h"

#include <errno.h>
#include <stdlib.h>

/* How long before the first sample the base is, as samples may come out of order: a day. */
#define BEFORE_MS UINT64_C(86400000)

int recent_init(struct recent *recent, size_t capacity)
{
    *recent = (struct recent){.capacity = capacity};
    if (capacity == 0) {
        recent->whole_from_ms = UINT64_MAX;
        return 0;
    }
    recent->samples = calloc(capacity, sizeof(*recent->samples));
    return recent->samples ? 0 : -ENOMEM;
}

void recent_done(struct recent *recent)
{
    free(recent->samples);
    *recent = (struct recent){0};
}

/* A time that the new base cannot express becomes the nearest one that it can. */
static void move_base(struct recent *recent, uint64_t base_ms)
{
    for (size_t i = 0; i < recent->n; i++) {
        const uint64_t time_ms = recent_time_ms(recent, &recent->samples[i]);
        const uint64_t from_base = time_ms > base_ms ? time_ms - base_ms : 0;

        recent->samples[i].ms = from_base < UINT32_MAX ? (uint32_t)from_base : UINT32_MAX;
    }
    recent->base_ms = base_ms;
}

void recent_add(struct recent *recent, uint64_t time_ms, const struct recent_sample *sample)
{
    struct recent_sample *slot = &recent->samples[recent->next];

    if (recent->capacity == 0)
        return;
    if (time_ms < recent->base_ms || time_ms - recent->base_ms > UINT32_MAX)
        move_base(recent, time_ms > BEFORE_MS ? time_ms - BEFORE_MS : 0);
    if (recent->n < recent->capacity)
        recent->n++;
    else if (recent_time_ms(recent, slot) >= recent->whole_from_ms)
        recent->whole_from_ms = recent_time_ms(recent, slot) + 1;
    *slot = *sample;
    slot->ms = (uint32_t)(time_ms - recent->base_ms);
    recent->next = (recent->next + 1) % recent->capacity;
}

void recent_forget(struct recent *recent, uint64_t from_ms)
{
    recent->n = recent->next = 0;
    if (recent->capacity > 0)
        recent->whole_from_ms = from_ms;
}
