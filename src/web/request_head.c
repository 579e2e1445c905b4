/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd 0.9.75 takes much for a request that is none, and makes mistakes with some that it
 * refuses:
 *
 * It answers a wrong Content-Length, and more cookies than it has memory for, with an error whose
 * head it writes twice. It looks only at the first Content-Length, and answers "Expect:
 * 100-continue" although no body will be read. So it is given headers of our own (the shields),
 * which it finds first. What the client has sent is judged here. Only where a line of the path
 * takes a body it has to know the length, and a wrong one gets that error, after which it closes.
 *
 * It reads the request in place, and ends each word, name and value by a NUL. So it does not show
 * what stands behind a NUL that the client has sent, nor that a value was folded onto a second
 * line, which it copies to another place. But the whole head is still in its memory: it begins at
 * the method's first byte, and its size is known. Therefore each text has to begin where the one
 * before it has ended, except for the separator between them. One thing is not found in this way:
 * libmicrohttpd skips a line that begins with a NUL before the first line, as it skips empty lines.
 */
#include "web/request_head.h"

#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "web/request_target.h"

static const struct shield {
    const char *name;
    const char *value;
    bool hides_body; /* A request whose body is to be read goes without it. */
} shields[] = {
    {MHD_HTTP_HEADER_CONTENT_LENGTH, "0", true},
    {MHD_HTTP_HEADER_COOKIE, "", false},
    {MHD_HTTP_HEADER_EXPECT, "", true},
};

/* The headers that have a meaning for us, and their fields of struct request_head. */
static const struct {
    const char *name;
    size_t offset;
} known_fields[] = {
    {MHD_HTTP_HEADER_HOST, offsetof(struct request_head, host)},
    {MHD_HTTP_HEADER_CONTENT_LENGTH, offsetof(struct request_head, content_length)},
    {MHD_HTTP_HEADER_TRANSFER_ENCODING, offsetof(struct request_head, transfer_encoding)},
    {MHD_HTTP_HEADER_ORIGIN, offsetof(struct request_head, origin)},
    {"Sec-Fetch-Site", offsetof(struct request_head, fetch_site)},
};

struct walk {
    struct request_head *head;
    const char *end; /* where the text before has ended */
};

void request_head_shield(struct MHD_Connection *mhd, bool takes_body)
{
    /* If there is no memory for a shield, there is none for the client's own header either. */
    for (size_t i = 0; i < ARRAY_SIZE(shields); i++)
        if (!takes_body || !shields[i].hides_body)
            (void)MHD_set_connection_value(mhd, MHD_HEADER_KIND, shields[i].name, shields[i].value);
}

static bool is_shield(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(shields); i++)
        if (name == shields[i].name)
            return true;
    return false;
}

/* RFC 9110, 5.6.2, tells which characters a method and the name of a header may have. */
static const bool token_characters[256] = {
    ['!'] = true, ['#' ... '\''] = true, ['*'] = true,         ['+'] = true, ['-'] = true,
    ['.'] = true, ['0' ... '9'] = true,  ['A' ... 'Z'] = true, ['^'] = true, ['_'] = true,
    ['`'] = true, ['a' ... 'z'] = true,  ['|'] = true,         ['~'] = true,
};

static bool is_token(const char *name)
{
    if (!*name)
        return false;
    for (; *name; name++)
        if (!token_characters[(unsigned char)*name])
            return false;
    return true;
}

/* A tab is the only control character: some readers take a bare CR for the end of the line. */
static bool is_value(const char *value)
{
    for (; *value; value++)
        if (((unsigned char)*value < ' ' && *value != '\t') || *value == 0x7f)
            return false;
    return true;
}

/* Tells whether only the end of a line, LF or CR LF, can be between the two texts. */
static bool follows(const char *next, const char *end)
{
    return next == end + 1 || next == end + 2;
}

static const char *end_of(const char *text)
{
    return text + strlen(text);
}

/* Optional whitespace may follow a value (RFC 9112, 5.1); libmicrohttpd leaves it there. */
static struct piece trimmed(const char *value)
{
    size_t length = strlen(value);

    while (length > 0 && (value[length - 1] == ' ' || value[length - 1] == '\t'))
        length--;
    return (struct piece){value, length};
}

static void note(struct request_head *head, const char *name, const char *value)
{
    for (size_t i = 0; i < ARRAY_SIZE(known_fields); i++)
        if (strcasecmp(name, known_fields[i].name) == 0) {
            struct head_field *const field =
                (struct head_field *)(void *)((char *)head + known_fields[i].offset);

            field->n++;
            field->value = trimmed(value ? value : "");
        }
}

static enum MHD_Result look_at_header(void *context, enum MHD_ValueKind kind, const char *name,
                                      const char *value)
{
    struct walk *const walk = context;

    (void)kind;
    if (is_shield(name))
        return MHD_YES;
    if (!follows(name, walk->end) || !is_token(name) || !value || !is_value(value))
        walk->head->malformed = true;
    note(walk->head, name, value);
    walk->end = value ? end_of(value) : end_of(name);
    return MHD_YES;
}

/* Tells whether the head ends with its last header, the end of that line, and an empty line. */
static bool ends_with(struct MHD_Connection *mhd, const char *method, const char *end)
{
    const union MHD_ConnectionInfo *const info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    const char *const head_end = info ? method + info->header_size : NULL;

    return head_end && (follows(head_end, end + 1) || follows(head_end, end + 2));
}

/* RFC 9112, 3.2: a request of HTTP/1.1 has one Host, an older one at most one; it may be empty. */
static bool is_host_wrong(const struct request_head *head, const char *http_version)
{
    const bool needs_host = strcmp(http_version, MHD_HTTP_VERSION_1_0) != 0;

    return head->host.n > 1 || (needs_host && head->host.n == 0) ||
           (head->host.value.length > 0 && !host_is_valid(head->host.value));
}

static bool is_number(struct piece value)
{
    /* A blank or the end of the text stands behind the value. */
    return value.length > 0 && strspn(value.at, "0123456789") == value.length;
}

/* RFC 9112, 6.3. Each of these has been used to hide a request in the body of another. */
static bool is_length_wrong(const struct request_head *head)
{
    const struct head_field *const length = &head->content_length;

    return length->n > 1 || (length->n > 0 && head->transfer_encoding.n > 0) ||
           (length->n > 0 && !is_number(length->value));
}

void request_head_read(struct MHD_Connection *mhd, const char *method, const char *target,
                       size_t target_length, const char *http_version,
                       struct request_head *ret_head)
{
    struct walk walk = {.head = ret_head, .end = end_of(http_version)};
    struct request_head *const head = ret_head;

    *head = (struct request_head){0};
    (void)MHD_get_connection_values(mhd, MHD_HEADER_KIND, look_at_header, &walk);
    head->malformed = head->malformed || !is_token(method) || target != end_of(method) + 1 ||
                      http_version != target + target_length + 1 ||
                      !ends_with(mhd, method, walk.end) || is_host_wrong(head, http_version) ||
                      is_length_wrong(head);
    head->has_body =
        head->transfer_encoding.n > 0 ||
        (head->content_length.n > 0 && strpbrk(head->content_length.value.at, "123456789"));
}
