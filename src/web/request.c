/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No request here needs a body, so none is read: a length that two readers
 * understand differently is how one request is smuggled in the body of another.
 * libmicrohttpd looks at the first Content-Length only, not at all at it where there
 * is a Transfer-Encoding, and takes "Content-Length :" for a header of another name;
 * so every header is looked at here.
 */
#include "web/request.h"

#include <string.h>
#include <strings.h>

struct body_headers {
    unsigned n_lengths;
    unsigned n_encodings;
    bool has_body;
    bool malformed;
};

/* RFC 9110, 5.6.2: what a header's name is made of. */
static bool is_token(const char *name)
{
    static const char token_characters[] = "!#$%&'*+-.^_`|~0123456789"
                                           "abcdefghijklmnopqrstuvwxyz"
                                           "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

    return name[0] != '\0' && name[strspn(name, token_characters)] == '\0';
}

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct body_headers *const found = context;

    (void)kind;
    if (!is_token(name)) {
        found->malformed = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        found->n_lengths++;
        if (!value || strcmp(value, "0") != 0)
            found->has_body = true;
    } else if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        found->n_encodings++;
        found->has_body = true;
    }
    return MHD_YES;
}

enum answer request_refusal(struct MHD_Connection *mhd, const char *method)
{
    struct body_headers found = {0};

    if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 && strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
        return ANSWER_METHOD_NOT_ALLOWED;
    (void)MHD_get_connection_values(mhd, MHD_HEADER_KIND, look_at_header, &found);
    if (found.malformed || found.n_lengths > 1 || (found.n_lengths > 0 && found.n_encodings > 0))
        return ANSWER_MALFORMED;
    return found.has_body ? ANSWER_BODY_REFUSED : ANSWER_NONE;
}
