/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A source says what a name is; what that means on this machine is judged here,
 * the same for all of them: whether the kernel has a PMU for it, the unit, the
 * modifiers, and how the event is called and told to people.
 *
 * Where sysfs cannot be read nothing is known of PMUs. Then the numbers that are
 * part of the kernel's ABI stand, and the kernel itself will say at open.
 */
#include "event/resolver.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/text.h"
#include "event/generic.h"
#include "event/metric_name.h"
#include "event/modifiers.h"
#include "event/source.h"
#include "sys/pmu.h"

#define LONGEST_NAME 512 /* longer ones are nobody's, and need not be looked up */

struct event_resolver {
    struct pmu_list *pmus; /* NULL: not known */
};

/* The first that knows a name has it. */
static const struct event_source *const sources[] = {
    &event_source_generic, &event_source_raw, &event_source_pfm,
    /* tracepoints ("sched:sched_switch") come here, */
    /* and then the events of PMUs in sysfs ("cpu/event=0xc0/", "msr/tsc/") */
};

int event_resolver_new(int sysfs_fd, struct event_resolver **ret_resolver)
{
    AUTO(event_resolver) struct event_resolver *resolver = calloc(1, sizeof(*resolver));

    if (!resolver || pmu_list_read(sysfs_fd, &resolver->pmus) == -ENOMEM)
        return -ENOMEM;
    *ret_resolver = TAKE(resolver);
    return 0;
}

struct event_resolver *event_resolver_free(struct event_resolver *resolver)
{
    if (!resolver)
        return NULL;
    resolver->pmus = pmu_list_free(resolver->pmus);
    free(resolver);
    return NULL;
}

static int ask_sources(const char *name, struct event *event)
{
    int outcome = SOURCE_UNKNOWN;

    if (strlen(name) > LONGEST_NAME)
        return SOURCE_UNKNOWN;
    for (size_t i = 0; i < ARRAY_SIZE(sources) && outcome == SOURCE_UNKNOWN; i++)
        outcome = sources[i]->resolve(name, event);
    return outcome;
}

