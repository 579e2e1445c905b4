/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The running service: the collector's loop in the calling thread, the server in its own. */

#include "config/config.h"
#include "config/web_config.h"
#include "reader/object_reader.h"
#include "service/options.h"

/*
 * Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again. Takes both
 * configurations over; that of the web is NULL if there is none. Logs what goes wrong. Returns the
 * exit status of the process: 0, or 1 if it could not start. reader: borrowed; NULL: no program can
 * be read, so that there are no profiles.
 */
int service_run(const struct options *options, struct config *config, struct web_config *web_config,
                struct object_reader *reader);
