/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "config/config.h"
#include "event/probe.h"

/*
 * The place of a probe, one of its three words, and of which kind it is. NULL: it has none, or
 * several.
 */
const struct config_word *config_probe_place(const struct config_probe *probe,
                                             enum probe_kind *ret_kind);

/*
 * Makes the list of `probes:` for a resolver of events, n_probes long. Its texts are the
 * configuration's; the array is the caller's to free. 0 or -ENOMEM.
 */
int config_probes_make(const struct config *config, struct probe_spec **ret_specs);
