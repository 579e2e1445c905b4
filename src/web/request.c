/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body is read only where a line of the table takes one, and from nobody who may not ask for it:
 * if two readers understand a length differently, one request can be smuggled in the body of
 * another.
 */
#include "web/request.h"

#include "web/origin.h"
#include "web/request_head.h"

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

/* A body without a length is bounded while it is read. */
static bool is_too_long(const struct request_head *head, size_t most)
{
    const struct piece digits = head->content_length.value;
    size_t length = 0;

    if (head->content_length.n == 0)
        return false;
    for (size_t i = 0; i < digits.length && length <= most; i++)
        length = 10 * length + (size_t)(digits.at[i] - '0');
    return length > most;
}

static enum answer body_refusal(const struct request_head *head,
                                const struct request_rights *rights)
{
    if (!head->has_body)
        return ANSWER_NONE;
    if (rights->takes_body == 0)
        return ANSWER_BODY_REFUSED;
    if (rights->is_forbidden)
        return ANSWER_CONTROL_DISABLED;
    return is_too_long(head, rights->takes_body) ? ANSWER_BODY_TOO_LONG : ANSWER_NONE;
}

/*
 * OPTIONS and CONNECT have targets of other forms, so a target is judged only if its method is one
 * that we know.
 */
enum answer request_refusal(struct MHD_Connection *mhd, const struct asked *asked,
                            const char *method, const char *http_version,
                            const struct request_rights *rights)
{
    struct request_head head;

    request_head_read(mhd, method, asked->text, asked->length, http_version, &head);
    if (head.malformed)
        return ANSWER_MALFORMED;
    if (!rights->is_known)
        return ANSWER_METHOD;
    if (asked->malformed)
        return ANSWER_MALFORMED;
    if (!rights->is_allowed)
        return ANSWER_METHOD;
    if (body_refusal(&head, rights) != ANSWER_NONE)
        return body_refusal(&head, rights);
    return rights->changes && !may_act(asked, &head) ? ANSWER_FOREIGN_ORIGIN : ANSWER_NONE;
}
