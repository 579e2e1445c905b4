/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"

#define REPLACED "\xef\xbf\xbd" /* U+FFFD, for a byte that is not UTF-8 */

json_t *json_of_text(const char *text)
{
    AUTO_TEXT struct text valid = {0};

    if (!text)
        return json_null();
    while (*text) {
        uint32_t code;
        const size_t length = utf8_decode(text, UTF8_LONGEST, &code);

        text_append(&valid, length ? text : REPLACED, length ? length : strlen(REPLACED));
        text += length ? length : 1;
    }
    if (text_error(&valid) < 0)
        return NULL;
    return json_stringn(valid.data ? valid.data : "", valid.length);
}

json_t *json_of_double(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_of_seconds(uint64_t ns)
{
    return json_of_double((double)ns / (double)NS_PER_SECOND);
}

int json_print(json_t *value)
{
    AUTO_JSON json_t *owned = value;

    if (!owned)
        return -ENOMEM;
    /* What stdout does not take is told when the program ends. */
    if (json_dumpf(owned, stdout, JSON_INDENT(2) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) == 0)
        (void)putchar('\n');
    return 0;
}
