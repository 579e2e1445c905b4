/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the command line of `pmutool stat` wants to be counted, and derived. */

#include "base/text.h"
#include "event/resolver.h"
#include "run/events.h"
#include "tool/stat/options.h"
#include "tool/stat/report.h"

struct stat_wanted {
    struct run_events events;
    struct stat_ratio *ratios; /* those of the configuration, with -g */
    size_t n_ratios;
};

/*
 * Finds what the command line names: the events of -e, the groups of -g in the configuration, or
 * else the default events. Returns 0; -EINVAL with a message for the user in *ret_message: some
 * name is unknown, or the configuration cannot be read; -ENOMEM. To be ended by stat_wanted_done()
 * in any case.
 */
int stat_wanted_find(struct event_resolver *resolver, const struct stat_options *options,
                     struct stat_wanted *ret_wanted, struct text *ret_message);

void stat_wanted_done(struct stat_wanted *wanted);
