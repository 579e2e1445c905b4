/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No request here needs a body, so none is read: if two readers understand a length differently,
 * one request can be smuggled in the body of another.
 */
#include "web/request.h"

#include <string.h>

#include "base/cleanup.h"
#include "web/origin.h"
#include "web/request_head.h"

/* As in Prometheus, PUT does what POST does. */
static const struct {
    const char *methods[2];
    enum answer refusal;
} kinds[] = {
    [REQUEST_FOR_PAGE] = {{MHD_HTTP_METHOD_GET, MHD_HTTP_METHOD_HEAD}, ANSWER_METHOD_NOT_ALLOWED},
    [REQUEST_FOR_COMMAND] = {{MHD_HTTP_METHOD_POST, MHD_HTTP_METHOD_PUT}, ANSWER_CONTROL_METHOD},
};

static bool is_allowed(const char *method, enum request_kind kind)
{
    for (size_t i = 0; i < ARRAY_SIZE(kinds[kind].methods); i++)
        if (strcmp(method, kinds[kind].methods[i]) == 0)
            return true;
    return false;
}

/*
 * OPTIONS and CONNECT have targets of other forms, so a target is judged only if its method is one
 * that we know.
 */
static bool is_known(const char *method)
{
    return is_allowed(method, REQUEST_FOR_PAGE) || is_allowed(method, REQUEST_FOR_COMMAND);
}

/*
 * By RFC 9112, 3.2.2, a target that names the host overrules the Host header. A header that is
 * there twice is one too many: two readers may take different ones.
 */
static bool may_act(const struct asked *asked, const struct request_head *head)
{
    const bool named = asked->target.authority.length > 0;

    return head->origin.n <= 1 && head->fetch_site.n <= 1 &&
           origin_may_act(head->origin.n > 0 ? &head->origin.value : NULL,
                          head->fetch_site.n > 0 ? &head->fetch_site.value : NULL,
                          named ? asked->target.authority : head->host.value);
}

enum answer request_refusal(struct MHD_Connection *mhd, const struct asked *asked,
                            const char *method, const char *http_version, enum request_kind kind)
{
    struct request_head head;

    request_head_read(mhd, method, asked->text, asked->length, http_version, &head);
    if (head.malformed)
        return ANSWER_MALFORMED;
    if (!is_known(method))
        return kinds[kind].refusal;
    if (asked->malformed)
        return ANSWER_MALFORMED;
    if (!is_allowed(method, kind))
        return kinds[kind].refusal;
    if (head.has_body)
        return ANSWER_BODY_REFUSED;
    if (kind == REQUEST_FOR_COMMAND && !may_act(asked, &head))
        return ANSWER_FOREIGN_ORIGIN;
    return ANSWER_NONE;
}
