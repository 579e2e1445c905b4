/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A source says what a name is. What that means on this machine is judged here, in the same way for
 * all sources: whether the kernel has a PMU for it, whether it takes a hardware counter, and how
 * the event is called on /metrics and described to people.
 *
 * Where sysfs cannot be read, nothing is known of PMUs. Types that are part of the kernel's ABI are
 * then taken for good, and the kernel itself will say at open whether they are.
 */
#include "event/resolver.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "event/encoding.h"
#include "event/expansion.h"
#include "event/fallback.h"
#include "event/generic.h"
#include "event/metric_name.h"
#include "event/modifiers.h"
#include "event/nearest.h"
#include "event/source.h"
#include "event/tracepoint_fields.h"
#include "sys/pmu.h"
#include "sys/tracefs.h"

#define LONGEST_NAME 512 /* no source has a longer name, so that none is asked for one */

struct event_resolver {
    bool encodes_absent;
    int sysfs_fd;                    /* borrowed */
    struct pmu_list *pmus;           /* NULL: not known */
    const struct probe_spec *probes; /* borrowed */
    size_t n_probes;
    struct object_reader *reader; /* borrowed */
};

/* The sources in the order in which they are asked. The first that knows a name decides. */
static const struct event_source *const sources[] = {
    &event_source_generic,
    &event_source_raw,
    &event_source_sysfs,
    &event_source_probe, /* perf probe calls its tracepoints "probe:…", too */
    &event_source_tracepoint,
    &event_source_pfm,
    &event_source_closed_tracepoint, /* libpfm4 has names of the same form */
};

/*
 * tracefs is opened for each question and closed after it: a descriptor that is kept would hinder
 * whoever wants to unmount it, and it may be mounted after our start.
 */
static struct source_context open_context(const struct event_resolver *resolver)
{
    return (struct source_context){.encodes_absent = resolver->encodes_absent,
                                   .sysfs_fd = resolver->sysfs_fd,
                                   .tracefs_fd = tracefs_open(resolver->sysfs_fd),
                                   .pmus = resolver->pmus,
                                   .probes = resolver->probes,
                                   .n_probes = resolver->n_probes,
                                   .reader = resolver->reader};
}

static void close_context(struct source_context *context)
{
    if (context->tracefs_fd >= 0)
        (void)close(TAKE_FD(context->tracefs_fd));
}

int event_resolver_new(int sysfs_fd, struct event_resolver **ret_resolver)
{
    AUTO(event_resolver) struct event_resolver *resolver = calloc(1, sizeof(*resolver));

    if (!resolver || pmu_list_read(sysfs_fd, &resolver->pmus) == -ENOMEM)
        return -ENOMEM;
    resolver->sysfs_fd = sysfs_fd;
    *ret_resolver = TAKE(resolver);
    return 0;
}

void event_resolver_encode_absent(struct event_resolver *resolver)
{
    resolver->encodes_absent = true;
}

struct event_resolver *event_resolver_free(struct event_resolver *resolver)
{
    if (!resolver)
        return NULL;
    resolver->pmus = pmu_list_free(resolver->pmus);
    free(resolver);
    return NULL;
}

void event_resolver_set_probes(struct event_resolver *resolver, const struct probe_spec *probes,
                               size_t n_probes)
{
    resolver->probes = probes;
    resolver->n_probes = n_probes;
}

void event_resolver_set_reader(struct event_resolver *resolver, struct object_reader *reader)
{
    resolver->reader = reader;
}

static int ask_sources(const struct event_resolver *resolver, const char *name, struct event *event)
{
    struct source_context context;
    int outcome = SOURCE_UNKNOWN;

    if (strlen(name) > LONGEST_NAME)
        return SOURCE_UNKNOWN;
    context = open_context(resolver);
    for (size_t i = 0; i < ARRAY_SIZE(sources) && outcome == SOURCE_UNKNOWN; i++)
        outcome = sources[i]->resolve(&context, name, event);
    close_context(&context);
    return outcome;
}

