/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the parts of a configuration must be to each other. */

#include "config/config.h"

/*
 * `text` is what the configuration was parsed from: places within formulas, templates
 * and patterns are found in it. 0; -EINVAL with *ret_error filled; -ENOMEM.
 */
int config_validate(const struct config *config, const char *text, size_t length,
                    struct config_error *ret_error);

/*
 * Parts of it. config_validate_names(): no two series families get one name.
 * config_validate_ratios(): formulas, and that each is counted by one group.
 */
int config_validate_names(const struct config *config, struct config_error *ret_error);
int config_validate_ratios(const struct config *config, const char *text, size_t length,
                           struct config_error *ret_error);
