/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/text.h"

/* Writes the page at "/", which links the metrics under this path. */
void face_page_write(const char *telemetry_path, struct text *text);
