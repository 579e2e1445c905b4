/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Asks the service for a profile, and shows it or writes it to a file. */

#include "client/client.h"
#include "tool/profile/options.h"

/*
 * Presents what the options ask for; of a mark among them the time has been found. Returns the exit
 * status, with the reason on stderr.
 */
int profile_present(const struct profile_options *options, struct pmu_client *client);
