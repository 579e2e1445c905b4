/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The running service: the collector's loop in the calling thread, the server in its own. */

#include "config/config.h"
#include "config/web_config.h"
#include "reader/object_reader.h"
#include "service/options.h"

/* Processes that read files of others. */
struct readers {
    struct object_reader *programs; /* NULL: there are no profiles */
    struct object_reader *states;   /* NULL: state files of programs of the host name nobody */
    struct object_reader *probes;   /* NULL: no probe is put on a program */
    struct object_reader *config;
    struct object_reader *web; /* of the web configuration; NULL: there is none */
};

/*
 * Runs until SIGTERM or SIGINT; SIGHUP reads the configuration again. Takes both
 * configurations over; that of the web is NULL if there is none. Logs what goes wrong. Returns the
 * exit status of the process: 0, or 1 if it could not start. The readers are borrowed, but
 * that of the configuration is taken over.
 */
int service_run(const struct options *options, struct config *config, struct web_config *web_config,
                struct readers *readers);
