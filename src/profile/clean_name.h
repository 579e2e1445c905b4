/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names that strangers have given, as they may be shown. */

#include "base/text.h"

/* Appends a name. What is no clean UTF-8 becomes a question mark; an empty name becomes "?". */
void clean_name_append(struct text *text, const char *name);
