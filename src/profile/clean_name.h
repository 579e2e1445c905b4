/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Names that strangers have given, as they may be shown. */

#include <stddef.h>

#include "base/text.h"

/*
 * Appends clean text of at most OBJECT_NAME_MOST bytes: what is no UTF-8, or steers terminals,
 * becomes U+FFFD.
 */
void clean_name_append(struct text *text, const char *name, size_t n);
