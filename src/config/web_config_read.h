/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* How the text of a web configuration, and the files that it names, are read. */

#include "config/web_config.h"
#include "config/web_config_schema.h"

/* The texts of PEM, each from the configuration itself or from a file. */
struct web_config_pems {
    char *certificate, *key, *client_ca; /* NULL: none */
};
void web_config_pems_done(struct web_config_pems *pems);

/* Parses; the caller calls schema_done() in any case. 0, -EINVAL with the error filled, -ENOMEM. */
int web_config_read_text(struct object_reader *walls, const char *text, size_t length,
                         struct web_config_text *ret_text, struct config_error *ret_error);

/*
 * Reads what the text refers to, and appends the paths of the files to ->files of the configuration
 * from there on where one is NULL. Returns as above; web_config_pems_done() in any case.
 */
int web_config_read_pems(const struct web_config_text *text, const char *directory,
                         struct web_config *config, struct web_config_pems *ret_pems,
                         struct config_error *ret_error);
