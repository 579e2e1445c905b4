/* SPDX-License-Identifier: Apache-2.0 */
#include "client/answer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A status in the 200s is no refusal. */
static int refusal_of(int status)
{
    switch (status) {
    case 400:
        return -EINVAL;
    case 401:
    case 403:
        return -EPERM;
    case 404:
        return -ENOENT;
    case 429:
        return -EBUSY;
    case 503:
        return -EAGAIN;
    default:
        return status >= 200 && status < 300 ? 0 : -EREMOTEIO;
    }
}

static json_t *value_of_text(const struct answer *answer)
{
    size_t length = answer->length;

    if (length > 0 && answer->body[length - 1] == '\n')
        length--;
    return length > 0 ? json_stringn(answer->body, length) : json_null();
}

static json_t *value_of(const struct answer *answer)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL | JSON_DECODE_ANY;

    if (strncmp(answer->content_type, "application/json", strlen("application/json")) == 0)
        return json_loadb(answer->body, answer->length, flags, NULL);
    return value_of_text(answer);
}

/* The words of a refusal: {"error": TEXT}, or the first line of what came, whatever its bytes. */
static void tell_refusal(const struct answer *answer, const json_t *value, char *words, size_t room)
{
    const char *const error = json_string_value(json_object_get(value, "error"));
    const char *const text = error ? error : answer->body;
    size_t most = error ? strlen(error) : answer->length, length = 0;

    most = most < room ? most : room - 1;
    while (length < most && text[length] != '\n' && text[length] != '\0')
        length++;
    if (length > 0)
        (void)snprintf(words, room, "%.*s", (int)length, text);
    else
        (void)snprintf(words, room, "refused without a reason, with status %d of HTTP",
                       answer->status);
}

int answer_read(const struct answer *answer, json_t **ret_value, char *words, size_t room)
{
    json_t *const value = value_of(answer);
    const int r = refusal_of(answer->status);

    if (r == 0 && value) {
        *ret_value = value;
        return 0;
    }
    if (r < 0)
        tell_refusal(answer, value, words, room);
    else
        (void)snprintf(words, room, "what answered is not pmu_exporter");
    json_decref(value);
    return r < 0 ? r : -EPROTO;
}

int answer_read_bytes(const struct answer *answer, char **ret_bytes, size_t *ret_length,
                      char *words, size_t room)
{
    const int r = refusal_of(answer->status);
    char *bytes;

    if (r < 0) {
        json_t *const value = value_of(answer);

        tell_refusal(answer, value, words, room);
        json_decref(value);
        return r;
    }
    bytes = malloc(answer->length + 1);
    if (!bytes) {
        (void)snprintf(words, room, "%s", strerror(ENOMEM));
        return -ENOMEM;
    }
    memcpy(bytes, answer->body, answer->length);
    bytes[answer->length] = '\0';
    *ret_bytes = bytes;
    *ret_length = answer->length;
    return 0;
}
