/* SPDX-License-Identifier: Apache-2.0 */
#include "service/landing_page.h"

#include <string.h>

static const char page_head[] =
    "<!DOCTYPE html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n"
    "<title>pmu_exporter</title>\n"
    "<style>\n"
    "body { font-family: sans-serif; color: #222; margin: 0; }\n"
    "header { background: #2f4858; color: #fff; padding: 1em 2em; }\n"
    "h1 { font-size: 1.5em; margin: 0; }\n"
    "main { padding: 1em 2em; }\n"
    "li { margin: 0.5em 0; }\n"
    "</style>\n"
    "</head>\n"
    "<body>\n"
    "<header><h1>pmu_exporter</h1></header>\n"
    "<main>\n"
    "<p>Performance counters of this machine, its cgroups and processes, for Prometheus.</p>\n"
    "<ul>\n"
    "<li><a href=\"";
static const char page_tail[] = "\">Metrics</a></li>\n"
                                "<li><a href=\"/-/healthy\">Healthy</a></li>\n"
                                "<li><a href=\"/-/ready\">Ready</a></li>\n"
                                "</ul>\n"
                                "</main>\n"
                                "</body>\n"
                                "</html>\n";

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

void landing_page_write(const char *telemetry_path, struct text *text)
{
    text_append_string(text, page_head);
    append_escaped(text, telemetry_path);
    text_append_string(text, page_tail);
}
