/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Whose samples are told apart (profile/targets.h): those of the cgroups and groups of processes
 * that have an account and are not at rest. A successor names the same targets beside its
 * predecessor, and goes on with what that has read of them, so that no sample is lost or counted
 * twice.
 */

#include "cycle/ledger.h"

struct collector;

/* Says which plans show samples. Before it is decided what is counted. */
void collector_plan_profiles(struct collector *collector);

/* Names all targets that there are now, and their processes, to who samples. */
void collector_name_profiles(struct collector *collector);

/* Adds what was sampled of an entry since the last reading. After its account was updated. */
void collector_read_profile(const struct collector *collector, struct entry *entry);

/* Goes on from what the predecessor's entry of the same target has read. */
void profile_adopt(const struct collector *collector, struct entry *entry,
                   const struct collector *predecessor, const struct entry *from);
