/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "config/config.h"
#include "target/process_rules.h"

/*
 * Makes the rules of targets.processes; the index of a rule is the same in both. 0;
 * -EINVAL with *ret_index, of the rule, and *ret_error filled, which a configuration
 * that was parsed never gives; -ENOMEM.
 */
int config_processes_make(const struct config *config, struct process_rules **ret_rules,
                          size_t *ret_index, struct process_rule_error *ret_error);
