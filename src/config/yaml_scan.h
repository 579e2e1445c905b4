/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"

/*
 * Has libyaml scan a text, and appends what it finds (config/yaml_message.h), up to the first thing
 * that is wrong. What makes YAML surprising is wrong: tags, anchors, aliases, another encoding than
 * UTF-8. 0 or -ENOMEM.
 */
int yaml_scan(const char *text, size_t length, struct text *answer);
