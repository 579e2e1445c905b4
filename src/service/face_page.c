/* SPDX-License-Identifier: Apache-2.0 */
#include "service/face_page.h"

#include <string.h>

#include "web/page_files.h"

/* It stands in src/web/page/index.html where the path of the metrics is to be. */
#define PLACE_OF_METRICS "@METRICS@"

/* Writes a path as it may stand in a link of HTML: what is special in either becomes %HH. */
static void append_escaped(struct text *page, const char *string)
{
    static const char hexadecimal[] = "0123456789abcdef";

    for (; *string; string++) {
        const unsigned char c = (unsigned char)*string;

        if (c <= ' ' || c >= 0x7f || strchr("\"'<>&%?#", c)) {
            text_append_char(page, '%');
            text_append_char(page, hexadecimal[c >> 4]);
            text_append_char(page, hexadecimal[c & 15]);
        } else {
            text_append_char(page, (char)c);
        }
    }
}

void face_page_write(const char *telemetry_path, struct text *text)
{
    static const char place[] = PLACE_OF_METRICS;
    size_t left;
    const char *at = page_file_text(PAGE_FILE_index_html, &left), *found;

    while ((found = memmem(at, left, place, strlen(place)))) {
        text_append(text, at, (size_t)(found - at));
        append_escaped(text, telemetry_path);
        left -= (size_t)(found - at) + strlen(place);
        at = found + strlen(place);
    }
    text_append(text, at, left);
}
