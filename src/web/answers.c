/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answers.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "web/route.h"

struct header {
    const char *name;
    const char *value;
};

struct description {
    unsigned status;
    const char *text;
    bool close; /* The connection is closed: what follows on it is not read. */
    struct header header;
};

static const struct description descriptions[N_ANSWERS] = {
    [ANSWER_MALFORMED] = {MHD_HTTP_BAD_REQUEST, "malformed request\n", .close = true},
    [ANSWER_NOT_FOUND] = {MHD_HTTP_NOT_FOUND, "not found\n"},
    [ANSWER_METHOD_NOT_ALLOWED] = {MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD are answered\n",
                                   .close = true, .header = {MHD_HTTP_HEADER_ALLOW, "GET, HEAD"}},
    [ANSWER_BODY_REFUSED] = {MHD_HTTP_CONTENT_TOO_LARGE, "requests have no body here\n",
                             .close = true},
    [ANSWER_RENDER_FAILED] = {MHD_HTTP_INTERNAL_SERVER_ERROR, "the page could not be written\n"},
    [ANSWER_TOO_MANY_READERS] = {MHD_HTTP_SERVICE_UNAVAILABLE, "too many slow readers, try again\n",
                                 .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_CONTROL_METHOD] = {MHD_HTTP_METHOD_NOT_ALLOWED, "only POST and PUT are answered here\n",
                               .close = true, .header = {MHD_HTTP_HEADER_ALLOW, "POST, PUT"}},
    [ANSWER_CONTROL_DISABLED] = {MHD_HTTP_FORBIDDEN,
                                 "this path is not enabled on this address: start "
                                 "pmu_exporter with --web.enable-lifecycle, or use pmutool, which "
                                 "asks over the socket of --control.socket\n"},
    [ANSWER_FOREIGN_ORIGIN] = {MHD_HTTP_FORBIDDEN,
                               "a web page may ask for this only where its origin is that of the "
                               "request, with an IP address, localhost or this machine's own name "
                               "as the host: use pmutool, or a client that is no browser\n",
                               .close = true},
    [ANSWER_CONTROL_BUSY] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                             "another reload or pause is being carried out, try again\n",
                             .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_CONTROL_LATE] = {MHD_HTTP_GATEWAY_TIMEOUT,
                             "no answer in time: look at the log for what came of it\n"},
};

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
    const struct header *const header = &description->header;

    if (!response_describe(response, CONTENT_PLAIN_TEXT))
        return false;
    if (header->name && !MHD_add_response_header(response, header->name, header->value))
        return false;
    return !description->close ||
           MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

int answers_init(struct answers *answers)
{
    *answers = (struct answers){0};
    for (size_t i = ANSWER_NONE + 1; i < N_ANSWERS; i++) {
        answers->responses[i] = fixed_text(descriptions[i].text);
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
    if (response_describe(response, CONTENT_PLAIN_TEXT))
        result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    return result;
}
