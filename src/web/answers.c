/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answers.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "web/control.h"

static const char plain_text[] = "text/plain; charset=utf-8";

struct header {
    const char *name;
    const char *value;
};

/* What stands in the table below; the landing page is written when its links are known. */
struct description {
    unsigned status;
    const char *text; /* NULL: the landing page */
    bool close;       /* what follows on the connection is not read */
    struct header header;
};

static const struct description descriptions[N_ANSWERS] = {
    [ANSWER_HEALTHY] = {MHD_HTTP_OK, "OK\n"},
    [ANSWER_READY] = {MHD_HTTP_OK, "ready\n"},
    [ANSWER_LANDING_PAGE] = {MHD_HTTP_OK,
                             .header = {"Content-Security-Policy",
                                        "default-src 'none'; style-src 'unsafe-inline'"}},
    [ANSWER_MALFORMED] = {MHD_HTTP_BAD_REQUEST, "malformed request\n", .close = true},
    [ANSWER_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, "not found\n"},
    [ANSWER_METHOD_NOT_ALLOWED] = {MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n",
                                   .close = true, .header = {MHD_HTTP_HEADER_ALLOW, "GET, HEAD"}},
    [ANSWER_BODY_REFUSED] = {MHD_HTTP_CONTENT_TOO_LARGE, "requests have no body here\n",
                             .close = true},
    [ANSWER_RENDER_FAILED] = {MHD_HTTP_INTERNAL_SERVER_ERROR, "the metrics could not be written\n"},
    [ANSWER_TOO_MANY_READERS] = {MHD_HTTP_SERVICE_UNAVAILABLE, "too many slow readers, try again\n",
                                 .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_CONTROL_METHOD] = {MHD_HTTP_METHOD_NOT_ALLOWED, "only POST and PUT are answered here\n",
                               .close = true, .header = {MHD_HTTP_HEADER_ALLOW, "POST, PUT"}},
    [ANSWER_CONTROL_DISABLED] = {MHD_HTTP_FORBIDDEN,
                                 "reload and pause are not enabled on this address: start "
                                 "pmu_exporter with --web.enable-lifecycle, or use pmutool, which "
                                 "asks over the socket of --control.socket\n"},
    [ANSWER_FOREIGN_ORIGIN] = {MHD_HTTP_FORBIDDEN,
                               "a web page may ask for this only where its origin is that of the "
                               "request, with an IP address, localhost or this machine's own name "
                               "as the host: use pmutool, or a client that is no browser\n",
                               .close = true},
    [ANSWER_CONTROL_DURATION] = {MHD_HTTP_BAD_REQUEST,
                                 "expected ?duration= with " CONTROL_PAUSE_EXPECTED "\n"},
    [ANSWER_CONTROL_BUSY] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                             "another reload or pause is being carried out, try again\n",
                             .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_CONTROL_LATE] = {MHD_HTTP_GATEWAY_TIMEOUT,
                             "no answer in time: look at the log for what came of it\n"},
};

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

static struct MHD_Response *landing_page(const char *telemetry_path)
{
    AUTO_TEXT struct text page = {0};

    text_append_string(&page, page_head);
    append_escaped(&page, telemetry_path);
    text_append_string(&page, page_tail);
    if (text_error(&page) < 0)
        return NULL;
    return MHD_create_response_from_buffer(page.length, page.data, MHD_RESPMEM_MUST_COPY);
}

static struct MHD_Response *fixed_text(const char *text)
{
    return MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
}

bool response_describe(struct MHD_Response *response, const char *content_type)
{
    return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type) &&
           MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

static bool describe(struct MHD_Response *response, const struct description *description)
{
    const char *const type = description->text ? plain_text : "text/html; charset=utf-8";
    const struct header *const header = &description->header;

    if (!response_describe(response, type))
        return false;
    if (header->name && !MHD_add_response_header(response, header->name, header->value))
        return false;
    return !description->close ||
           MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

int answers_init(struct answers *answers, const char *telemetry_path)
{
    *answers = (struct answers){0};
    for (size_t i = ANSWER_NONE + 1; i < N_ANSWERS; i++) {
        const char *const text = descriptions[i].text;

        answers->responses[i] = text ? fixed_text(text) : landing_page(telemetry_path);
        if (!answers->responses[i] || !describe(answers->responses[i], &descriptions[i])) {
            answers_done(answers);
            return -ENOMEM;
        }
    }
    return 0;
}

void answers_done(struct answers *answers)
{
    for (size_t i = 0; i < N_ANSWERS; i++)
        if (answers->responses[i])
            MHD_destroy_response(TAKE(answers->responses[i]));
}

enum MHD_Result answers_queue(const struct answers *answers, enum answer which,
                              struct MHD_Connection *mhd)
{
    return MHD_queue_response(mhd, descriptions[which].status, answers->responses[which]);
}

enum MHD_Result answers_queue_text(struct MHD_Connection *mhd, unsigned status,
                                   const struct text *text)
{
    enum MHD_Result result = MHD_NO;
    struct MHD_Response *response;

    if (text_error(text) < 0)
        return MHD_NO;
    response = MHD_create_response_from_buffer(text->length, text->data, MHD_RESPMEM_MUST_COPY);
    if (!response)
        return MHD_NO;
    if (response_describe(response, plain_text))
        result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    return result;
}
