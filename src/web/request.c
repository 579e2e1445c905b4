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

#include "base/cleanup.h"

/* What the headers of a request say about it. */
struct header_findings {
    unsigned n_hosts;
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

static bool begins_with(const char *name, const char *header)
{
    return strncasecmp(name, header, strlen(header)) == 0;
}

/*
 * A name that only begins like one of the two is taken for it: libmicrohttpd 0.9.75
 * puts the rest of a value that was folded onto a second line behind the name.
 */
static bool announces_body(const char *name, const char *value)
{
    if (begins_with(name, MHD_HTTP_HEADER_TRANSFER_ENCODING))
        return true;
    if (!begins_with(name, MHD_HTTP_HEADER_CONTENT_LENGTH))
        return false;
    return strlen(name) > strlen(MHD_HTTP_HEADER_CONTENT_LENGTH) || !value ||
           strcmp(value, "0") != 0;
}

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct header_findings *const found = context;

    (void)kind;
    if (!is_token(name))
        found->malformed = true;
    else if (announces_body(name, value))
        found->has_body = true;
    else if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0)
        found->n_hosts++;
    return MHD_YES;
}

/* RFC 9112, 3.2: a request of HTTP/1.1 has one Host, an older one at most one. */
static bool is_malformed(const struct header_findings *found, const char *http_version)
{
    const bool needs_host = strcmp(http_version, MHD_HTTP_VERSION_1_1) == 0;

    return found->malformed || found->n_hosts > 1 || (needs_host && found->n_hosts == 0);
}

/* As in Prometheus, PUT does what POST does. */
static const struct {
    const char *methods[2];
    enum answer refusal;
} kinds[] = {
    [REQUEST_TO_SHOW] = {{MHD_HTTP_METHOD_GET, MHD_HTTP_METHOD_HEAD}, ANSWER_METHOD_NOT_ALLOWED},
    [REQUEST_TO_DO] = {{MHD_HTTP_METHOD_POST, MHD_HTTP_METHOD_PUT}, ANSWER_CONTROL_METHOD},
};

static bool is_allowed(const char *method, enum request_kind kind)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds[kind].methods); i++)
        if (strcmp(method, kinds[kind].methods[i]) == 0)
            return true;
    return false;
}

enum answer request_refusal(struct MHD_Connection *mhd, const char *method,
                            const char *http_version, enum request_kind kind)
{
    struct header_findings found = {0};

    if (!is_allowed(method, kind))
        return kinds[kind].refusal;
    (void)MHD_get_connection_values(mhd, MHD_HEADER_KIND, look_at_header, &found);
    if (is_malformed(&found, http_version))
        return ANSWER_MALFORMED;
    return found.has_body ? ANSWER_BODY_REFUSED : ANSWER_NONE;
}
