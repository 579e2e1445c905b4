/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What one key alone cannot show: whether the parts of a configuration fit together. Not to be
 * confused with check/, which compares a valid configuration with the machine.
 */

#include "config/config.h"

/*
 * `text` is what the configuration was parsed from; it is used to find the place of an error within
 * a formula, a template or a pattern. 0; -EINVAL with *ret_error filled; -ENOMEM.
 */
int config_validate(const struct config *config, const char *text, size_t length,
                    struct config_error *ret_error);

/* A part of it: each probe has one place and a name of its own, and listed probes are defined. */
int config_validate_probes(const struct config *config, struct config_error *ret_error);

/* A part of that: if the event is a probe by its name, it is one of those that are defined. */
int config_validate_probe_name(const struct config *config, const struct config_word *event,
                               struct config_error *ret_error);

/* A part of it: each span has a name of its own, single events and a key. */
int config_validate_spans(const struct config *config, struct config_error *ret_error);

/* A part of it: each call that is to be timed exists, returns, and is listed once. */
int config_validate_system_calls(const struct config *config, struct config_error *ret_error);

/* A part of it: no two families of series get the same name. */
int config_validate_names(const struct config *config, struct config_error *ret_error);

/* A part of it: each formula of a ratio is one, and some group has all of its events. */
int config_validate_ratios(const struct config *config, const char *text, size_t length,
                           struct config_error *ret_error);
