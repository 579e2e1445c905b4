/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stddef.h>

/* The description of the API, src/web/api/openapi.json, which is kept in the program. */
const char *openapi_text(size_t *ret_length);
