/* SPDX-License-Identifier: Apache-2.0 */

/* What a request of the API brings: its arguments, and the body that sets a mark. */
#include "fuzz/fuzz.h"

#include "service/api_arguments.h"
#include "service/mark_body.h"

static void read_arguments(const char *text)
{
    static const char *const known[] = {"target", "column", "start", "end", "points", NULL};
    static const struct api_number points = {"points", 1, 10000, 1000};
    struct query query AUTO_QUERY = {0};
    struct api_names targets AUTO_API_NAMES = {0};
    AUTO_FREE struct target_filter *filters = NULL;
    AUTO_TEXT struct text why = {0};
    struct api_range range;
    uint64_t n;

    if (query_parse(text, &query) < 0)
        abort();
    (void)api_arguments_check(&query, known, &why);
    if (api_names_read(&query, "target", &why, &targets) >= 0)
        (void)api_targets_parse(&targets, &why, &filters);
    if (api_range_read(&query, 1000, &why, &range) >= 0 && range.start_ns >= range.end_ns)
        abort();
    if (api_number_read(&query, &points, &why, &n) >= 0 && (n < 1 || n > 10000))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text copy = {0}, why = {0};
    AUTO_FREE char *text = NULL;
    struct mark_body mark;

    if (mark_body_parse((const char *)data, size, &why, &mark) >= 0) {
        if (!*mark.text)
            abort();
        free(mark.text);
    }
    text_append(&copy, (const char *)data, size);
    text_append_char(&copy, '\0');
    text = text_take(&copy);
    if (text)
        read_arguments(text);
    return 0;
}