/* Hardware, cache and raw events have a type of their own and belong to the core's PMU. */
static bool is_core_type(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

static const struct pmu *find_pmu(const struct pmu_list *pmus, uint32_t type)
{
    return is_core_type(type) ? pmu_list_core(pmus) : pmu_list_find_type(pmus, type);
}

static void set_unit(struct event *event)
{
    event->is_clock = event_generic_is_clock(&event->code);
    event->unit = event->is_clock ? EVENT_UNIT_NANOSECONDS : EVENT_UNIT_COUNT;
}

/* The generic types are not written as PMU/…/: perf has only their names for them. */
static bool is_generic(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_SOFTWARE || type == PERF_TYPE_HW_CACHE;
}

static void append_config(struct text *text, const char *separator, const char *key, uint64_t value)
{
    if (value != 0)
        text_append_format(text, "%s%s=0x%" PRIx64, separator, key, value);
}

/* As perf would take it where it can ("cpu/config=0xc0/u"), else the fields of perf_event_attr. */
static char *describe_encoding(const struct event_code *code, const char *pmu)
{
    AUTO_TEXT struct text text = {0};
    bool as_perf = *pmu && !is_generic(code->type);
    const char *separator = as_perf ? "," : " ";
    char letters[4];

    if (as_perf)
        text_append_format(&text, "%s/", pmu);
    else
        text_append_format(&text, "type=%" PRIu32 " ", code->type);
    text_append_format(&text, "config=0x%" PRIx64, code->config);
    append_config(&text, separator, "config1", code->config1);
    append_config(&text, separator, "config2", code->config2);
    if (as_perf) {
        modifiers_letters(code, letters);
        text_append_format(&text, "/%s", letters);
    } else {
        text_append_string(&text, code->exclude_user ? " exclude_user" : "");
        text_append_string(&text, code->exclude_kernel ? " exclude_kernel" : "");
        text_append_string(&text, code->exclude_hypervisor ? " exclude_hv" : "");
    }
    return text_take(&text);
}

/* 0, or -ENOMEM where a string is missing. */
static int tell(struct event *event, const char *base, const struct pmu *pmu, bool encoded)
{
    if (!event->description)
        event->description = strdup("");
    event->metric = metric_name_from_event(base, &event->code);
    event->pmu = strdup(pmu ? pmu->name : "");
    if (!event->description || !event->metric || !event->pmu)
        return -ENOMEM;
    event->encoding = encoded ? describe_encoding(&event->code, event->pmu) : strdup("");
    return event->encoding ? 0 : -ENOMEM;
}

static int resolve_base(const struct event_resolver *resolver, const char *base,
                        struct event *event)
{
    const struct pmu *pmu = NULL;
    int outcome = ask_sources(base, event);

    if (outcome < 0)
        return outcome;
    if (outcome == SOURCE_UNKNOWN) {
        event->absence = ABSENCE_UNKNOWN_EVENT;
    } else if (outcome == SOURCE_ABSENT) {
        event->absence = ABSENCE_NO_PMU;
    } else if (resolver->pmus) {
        pmu = find_pmu(resolver->pmus, event->code.type);
        if (!pmu)
            event->absence = ABSENCE_NO_PMU;
    }
    event->takes_counter =
        event->absence == ABSENCE_NONE && (pmu ? pmu->is_core : is_core_type(event->code.type));
    set_unit(event);
    return tell(event, base, pmu, outcome == SOURCE_KNOWS);
}

int event_resolve(struct event_resolver *resolver, const char *name, struct event **ret_event)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));
    AUTO_FREE char *base = NULL;
    int r;

    if (!event)
        return -ENOMEM;
    event->name = strdup(name);
    base = strndup(name, modifiers_split(name, &event->code));
    if (!event->name || !base)
        return -ENOMEM;
    r = resolve_base(resolver, base, event);
    if (r < 0)
        return r;
    *ret_event = TAKE(event);
    return 0;
}

const char event_modifiers_expected[] = "u, k, h, each at most once";

/* 1: it is one of a source whose names hold no colon; 0; -ENOMEM. */
static int is_plain_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        AUTO(event) struct event *event = NULL;
        int outcome;

        if (!sources[i]->has_plain_names)
            continue;
        event = calloc(1, sizeof(*event));
        outcome = event ? sources[i]->resolve(name, event) : -ENOMEM;
        if (outcome != SOURCE_UNKNOWN)
            return outcome < 0 ? outcome : 1;
    }
    return 0;
}

int event_resolver_bad_modifier(const char *name, const char **ret_modifier)
{
    const char *colon = strchr(name, ':');
    AUTO_FREE char *base = colon ? strndup(name, (size_t)(colon - name)) : NULL;
    int r;

    if (colon && !base)
        return -ENOMEM;
    r = colon && strlen(base) <= LONGEST_NAME ? is_plain_name(base) : 0;
    if (r < 0)
        return r;
    *ret_modifier = r > 0 ? colon + 1 : NULL;
    return 0;
}

char *event_resolver_suggest(struct event_resolver *resolver, const char *name)
{
    AUTO_TEXT struct text suggestion = {0};
    AUTO_FREE char *base = NULL;
    struct event_code modifiers;
    struct nearest nearest;
    const char *prefix_end, *word;
    size_t base_length = modifiers_split(name, &modifiers);

    (void)resolver;
    base = strndup(name, base_length);
    if (!base)
        return NULL;
    prefix_end = strstr(base, "::");
    word = prefix_end ? prefix_end + strlen("::") : base;
    if (!nearest_init(&nearest, word))
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
        if (sources[i]->offer_names)
            sources[i]->offer_names(&nearest);
    if (!nearest.best[0])
        return NULL;
    text_append(&suggestion, base, (size_t)(word - base));
    text_append_string(&suggestion, nearest.best);
    text_append_string(&suggestion, name + base_length);
    return text_take(&suggestion);
}
