/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/profile_status.h"

#include <pthread.h>

struct profile_status_slot {
    pthread_mutex_t mutex;
    struct profile_status status;
};

struct profile_status_slot *profile_status_slot_new(void)
{
    struct profile_status_slot *slot = calloc(1, sizeof(*slot));

    if (slot)
        (void)pthread_mutex_init(&slot->mutex, NULL); /* cannot fail on Linux */
    return slot;
}

struct profile_status_slot *profile_status_slot_free(struct profile_status_slot *slot)
{
    if (slot)
        (void)pthread_mutex_destroy(&slot->mutex);
    free(slot);
    return NULL;
}

void profile_status_slot_set(struct profile_status_slot *slot, const struct profile_status *status)
{
    (void)pthread_mutex_lock(&slot->mutex);
    slot->status = *status;
    (void)pthread_mutex_unlock(&slot->mutex);
}

struct profile_status profile_status_slot_get(struct profile_status_slot *slot)
{
    struct profile_status status;

    (void)pthread_mutex_lock(&slot->mutex);
    status = slot->status;
    (void)pthread_mutex_unlock(&slot->mutex);
    return status;
}