int event_resolver_find_field(const struct event_resolver *resolver, const struct event *event,
                              const char *name, struct event_field *ret_field, char **ret_why)
{
    AUTO_TEXT struct text why = {0};
    struct source_context context = open_context(resolver);
    int r = event->kind == EVENT_TRACEPOINT
                ? tracepoint_look_up_field(&context, event->name, name, ret_field)
                : -ENOENT;

    close_context(&context);
    if (r != -ENOENT)
        return r;
    tracepoint_append_missing(event->fields ? event->fields : "", name, &why);
    *ret_why = text_take(&why);
    return *ret_why ? -EINVAL : -ENOMEM;
}

/* Hardware, cache and raw events have types of their own, and are counted by the core's PMU. */
static bool is_core_type(uint32_t type)
{
    return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* The name of a PMU that a name of an event begins with: "power" of "power/energy-pkg/". */
static size_t pmu_prefix_length(const char *base)
{
    const size_t n = strcspn(base, "/:");

    return base[n] == '/' ? n : 0;
}

/*
 * The PMU that counts the event. A name says it more exactly than a type: several PMUs may be of
 * one name with a number, and the core PMU has the type of raw codes.
 */
static int find_pmu(const struct pmu_list *pmus, const char *base, const struct event *event,
                    const struct pmu **ret_pmu)
{
    const uint32_t type = event->code.type;
    AUTO_FREE char *name = strndup(base, pmu_prefix_length(base));

    if (!name)
        return -ENOMEM;
    *ret_pmu = *name ? pmu_list_find_name(pmus, name) : NULL;
    if (!*ret_pmu)
        *ret_pmu = is_core_type(type) ? pmu_list_core(pmus) : pmu_list_find_type(pmus, type);
    return 0;
}

/*
 * What the name of the metric is made of. The PMU of an uncore event is a label, and no part of it.
 */
static const char *metric_base(const struct event *event, const char *base)
{
    const char *event_part = strpbrk(base, "/:");

    return event->is_uncore && event_part ? event_part : base;
}

/*
 * The PMU as people know it. An uncore event may be named with what several instances have in
 * common ("uncore_imc/…/"), and is then counted by all of them.
 */
static char *pmu_name(const struct event *event, const char *base, const struct pmu *pmu)
{
    const size_t n = event->is_uncore ? pmu_prefix_length(base) : 0;

    return n > 0 ? strndup(base, n) : strdup(pmu ? pmu->name : "");
}

/*
 * Makes the event's texts: for /metrics, HELP and people. is_encoded: code is that of the event. 0
 * or -ENOMEM.
 */
static int make_texts(struct event *event, const char *base, const struct pmu *pmu, bool is_encoded)
{
    if (!event->description && source_describe(event, "") < 0)
        return -ENOMEM;
    event->metric = metric_name_from_event(metric_base(event, base), &event->code);
    event->pmu = pmu_name(event, base, pmu);
    if (!event->metric || !event->pmu)
        return -ENOMEM;
    event->encoding = is_encoded ? encoding_describe(&event->code, event->pmu) : strdup("");
    return event->encoding ? 0 : -ENOMEM;
}

static const enum absence absences[] = {
    [SOURCE_KNOWS] = ABSENCE_NONE,
    [SOURCE_FOREIGN] = ABSENCE_NO_PMU,
    [SOURCE_ABSENT] = ABSENCE_NO_PMU,
    [SOURCE_MISSING] = ABSENCE_NOT_SUPPORTED,
    [SOURCE_REFUSED] = ABSENCE_UNKNOWN_EVENT,
    [SOURCE_FORBIDDEN] = ABSENCE_NOT_PERMITTED,
    [SOURCE_UNKNOWN] = ABSENCE_UNKNOWN_EVENT,
};

/*
 * The core PMU that an event is bound to. Raw codes are those of all cores, and so are generic
 * events without a PMU ("cycles", not "cpu_atom/cycles/"). So is every event where there is one
 * kind of cores.
 */
static uint32_t core_type(const struct pmu_list *pmus, const struct event *event,
                          const struct pmu *pmu)
{
    if (!pmu || !pmu->is_core || !pmu_list_if_hybrid(pmus) || event->kind == EVENT_RAW ||
        (encoding_is_generic(event->code.type) && event->code.config >> EVENT_PMU_TYPE_SHIFT == 0))
        return 0;
    return pmu->type;
}

static int resolve_base(const struct event_resolver *resolver, const char *base,
                        struct event *event)
{
    const struct pmu *pmu = NULL;
    int outcome = ask_sources(resolver, base, event);

    if (outcome < 0)
        return outcome;
    event->absence = absences[outcome];
    if (resolver->pmus && (outcome == SOURCE_KNOWS || outcome == SOURCE_MISSING)) {
        if (find_pmu(resolver->pmus, base, event, &pmu) < 0)
            return -ENOMEM;
        if (!pmu)
            event->absence = ABSENCE_NO_PMU;
    }
    event->is_uncore = pmu && pmu_is_uncore(pmu);
    event->code.core_type = core_type(resolver->pmus, event, pmu);
    event->takes_counter =
        event->absence == ABSENCE_NONE && (pmu ? pmu->is_core : is_core_type(event->code.type));
    event->is_clock = event_generic_is_clock(&event->code);
    return make_texts(event, base, pmu, outcome == SOURCE_KNOWS || outcome == SOURCE_FOREIGN);
}

const char event_modifiers_expected[] = "u, k, h, G, H, I, S, each at most once";

/* 1: some source knows the name whose names hold no colon; 0: none does; -ENOMEM. */
static int is_plain_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        AUTO(event) struct event *event = NULL;
        int outcome;

        if (!sources[i]->has_plain_names)
            continue;
        event = calloc(1, sizeof(*event));
        outcome = event ? sources[i]->resolve(NULL, name, event) : -ENOMEM;
        if (outcome != SOURCE_UNKNOWN)
            return outcome < 0 ? outcome : 1;
    }
    return 0;
}

