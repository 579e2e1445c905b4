/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/spans.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "count/bpf/mechanism.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/mechanism_size.h"
#include "resolve/resolution_spans.h"

/* Copies as many whole characters as there is room for. */
static void copy_text(char *copy, size_t size, const char *text)
{
    size_t n = 0;

    while (text[n]) {
        uint32_t code;
        const size_t length = utf8_decode(text + n, UTF8_LONGEST, &code);

        if (length == 0 || n + length >= size)
            break;
        n += length;
    }
    memcpy(copy, text, n);
    copy[n] = '\0';
}

static void note(struct collector *collector, const struct resolved_span *span, const char *reason)
{
    struct span_status *status = &collector->spans.spans[collector->spans.n++];

    copy_text(status->name, sizeof(status->name), span->span.name);
    copy_text(status->reason, sizeof(status->reason), reason ? reason : "");
    if (reason)
        log_warning("span cannot be followed", "span", span->span.name, "reason", reason);
}

void collector_follow_spans(struct collector *collector)
{
    const struct collector_setup *setup = &collector->setup;
    const struct resolution *resolution = collector->resolution;
    const bool wanted = latency_wanted(setup->config) & LATENCY_KIND_SPANS;
    struct span spans[SPANS_MOST]; /* the configuration has no more */
    const char *reasons[SPANS_MOST] = {0};
    size_t n = 0;

    for (size_t i = 0; wanted && i < resolution->n_spans; i++)
        if (!resolution->spans[i].why)
            spans[n++] = resolution->spans[i].span;
    if (setup->latency)
        mechanism_bpf_follow(setup->latency, spans, n, collector->cpus.online, reasons);
    n = 0;
    for (size_t i = 0; wanted && i < resolution->n_spans; i++) {
        const struct resolved_span *span = &resolution->spans[i];

        if (span->why)
            note(collector, span, span->why);
        else
            note(collector, span, setup->latency ? reasons[n++] : setup->latency_reason);
    }
}
