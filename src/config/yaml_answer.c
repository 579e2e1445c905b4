/* SPDX-License-Identifier: Apache-2.0 */

/* The bytes are those of a process that has read a text of others, and may have been taken over. */
#include <errno.h>
#include <string.h>

#include "base/utf8.h"
#include "config/yaml_message.h"
#include "target/clean_text.h"

static bool is_utf8(const char *bytes, size_t n)
{
    uint32_t code;

    for (size_t length; n > 0; bytes += length, n -= length) {
        length = utf8_decode(bytes, n, &code);
        if (length == 0)
            return false;
    }
    return true;
}

static bool text_holds(const struct yaml_record *record, const char *text)
{
    switch (record->kind) {
    case YAML_AT_VALUE:
        return is_utf8(text, record->length);
    case YAML_AT_ERROR:
        return record->length > 0 &&
               record->length < sizeof(((struct config_error *)NULL)->message) &&
               text_is_clean(text, record->length);
    default:
        return record->length == 0;
    }
}

static bool place_holds(const struct yaml_record *record)
{
    return record->line > 0 && record->line <= YAML_READER_LARGEST + 1 && record->column > 0 &&
           record->column <= YAML_READER_LARGEST + 1;
}

int yaml_answer_next(struct yaml_answer *answer, struct yaml_event *ret_event)
{
    struct yaml_record record;
    const char *text = answer->bytes + sizeof(record);

    if (answer->n <= sizeof(record))
        return -EBADMSG;
    memcpy(&record, answer->bytes, sizeof(record));
    if (record.kind >= YAML_KINDS_ || record.is_plain > 1 || !place_holds(&record) ||
        record.length >= answer->n - sizeof(record) || text[record.length] != '\0' ||
        !text_holds(&record, text))
        return -EBADMSG;
    answer->bytes = text + record.length + 1;
    answer->n -= sizeof(record) + record.length + 1;
    *ret_event = (struct yaml_event){
        .kind = (enum yaml_kind)record.kind,
        .place = {record.line, record.column},
        .is_plain = record.is_plain != 0,
        .text = text,
        .length = record.length,
    };
    return 0;
}
