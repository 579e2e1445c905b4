/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How an event of a group is called. */

#include "config/config.h"

/*
 * The name by which the rest of the configuration knows the event: that which it is given, else
 * that of the event itself. Two entries of the same name are the same event.
 */
static inline const struct config_word *config_event_name(const struct config_event *event)
{
    return event->name.text ? &event->name : &event->event;
}
