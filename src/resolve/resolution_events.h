/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* From the names of events in the configuration to the events of a resolution. */

#include "resolve/resolution.h"

/* Resolves each name of each group, and what it stands for, once. 0 or -ENOMEM. */
int resolution_resolve_events(struct resolution *resolution, struct event_resolver *resolver);

/* Frees what resolution_resolve_events() has made. */
void resolution_free_events(struct resolution *resolution);