int event_resolver_bad_modifier(const char *name, struct event_bad_modifier *ret_modifier)
{
    size_t n_base = 0;
    struct event_bad_modifier bad = modifiers_find_bad(name, &n_base);
    AUTO_FREE char *base = strndup(name, n_base);
    int r;

    if (!base)
        return -ENOMEM;
    if (bad.text && (n_base == 0 || base[n_base - 1] != '/')) {
        r = n_base <= LONGEST_NAME ? is_plain_name(base) : 0;
        if (r < 0)
            return r;
        if (r == 0)
            bad.text = NULL;
    }
    *ret_modifier = bad;
    return 0;
}

/* Says what is wrong with the modifiers of a name. 1: they are wrong; 0: they are not; -ENOMEM. */
static int complain_of_modifier(struct event *event)
{
    struct event_bad_modifier bad;
    int r = event_resolver_bad_modifier(event->name, &bad);

    if (r < 0 || !bad.text)
        return r;
    r = bad.reason ? source_refuse(event, "the modifier \"%c\" %s", bad.letter, bad.reason)
                   : source_refuse(event, "\"%s\" is no modifier; expected %s", bad.text,
                                   event_modifiers_expected);
    return r < 0 ? r : 1;
}

/* The name of an alternative, with the modifiers of the name that it stands in for. */
static char *alternative_name(const char *alternative, const char *pmu, const char *modifiers)
{
    AUTO_TEXT struct text name = {0};

    text_append_format(&name, "%s%s%s", *alternative == '/' ? pmu : "", alternative, modifiers);
    return text_take(&name);
}

/*
 * Gives a generic event of a core PMU its fallbacks, as far as this machine knows them, in a chain.
 * Where there are several kinds of cores there are none: each would be of one kind only. modifiers:
 * those of the name.
 */
