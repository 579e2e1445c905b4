/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"

/* The page allows itself its own style and nothing else. */
#define LANDING_PAGE_POLICY "default-src 'none'; style-src 'unsafe-inline'"

/* Writes the HTML page that links the other pages; the metrics stand under this path. */
void landing_page_write(const char *telemetry_path, struct text *text);
