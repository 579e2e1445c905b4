/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/top/name.h"

#include "base/parse.h"

void top_name_append_raw(struct text *text, const char *label)
{
    if (label[0] != '%' || label[1] != '/') {
        text_append_string(text, label);
        return;
    }
    for (label++; *label; label++) {
        const int high = *label == '%' ? digit_value(label[1]) : -1;
        const int low = high < 0 ? -1 : digit_value(label[2]);

        if (low < 0) {
            text_append_char(text, *label);
            continue;
        }
        text_append_char(text, (char)(high << 4 | low));
        label += 2;
    }
}
