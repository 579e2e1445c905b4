/* SPDX-License-Identifier: Apache-2.0 */
#include "service/config_shown.h"

void config_shown_init(struct config_shown *shown)
{
    *shown = (struct config_shown){0};
    (void)pthread_mutex_init(&shown->mutex, NULL); /* It cannot fail without attributes. */
}

void config_shown_done(struct config_shown *shown)
{
    shown->text = shared_text_unref(shown->text);
    (void)pthread_mutex_destroy(&shown->mutex);
}

void config_shown_set(struct config_shown *shown, struct shared_text *text)
{
    struct shared_text *before;

    (void)pthread_mutex_lock(&shown->mutex);
    before = shown->text;
    shown->text = shared_text_ref(text);
    (void)pthread_mutex_unlock(&shown->mutex);
    (void)shared_text_unref(before);
}

struct shared_text *config_shown_get(struct config_shown *shown)
{
    struct shared_text *text;

    (void)pthread_mutex_lock(&shown->mutex);
    text = shared_text_ref(shown->text);
    (void)pthread_mutex_unlock(&shown->mutex);
    return text;
}
