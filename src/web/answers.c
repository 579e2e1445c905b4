/* SPDX-License-Identifier: Apache-2.0 */
#include "web/answers.h"

#include <errno.h>

#include "base/text.h"
#include "web/reply.h"
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
    [ANSWER_BODY_REFUSED] = {MHD_HTTP_CONTENT_TOO_LARGE, "requests have no body here\n",
                             .close = true},
    [ANSWER_BODY_TOO_LONG] = {MHD_HTTP_CONTENT_TOO_LARGE,
                              "the body of the request is too long for this path\n", .close = true},
    [ANSWER_RENDER_FAILED] = {MHD_HTTP_INTERNAL_SERVER_ERROR, "the page could not be written\n"},
    [ANSWER_TOO_MANY_READERS] = {MHD_HTTP_SERVICE_UNAVAILABLE, "too many slow readers, try again\n",
                                 .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_TOO_MANY_WAIT] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                              "too many questions wait for their answers, try again\n",
                              .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_TOO_MANY_STREAMS] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                                 "too many clients follow the events, try again\n",
                                 .header = {MHD_HTTP_HEADER_RETRY_AFTER, "10"}},
    [ANSWER_LATE] = {MHD_HTTP_GATEWAY_TIMEOUT, "no answer in time\n"},
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
    [ANSWER_UNAUTHORIZED] = {MHD_HTTP_UNAUTHORIZED, "a user and a password are needed here\n",
                             .header = {MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Basic"}},
    [ANSWER_PASSWORDS_BUSY] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                               "too many passwords are being looked at, try again\n",
                               .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_TOO_MANY_SCRAPES] = {MHD_HTTP_SERVICE_UNAVAILABLE,
                                 "too many parallel requests (--web.max-requests), try again\n",
                                 .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
    [ANSWER_RATE_LIMITED] = {MHD_HTTP_TOO_MANY_REQUESTS,
                             "too many requests: the web configuration limits them\n",
                             .header = {MHD_HTTP_HEADER_RETRY_AFTER, "1"}},
};

static struct MHD_Response *make(const char *message, bool in_json)
{
    AUTO_TEXT struct text text = {0};

    if (in_json)
        reply_write_error(&text, message);
    else
        text_append_string(&text, message);
    if (text_error(&text) < 0)
        return NULL;
    return MHD_create_response_from_buffer(text.length, text.data, MHD_RESPMEM_MUST_COPY);
}

static bool describe(struct MHD_Response *response, const struct description *description,
                     bool in_json)
{
    const struct header *const header = &description->header;

    if (!reply_describe(response, in_json ? CONTENT_JSON : CONTENT_PLAIN_TEXT))
        return false;
    if (header->name && !MHD_add_response_header(response, header->name, header->value))
        return false;
    return !description->close ||
           MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
}

int answers_init(struct answers *answers)
{
    *answers = (struct answers){0};
    for (size_t i = ANSWER_NONE + 1; i < N_ANSWERS; i++)
        for (unsigned in_json = 0; in_json < 2; in_json++) {
            struct MHD_Response *const response = make(descriptions[i].text, in_json);

            answers->responses[i][in_json] = response;
            if (!response || !describe(response, &descriptions[i], in_json)) {
                answers_done(answers);
                return -ENOMEM;
            }
        }
    return 0;
}

void answers_done(struct answers *answers)
{
    for (size_t i = 0; i < (size_t)2 * N_ANSWERS; i++)
        if (answers->responses[i / 2][i % 2])
            MHD_destroy_response(TAKE(answers->responses[i / 2][i % 2]));
}

enum MHD_Result answers_queue(const struct answers *answers, enum answer which, bool in_json,
                              struct MHD_Connection *mhd)
{
    return reply_queue(mhd, descriptions[which].status, answers->responses[which][in_json]);
}
