/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What `stat --run` has the running service keep: a row for each interval, for each of several
 * runs, or for the whole. CPUs that are shown apart are one row. It is sent when all is counted, so
 * that nothing is asked of the service before; without a service the figures are shown all the
 * same.
 */

#include <signal.h>
#include <stdint.h>

#include "tool/stat/report.h"

struct stat_keep;

/* The options are borrowed. 0 or -ENOMEM. */
int stat_keep_new(const struct stat_options *options, struct stat_keep **ret_keep);
struct stat_keep *stat_keep_free(struct stat_keep *keep);

/*
 * Adds a row of what the report says, which was counted in so much time. The report's groups are
 * those of the first one, and are borrowed for the life of `keep`. What is more than the service
 * takes is left out. 0 or -ENOMEM.
 */
int stat_keep_add(struct stat_keep *keep, const struct report *report, uint64_t span_ns);

/*
 * Sends it, and tells on standard error what became of it. mask: that of signals meanwhile, so that
 * they end a service's silence.
 */
void stat_keep_send(struct stat_keep *keep, const sigset_t *mask);
