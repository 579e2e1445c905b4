/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Targets of the store, and the tenants that they belong to. */

#include "profile/store_parts.h"

#define STORE_NO_TARGET UINT32_MAX

/* Finds a target by scope and label. STORE_NO_TARGET: there is none. */
uint32_t store_target_find(const struct profile_store *store, enum profile_scope scope,
                           const char *label);

/*
 * Which targets are in what is asked for: ret_is_in has a place for each of the store. Whether one
 * of them has samples.
 */
bool store_targets_in(const struct profile_store *store, const struct profile_range *range,
                      bool *ret_is_in);

/* Finds it, or makes it whatever the limits say. STORE_NO_TARGET: no memory. */
uint32_t store_target_number(struct profile_store *store, enum profile_scope scope,
                             const char *label);

/* Whether another target of this scope and label is within the limits. */
bool store_target_has_room(const struct profile_store *store, enum profile_scope scope,
                           const char *label);

/* Removes those for which ret_map[target] is STORE_NO_TARGET, and sets it to the new number. */
void store_targets_keep(struct profile_store *store, uint32_t *ret_map);

void store_targets_done(struct profile_store *store);

/* The open minute of a target that a sample of this minute goes to. */
struct open_minute *store_target_open(struct store_target *target, uint32_t minute);

/* Hands a slice over to a target. 0 or -ENOMEM; then the slice is still the caller's. */
int store_target_keep_slice(struct profile_store *store, struct store_target *target,
                            struct slice *slice);

/* Takes the slice at this place out, and moves another one there. */
struct slice *store_target_take_slice(struct profile_store *store, struct store_target *target,
                                      size_t at);
