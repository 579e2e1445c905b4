/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log_line.h"

#include <inttypes.h>
#include <jansson.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "base/clock.h"
#include "base/utf8.h"

#define BODY_LONGEST (LOG_LINE_LONGEST - strlen("<7>\n"))
#define JSON_FLAGS   (JSON_COMPACT | JSON_ENSURE_ASCII)
#define TIME_SIZE    sizeof("2026-11-21T06:08:39.120Z")
#define ELLIPSIS     "\xe2\x80\xa6"
#define REPLACED     "\xef\xbf\xbd" /* U+FFFD, for a byte that is not UTF-8 */

static const struct {
    const char *name;
    const char *priority;
} levels[] = {
    [LOG_LEVEL_DEBUG] = {"debug", SD_DEBUG},
    [LOG_LEVEL_INFO] = {"info", SD_INFO},
    [LOG_LEVEL_WARN] = {"warn", SD_WARNING},
    [LOG_LEVEL_ERROR] = {"error", SD_ERR},
};

static void format_time(uint64_t realtime_ns, char ret_time[TIME_SIZE])
{
    time_t seconds = (time_t)(realtime_ns / NS_PER_SECOND);
    char milliseconds[sizeof(".120Z")] = "";
    unsigned rest = (unsigned)(realtime_ns % NS_PER_SECOND / 1000000) % 1000;
    struct tm utc = {0};
    size_t length;

    (void)gmtime_r(&seconds, &utc);
    length = strftime(ret_time, TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &utc);
    (void)snprintf(milliseconds, sizeof(milliseconds), ".%03uZ", rest);
    (void)memcpy(ret_time + length, milliseconds, sizeof(milliseconds));
}

/* U+0080 to U+009F are the control characters of C1: some begin a command to a terminal. */
static bool is_c1(uint32_t code)
{
    return code >= 0x80 && code <= 0x9f;
}

/* Appends the value as UTF-8, cut where it would leave no room for an ellipsis. */
static void append_utf8(struct text *text, const char *value)
{
    size_t begin = text->length;

    while (*value) {
        uint32_t code;
        size_t length = utf8_decode(value, UTF8_LONGEST, &code);
        const char *character = length ? value : REPLACED;
        size_t n = length ? length : strlen(REPLACED);

        if (text->length - begin + n > LOG_VALUE_LONGEST - strlen(ELLIPSIS)) {
            text_append_string(text, ELLIPSIS);
            return;
        }
        text_append(text, character, n);
        value += length ? length : 1;
    }
}

static bool needs_quotes(const char *utf8)
{
    uint32_t code;

    for (size_t length; *utf8; utf8 += length) {
        length = utf8_decode(utf8, UTF8_LONGEST, &code);
        if (code <= ' ' || code == '=' || code == '"' || code == 0x7f || is_c1(code))
            return true;
    }
    return false;
}

/* Appends one character of a quoted value, escaped as in JSON. */
static void append_escaped(struct text *text, const char *bytes, size_t length, uint32_t code)
{
    static const char escaped[] = "\"\\\n\r\t", letters[] = "\"\\nrt";
    const char *found = strchr(escaped, bytes[0]);

    if (found) {
        text_append_char(text, '\\');
        text_append_char(text, letters[found - escaped]);
    } else if (code < ' ' || code == 0x7f || is_c1(code)) {
        text_append_format(text, "\\u%04" PRIx32, code);
    } else {
        text_append(text, bytes, length);
    }
}

static void append_logfmt_value(struct text *text, const char *value)
{
    AUTO_TEXT struct text clean = {0};
    AUTO_FREE char *utf8 = NULL;
    size_t length;
    uint32_t code;

    append_utf8(&clean, value);
    utf8 = text_take(&clean);
    if (!utf8) {
        text->failed = true;
        return;
    }
    if (!needs_quotes(utf8)) {
        text_append_string(text, utf8);
        return;
    }
    text_append_char(text, '"');
    for (const char *bytes = utf8; *bytes; bytes += length) {
        length = utf8_decode(bytes, UTF8_LONGEST, &code);
        append_escaped(text, bytes, length, code);
    }
    text_append_char(text, '"');
}

static void append_logfmt_field(struct text *text, const char *key, const char *value)
{
    AUTO_TEXT struct text field = {0};

    text_append_format(&field, "%s%s=", text->length ? " " : "", key);
    append_logfmt_value(&field, value);
    text->failed |= field.failed;
    if (text->length + field.length <= BODY_LONGEST)
        text_append(text, field.data, field.length);
}

static void append_logfmt(struct text *text, const struct log_line *line, const char *time,
                          va_list fields)
{
    const char *key;

    if (!line->journal)
        append_logfmt_field(text, "ts", time);
    append_logfmt_field(text, "level", levels[line->level].name);
    append_logfmt_field(text, "msg", line->message);
    while ((key = va_arg(fields, const char *))) {
        const char *value = va_arg(fields, const char *);

        if (value)
            append_logfmt_field(text, key, value);
    }
}

static void set_json_field(struct text *text, json_t *object, const char *key, const char *value)
{
    AUTO_TEXT struct text clean = {0};

    append_utf8(&clean, value);
    if (clean.failed ||
        json_object_set_new(object, key, json_stringn(clean.data ? clean.data : "", clean.length)))
        text->failed = true;
}

/* DEL needs no escape in JSON, and is a control character in a terminal all the same. */
static int append_dumped(const char *bytes, size_t n, void *to)
{
    struct text *text = to;

    for (size_t i = 0; i < n; i++)
        if (bytes[i] == 0x7f)
            text_append_string(text, "\\u007f");
        else
            text_append_char(text, bytes[i]);
    return 0;
}

static void append_object(struct text *text, const json_t *object)
{
    if (json_dump_callback(object, append_dumped, text, JSON_FLAGS) < 0)
        text->failed = true;
}

/* Whether the object is longer, as text, than a line may be. */
static bool is_full(const json_t *object)
{
    AUTO_TEXT struct text text = {0};

    append_object(&text, object);
    return text.length > BODY_LONGEST;
}

static void append_json(struct text *text, const struct log_line *line, const char *time,
                        va_list fields)
{
    json_t *object = json_object();
    const char *key;

    if (!line->journal)
        set_json_field(text, object, "ts", time);
    set_json_field(text, object, "level", levels[line->level].name);
    set_json_field(text, object, "msg", line->message);
    while ((key = va_arg(fields, const char *))) {
        const char *value = va_arg(fields, const char *);

        if (!value)
            continue;
        set_json_field(text, object, key, value);
        if (is_full(object))
            (void)json_object_del(object, key);
    }
    append_object(text, object);
    json_decref(object);
}

void log_line_append(struct text *text, const struct log_line *line, va_list fields)
{
    char time[TIME_SIZE];
    AUTO_TEXT struct text body = {0};

    format_time(line->realtime_ns, time);
    if (line->format == LOG_FORMAT_JSON)
        append_json(&body, line, time, fields);
    else
        append_logfmt(&body, line, time, fields);
    if (line->journal)
        text_append_string(text, levels[line->level].priority);
    text_append(text, body.data, body.length);
    text_append_char(text, '\n');
    text->failed |= body.failed;
}
