/* SPDX-License-Identifier: Apache-2.0 */

/* The file of a tracepoint, a NUL, and a filter or a name of a field. */

#include <string.h>

#include "base/cleanup.h"
#include "event/tracepoint_fields.h"
#include "fuzz/fuzz.h"

/* A name that is found is one of those that are listed. */
static void find_field(const char *format, const char *fields, const char *name)
{
    AUTO_TEXT struct text fault = {0};
    struct event_field field;

    if (!tracepoint_find_field(format, name, &field)) {
        tracepoint_append_missing(fields, name, &fault);
        FUZZ_CHECK(fault.length > 0);
        return;
    }
    FUZZ_CHECK(field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8);
    FUZZ_CHECK(field.offset <= UINT16_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *format = calloc(1, size + 2), *fields = NULL;
    AUTO_TEXT struct text list = {0}, fault = {0};
    const char *word;

    FUZZ_CHECK(format);
    if (size > 0)
        memcpy(format, data, size);
    word = format + strlen(format) + 1;
    tracepoint_append_fields(format, &list);
    fields = text_take(&list);
    FUZZ_CHECK(fields && !strchr(fields, '\n') && strlen(fields) <= 2 * size);
    find_field(format, fields, word);
    tracepoint_append_fault(fields, word, &fault);
    FUZZ_CHECK(!fault.failed && (*word || fault.length == 0));
    return 0;
}