static int find_fallbacks(struct event_resolver *resolver, const char *base, const char *modifiers,
                          struct event *event)
{
    const bool is_generic_of_core = event->absence == ABSENCE_NONE && resolver->pmus &&
                                    !pmu_list_if_hybrid(resolver->pmus) &&
                                    (event->kind == EVENT_HARDWARE || event->kind == EVENT_CACHE);
    const char *const *names = is_generic_of_core ? fallback_names(event->pmu, base) : NULL;
    struct event *last = event;

    for (; names && *names; names++) {
        AUTO_FREE char *name = alternative_name(*names, event->pmu, modifiers);
        AUTO(event) struct event *found = NULL;

        if (!name || event_resolve(resolver, name, &found) < 0)
            return -ENOMEM;
        if (found->absence != ABSENCE_NONE)
            continue;
        last->fallback = TAKE(found);
        last = last->fallback;
    }
    return 0;
}

/* Makes an event whose name is wrong, whatever it names. */
static int reject(struct event *event, const char *base)
{
    event->absence = ABSENCE_UNKNOWN_EVENT;
    return make_texts(event, base, NULL, false);
}

int event_resolve(struct event_resolver *resolver, const char *name, struct event **ret_event)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));
    AUTO_FREE char *base = NULL;
    int r;

    if (!event)
        return -ENOMEM;
    event->scale = 1;
    event->name = strdup(name);
    base = strndup(name, modifiers_split(name, &event->code));
    if (!event->name || !base)
        return -ENOMEM;
    r = complain_of_modifier(event);
    if (r >= 0)
        r = r > 0 ? reject(event, base) : resolve_base(resolver, base, event);
    if (r >= 0)
        r = find_fallbacks(resolver, base, name + strlen(base), event);
    if (r < 0)
        return r;
    *ret_event = TAKE(event);
    return 0;
}

/* The part of a name that is looked up: a PMU before "::" stays as it was written. */
static const char *word_of(const char *base)
{
    const char *prefix_end = strstr(base, "::");

    return prefix_end ? prefix_end + strlen("::") : base;
}

int event_resolver_list(struct event_resolver *resolver, const struct event_visitor *visitor)
{
    struct source_context context = open_context(resolver);
    int r = 0;

    for (size_t i = 0; i < ARRAY_SIZE(sources) && r == 0; i++)
        if (sources[i]->list)
            r = sources[i]->list(&context, visitor);
    close_context(&context);
    return r;
}

int event_resolver_expand(struct event_resolver *resolver, const char *base,
                          const struct event_visitor *visitor)
{
    struct source_context context;
    int r = 0;

    if (!strpbrk(base, EVENT_WILDCARDS) || strlen(base) > LONGEST_NAME)
        return 0;
    context = open_context(resolver);
    for (size_t i = 0; i < ARRAY_SIZE(sources) && r == 0; i++)
        if (sources[i]->expand)
            r = sources[i]->expand(&context, base, visitor);
    close_context(&context);
    return r;
}

static int offer(void *object, const struct event_listing *listing)
{
    nearest_offer(object, listing->name);
    if (listing->alias)
        nearest_offer(object, listing->alias);
    return 0;
}

char *event_resolver_suggest(struct event_resolver *resolver, const char *name)
{
    AUTO_TEXT struct text suggestion = {0};
    AUTO_FREE char *base = NULL;
    struct event_code modifiers;
    struct nearest nearest;
    const struct event_visitor visitor = {offer, &nearest};
    size_t base_length = modifiers_split(name, &modifiers);

    base = strndup(name, base_length);
    if (!base || !nearest_init(&nearest, word_of(base)))
        return NULL;
    (void)event_resolver_list(resolver, &visitor);
    if (!nearest.best[0])
        return NULL;
    text_append(&suggestion, base, (size_t)(word_of(base) - base));
    text_append_string(&suggestion, nearest.best);
    text_append_string(&suggestion, name + base_length);
    return text_take(&suggestion);
}
