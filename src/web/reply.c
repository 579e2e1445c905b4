/* SPDX-License-Identifier: Apache-2.0 */
#include "web/reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "expose/json_text.h"
#include "web/extra_headers.h"
#include "web/route.h"

bool reply_describe(struct MHD_Response *response, const char *content_type)
{
    return MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content_type) &&
           MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
}

enum MHD_Result reply_queue(struct MHD_Connection *mhd, unsigned status,
                            struct MHD_Response *response)
{
    if (extra_headers_add(mhd, response) != MHD_YES)
        return MHD_NO;
    return MHD_queue_response(mhd, status, response);
}

/* Writes the name as in RFC 6266; what could end the quotes or steer a terminal becomes "_". */
static void write_disposition(struct text *text, const char *file_name)
{
    text_append_string(text, "attachment; filename=\"");
    for (; *file_name; file_name++) {
        const unsigned char c = (unsigned char)*file_name;

        text_append_char(text, c <= ' ' || c >= 0x7f || strchr("\"\\/%", c) ? '_' : (char)c);
    }
    text_append(text, "\"", sizeof("\"")); /* with the NUL */
}

static bool add_file_name(struct MHD_Response *response, const char *file_name)
{
    AUTO_TEXT struct text disposition = {0};

    if (!file_name)
        return true;
    write_disposition(&disposition, file_name);
    return text_error(&disposition) == 0 &&
           MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition.data);
}

static bool describe(struct MHD_Response *response, const struct reply *reply, bool gzip)
{
    return reply_describe(response, reply->content_type) &&
           add_file_name(response, reply->file_name) &&
           (!reply->allow ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, reply->allow)) &&
           (!reply->varies || MHD_add_response_header(response, MHD_HTTP_HEADER_VARY,
                                                      MHD_HTTP_HEADER_ACCEPT_ENCODING)) &&
           (!gzip || MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip")) &&
           (!reply->close ||
            MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close"));
}

enum MHD_Result reply_queue_text(struct MHD_Connection *mhd, const struct reply *reply,
                                 struct text *text)
{
    AUTO_TEXT struct text compressed = {0};
    enum MHD_Result result = MHD_NO;
    struct MHD_Response *response;
    struct text *sent = text;

    if (text_error(text) < 0)
        return MHD_NO;
    if (reply->compression && compression_add(reply->compression, text, &compressed))
        sent = &compressed;
    response = MHD_create_response_from_buffer(sent->length, sent->data, MHD_RESPMEM_MUST_FREE);
    if (!response)
        return MHD_NO;
    *sent = (struct text){0};
    if (describe(response, reply, sent == &compressed))
        result = reply_queue(mhd, reply->status, response);
    MHD_destroy_response(response);
    text_done(text);
    return result;
}

void reply_write_error(struct text *text, const char *message)
{
    const size_t length = strlen(message);
    const bool ends_line = length > 0 && message[length - 1] == '\n';
    AUTO_FREE char *line = strndup(message, length - (ends_line ? 1 : 0));

    text_append_string(text, "{\"error\": ");
    json_append_string(text, line ? line : "");
    text_append_string(text, "}\n");
}

enum MHD_Result reply_queue_error(struct MHD_Connection *mhd, const struct reply *reply,
                                  bool in_json, struct text *text)
{
    AUTO_TEXT struct text json = {0};
    AUTO_FREE char *message = NULL;
    struct reply described = *reply;

    described.content_type = in_json ? CONTENT_JSON : CONTENT_PLAIN_TEXT;
    if (!in_json)
        return reply_queue_text(mhd, &described, text);
    message = text_take(text);
    reply_write_error(&json, message ? message : "");
    return reply_queue_text(mhd, &described, &json);
}
