/* SPDX-License-Identifier: Apache-2.0 */
#include "event/encoding.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#include "base/text.h"
#include "event/modifiers.h"

bool encoding_is_generic(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_HW_CACHE;
}

static void append_config(struct text *text, const char *separator, const char *key, uint64_t value)
{
    if (value != 0)
        text_append_format(text, "%s%s=0x%" PRIx64, separator, key, value);
}

char *encoding_describe(const struct event_code *code, const char *pmu)
{
    AUTO_TEXT struct text text = {0};
    bool as_perf = *pmu && !encoding_is_generic(code->type);
    const char *separator = as_perf ? "," : " ";
    char letters[MODIFIERS_SIZE];

    if (as_perf)
        text_append_format(&text, "%s/", pmu);
    else
        text_append_format(&text, "type=%" PRIu32 " ", code->type);
    text_append_format(&text, "config=0x%" PRIx64, code->config);
    if (code->config1_text)
        text_append_format(&text, "%sconfig1=\"%s\"", separator, code->config1_text->shown);
    else
        append_config(&text, separator, "config1", code->config1);
    append_config(&text, separator, "config2", code->config2);
    if (as_perf) {
        modifiers_letters(code, letters);
        text_append_format(&text, "/%s", letters);
    } else {
        text_append_string(&text, code->exclude_user ? " exclude_user" : "");
        text_append_string(&text, code->exclude_kernel ? " exclude_kernel" : "");
        text_append_string(&text, code->exclude_hypervisor ? " exclude_hv" : "");
        text_append_string(&text, code->exclude_host ? " exclude_host" : "");
        text_append_string(&text, code->exclude_guest ? " exclude_guest" : "");
        text_append_string(&text, code->exclude_idle ? " exclude_idle" : "");
    }
    return text_take(&text);
}
