/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/event_json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "metric/plan.h"
#include "resolve/absence_advice.h"

json_t *event_trial_to_json(const struct event_trial *trial)
{
    if (trial->absence != ABSENCE_NONE)
        return json_pack("{s:b, s:s, s:s}", "counted", 0, "absence", absence_name(trial->absence),
                         "advice", absence_advice(trial->absence));
    return json_pack("{s:b, s:s}", "counted", 1, "scope", scope_kind_name(trial->scope));
}

const char *event_type_name(uint32_t type)
{
    static const char *const names[] = {"PERF_TYPE_HARDWARE",   "PERF_TYPE_SOFTWARE",
                                        "PERF_TYPE_TRACEPOINT", "PERF_TYPE_HW_CACHE",
                                        "PERF_TYPE_RAW",        "PERF_TYPE_BREAKPOINT"};

    return type < ARRAY_SIZE(names) ? names[type] : NULL;
}

int event_metric_pattern(const struct event *event, char **ret_pattern)
{
    AUTO_TEXT struct text pattern = {0};

    plan_append_total_name(&pattern, event->is_uncore ? "pmu_uncore_" : "pmu_*_", event);
    *ret_pattern = text_take(&pattern);
    return *ret_pattern ? 0 : -ENOMEM;
}

static json_t *hexadecimal(uint64_t value)
{
    char text[sizeof("0x0123456789abcdef")];

    (void)snprintf(text, sizeof(text), "0x%" PRIx64, value);
    return json_string(text);
}

static json_t *code_to_json(const struct event_code *code)
{
    return json_pack("{s:I, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:b}", "type",
                     (json_int_t)code->type, "config", hexadecimal(code->config), "config1",
                     code->config1_text ? json_of_text(code->config1_text->text)
                                        : hexadecimal(code->config1),
                     "config2", hexadecimal(code->config2), "filter",
                     json_of_text(code->filter ? code->filter->text : NULL), "exclude_user",
                     code->exclude_user, "exclude_kernel", code->exclude_kernel, "exclude_hv",
                     code->exclude_hypervisor, "exclude_host", code->exclude_host, "exclude_guest",
                     code->exclude_guest, "exclude_idle", code->exclude_idle);
}

json_t *event_to_json(const struct event *event, const char *perf, const char *metric)
{
    return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                     json_of_text(event->name), "kind", event_kind_name(event->kind), "pmu",
                     json_of_text(event->pmu), "description", json_of_text(event->description),
                     "unit", json_of_text(event->unit), "scale", json_of_double(event->scale),
                     "encoding", json_of_text(event->encoding), "attr", code_to_json(&event->code),
                     "metric", json_of_text(metric), "perf", json_of_text(perf));
}

json_t *event_absent_to_json(const struct event *event, const char *why)
{
    return json_pack("{s:o, s:s, s:o}", "name", json_of_text(event->name), "absence",
                     absence_name(event->absence), "reason", json_of_text(why));
}
