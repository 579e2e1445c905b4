/* SPDX-License-Identifier: Apache-2.0 */
#include "history/layout_bytes.h"

#include <string.h>

void layout_append_string(struct text *bytes, const char *string)
{
    text_append(bytes, string, strlen(string) + 1);
}

void layout_append_count(struct text *bytes, size_t count)
{
    text_append_u64(bytes, count);
    text_append_char(bytes, '\0');
}
