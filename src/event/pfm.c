/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The names of CPU manuals, by libpfm4. Of what it encodes only type and configs are taken. Its
 * modifiers are of three kinds. Those of privilege (u, k, h) are the same for all sources
 * (event/modifiers.h), and libpfm4 never sees them. Those that are part of the event (c=1, i, e,
 * ldlat) are left to it. Those that change how one counts (mg, mh, precise, …) we cannot carry
 * over; such a name is unknown, since it would be wrong to drop them.
 *
 * libpfm4 has tables of several hundred PMUs, and searches those that it finds by CPUID. A name
 * that is only in another table is an event of an absent PMU, and not an unknown event: so one
 * configuration can serve machines of several makers.
 */
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/generic.h"
#include "event/source.h"

#define MASKED_NAME_SIZE 128 /* more than any event of libpfm4 takes with one unit mask */

#define SEPARATORS ":."
#define ALL_MODES  (PFM_PLM0 | PFM_PLM3 | PFM_PLMH)

/* Whether this part stands behind the event's name, alone ("mg") or with a value ("c=1"). */
static bool has_part(const char *name, const char *wanted)
{
    size_t length = strlen(wanted);
    const char *part = strpbrk(name, SEPARATORS);

    for (; part; part = strpbrk(part, SEPARATORS)) {
        part++;
        if (strncasecmp(part, wanted, length) == 0 &&
            (part[length] == '\0' || strchr(SEPARATORS "=", part[length])))
            return true;
    }
    return false;
}

/* Whether the name says something that struct event_code does not have. */
static bool says_more(const char *name, const struct perf_event_attr *attr)
{
    return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_host ||
           attr->sample_period != 0 || attr->precise_ip != 0 || attr->pinned || attr->exclusive ||
           has_part(name, "mg") || has_part(name, "mh");
}

static void append_sentence(struct text *text, const char *sentence)
{
    size_t length = strlen(sentence);

    while (length > 0 && strchr(". \n\t", sentence[length - 1]))
        length--;
    if (length == 0)
        return;
    if (text->length > 0)
        text_append_string(text, ": ");
    for (size_t i = 0; i < length; i++)
        text_append_char(text, (unsigned char)sentence[i] < ' ' ? ' ' : sentence[i]);
}

static bool has_unit_mask(const char *full_name, const char *mask)
{
    const char *colons = strstr(full_name, "::");

    return has_part(colons ? colons + 2 : full_name, mask);
}

/* The event's description, and those of the unit masks that the full name has. NULL: no memory. */
static char *describe(const pfm_event_info_t *info, const char *full_name)
{
    AUTO_TEXT struct text text = {0};

    append_sentence(&text, info->desc ? info->desc : info->name);
    for (int i = 0; full_name && i < info->nattrs; i++) {
        pfm_event_attr_info_t mask = {.size = sizeof(mask)};

        if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &mask) == PFM_SUCCESS &&
            mask.type == PFM_ATTR_UMASK && mask.desc && has_unit_mask(full_name, mask.name))
            append_sentence(&text, mask.desc);
    }
    return text_take(&text);
}

/*
 * The outcome for a name that libpfm4 knows. If the kernel does not have an uncore PMU, libpfm4
 * encodes its events with the type of the core's raw events. Counted so, they would be other
 * events; therefore the PMU is taken for absent.
 */
static int judge(const char *name, const struct perf_event_attr *attr, const pfm_event_info_t *info)
{
    pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

    if (info->pmu == PFM_PMU_PERF_EVENT_RAW || says_more(name, attr))
        return SOURCE_UNKNOWN;
    if (pfm_get_pmu_info(info->pmu, &pmu) != PFM_SUCCESS)
        return SOURCE_UNKNOWN;
    return pmu.type == PFM_PMU_TYPE_UNCORE && attr->type < PERF_TYPE_MAX ? SOURCE_ABSENT
                                                                         : SOURCE_KNOWS;
}

static void take_code(const struct perf_event_attr *attr, struct event *event)
{
    event->code.type = attr->type;
    event->code.config = attr->config;
    event->code.config1 = attr->config1;
    event->code.config2 = attr->config2;
}

static int take_encoding(const char *name, const struct perf_event_attr *attr, int idx,
                         const char *full_name, struct event *event)
{
    pfm_event_info_t info = {.size = sizeof(info)};
    int outcome;

    if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
        return SOURCE_UNKNOWN;
    outcome = judge(name, attr, &info);
    if (outcome == SOURCE_UNKNOWN)
        return outcome;
    event->description = describe(&info, full_name);
    if (!event->description)
        return -ENOMEM;
    event->kind = EVENT_PFM;
    take_code(attr, event);
    if (event_generic_is_clock(&event->code) &&
        source_set_unit(event, "seconds", EVENT_SCALE_NANOSECONDS) < 0)
        return -ENOMEM;
    return outcome;
}

/* Splits "skx::INST_RETIRED:ANY_P". Returns the length of the PMU's name; 0: there is none. */
static size_t split_prefix(const char *name, const char **ret_event)
{
    const char *colons = strstr(name, "::");

    *ret_event = colons ? colons + 2 : name;
    return colons ? (size_t)(colons - name) : 0;
}

static bool same_word(const char *known, const char *word, size_t length)
{
    return strncasecmp(known, word, length) == 0 && known[length] == '\0';
}

/* Whether the event has this unit mask, or this modifier of the PMU ("c=1"). Those of perf are not
 * meant. */
static bool is_part(const pfm_event_info_t *info, const char *part, size_t length)
{
    for (int i = 0; i < info->nattrs; i++) {
        pfm_event_attr_info_t attribute = {.size = sizeof(attribute)};

        if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &attribute) == PFM_SUCCESS &&
            (attribute.type == PFM_ATTR_UMASK || attribute.ctrl == PFM_ATTR_CTRL_PMU) &&
            same_word(attribute.name, part, length))
            return true;
    }
    return false;
}

/* Whether the event has all parts that stand behind its name. A mask may be a number (":0x1"). */
static bool has_all_parts(const pfm_event_info_t *info, const char *name)
{
    const char *part = strpbrk(name, SEPARATORS);

    for (; part; part = strpbrk(part, SEPARATORS)) {
        part++;
        if (!(*part >= '0' && *part <= '9') && !is_part(info, part, strcspn(part, SEPARATORS "=")))
            return false;
    }
    return true;
}

static int find_in_pmu(const pfm_pmu_info_t *pmu, const char *name, pfm_event_info_t *ret_info)
{
    size_t length = strcspn(name, SEPARATORS);

    for (int idx = pmu->first_event; idx != -1; idx = pfm_get_event_next(idx)) {
        *ret_info = (pfm_event_info_t){.size = sizeof(*ret_info)};
        if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT, ret_info) == PFM_SUCCESS &&
            same_word(ret_info->name, name, length) && has_all_parts(ret_info, name))
            return SOURCE_ABSENT;
    }
    return SOURCE_UNKNOWN;
}

/*
 * Starts libpfm4; it does nothing if that was done before. Several threads look up events; what
 * libpfm4 changes, it changes when it starts.
 */
static bool start_pfm(void)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    bool good;

    (void)pthread_mutex_lock(&mutex);
    good = pfm_initialize() == PFM_SUCCESS;
    (void)pthread_mutex_unlock(&mutex);
    return good;
}

#define INACTIVE "LIBPFM_ENCODE_INACTIVE"

/*
 * Lets libpfm4 encode events of PMUs that are not here. It reads the environment when it starts,
 * and keeps what it has read for the life of the program.
 */
static bool allow_inactive(void)
{
    static bool is_allowed;

    if (!is_allowed) {
        pfm_terminate();
        is_allowed = setenv(INACTIVE, "1", 1) == 0 && pfm_initialize() == PFM_SUCCESS;
        (void)unsetenv(INACTIVE);
    }
    return is_allowed;
}

/* Encodes an event of one PMU, which may be absent. */
static int encode_in(const pfm_pmu_info_t *pmu, const char *event_name, struct event *event)
{
    AUTO_FREE char *full_name = NULL, *whole = NULL;
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoded = {.attr = &attr, .fstr = &full_name, .size = sizeof(encoded)};
    int outcome;

    if (asprintf(&whole, "%s::%s", pmu->name, event_name) < 0) {
        whole = NULL;
        return -ENOMEM;
    }
    if (pfm_get_os_event_encoding(whole, ALL_MODES, PFM_OS_PERF_EVENT, &encoded) != PFM_SUCCESS)
        return SOURCE_UNKNOWN;
    outcome = take_encoding(event_name, &attr, encoded.idx, full_name, event);
    if (pmu->is_present || outcome < 0 || outcome == SOURCE_UNKNOWN)
        return outcome;
    return pmu->type == PFM_PMU_TYPE_CORE ? SOURCE_FOREIGN : SOURCE_ABSENT;
}

/* Looks for the event among the PMUs that are here, or among the others, and encodes it. */
static int encode_among(bool present, const char *name, struct event *event)
{
    const char *event_name;
    const size_t prefix = split_prefix(name, &event_name);
    int outcome = SOURCE_UNKNOWN;

    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX && outcome == SOURCE_UNKNOWN; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && pmu.is_present == present &&
            (prefix == 0 || same_word(pmu.name, name, prefix)))
            outcome = encode_in(&pmu, event_name, event);
    }
    return outcome;
}

/* Looks the name up in the tables of all PMUs, whether this machine has them or not. */
static int find_elsewhere(const char *name, struct event *event)
{
    const char *event_name;
    size_t prefix = split_prefix(name, &event_name);
    pfm_event_info_t info;

    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) != PFM_SUCCESS ||
            (prefix > 0 && !same_word(pmu.name, name, prefix)))
            continue;
        if (find_in_pmu(&pmu, event_name, &info) != SOURCE_ABSENT)
            continue;
        event->kind = EVENT_PFM;
        event->description = describe(&info, NULL);
        return event->description ? SOURCE_ABSENT : -ENOMEM;
    }
    return SOURCE_UNKNOWN;
}

/* The kernel gives a PMU beside the cores its type when it finds the PMU. */
static int explain_no_type(struct event *event)
{
    event->why = strdup("the type of its PMU is known only to the kernel of a machine that has it");
    return event->why ? SOURCE_ABSENT : -ENOMEM;
}

/*
 * libpfm4 itself would take a name without a PMU for that of the first PMU that has it, absent or
 * not. Those of this machine go first.
 */
static int encode_anywhere(const char *name, struct event *event)
{
    int outcome;

    if (!allow_inactive())
        return SOURCE_UNKNOWN;
    outcome = encode_among(true, name, event);
    if (outcome == SOURCE_UNKNOWN)
        outcome = encode_among(false, name, event);
    if (outcome == SOURCE_UNKNOWN)
        outcome = find_elsewhere(name, event);
    return outcome == SOURCE_ABSENT ? explain_no_type(event) : outcome;
}

static int resolve_pfm(const struct source_context *context, const char *name, struct event *event)
{
    AUTO_FREE char *full_name = NULL;
    struct perf_event_attr attr = {.size = sizeof(attr)};
    pfm_perf_encode_arg_t encoded = {.attr = &attr, .fstr = &full_name, .size = sizeof(encoded)};

    if (!start_pfm())
        return SOURCE_UNKNOWN;
    if (context && context->encodes_absent)
        return encode_anywhere(name, event);
    switch (pfm_get_os_event_encoding(name, ALL_MODES, PFM_OS_PERF_EVENT, &encoded)) {
    case PFM_SUCCESS:
        return take_encoding(name, &attr, encoded.idx, full_name, event);
    case PFM_ERR_NOMEM:
        return -ENOMEM;
    case PFM_ERR_NOTFOUND: /* it is in no table of a PMU of this CPU */
    case PFM_ERR_NOTSUPP:  /* it is in one, but the kernel has not registered that PMU */
        return find_elsewhere(name, event);
    default: /* the event does not have this unit mask or modifier */
        return SOURCE_UNKNOWN;
    }
}

static int list_masks(const struct event_visitor *visitor, const pfm_pmu_info_t *pmu,
                      const pfm_event_info_t *info)
{
    int r = 0;

    for (int i = 0; i < info->nattrs && r == 0; i++) {
        pfm_event_attr_info_t mask = {.size = sizeof(mask)};
        char name[MASKED_NAME_SIZE];
        int length;

        if (pfm_get_event_attr_info(info->idx, i, PFM_OS_PERF_EVENT, &mask) != PFM_SUCCESS ||
            mask.type != PFM_ATTR_UMASK)
            continue;
        length = snprintf(name, sizeof(name), "%s:%s", info->name, mask.name);
        if (length > 0 && (size_t)length < sizeof(name))
            r = source_show(visitor,
                            &(struct event_listing){.kind = EVENT_PFM,
                                                    .name = name,
                                                    .description = mask.desc ? mask.desc : "",
                                                    .pmu = pmu->name});
    }
    return r;
}

static int list_events(const struct event_visitor *visitor, const pfm_pmu_info_t *pmu)
{
    int r = 0;

    for (int idx = pmu->first_event; idx != -1 && r == 0; idx = pfm_get_event_next(idx)) {
        pfm_event_info_t info = {.size = sizeof(info)};

        if (pfm_get_event_info(idx, PFM_OS_PERF_EVENT, &info) != PFM_SUCCESS)
            continue;
        r = source_show(visitor, &(struct event_listing){.kind = EVENT_PFM,
                                                         .name = info.name,
                                                         .description = info.desc ? info.desc : "",
                                                         .pmu = pmu->name});
        if (r == 0)
            r = list_masks(visitor, pmu, &info);
    }
    return r;
}

/* The PMU "perf" of libpfm4 has the generic names again, in capitals. They are not listed twice. */
static int list_pfm(const struct source_context *context, const struct event_visitor *visitor)
{
    int r = 0;

    (void)context;
    if (!start_pfm())
        return 0;
    for (int i = PFM_PMU_NONE; i < PFM_PMU_MAX && r == 0; i++) {
        pfm_pmu_info_t pmu = {.size = sizeof(pmu)};

        if (pfm_get_pmu_info((pfm_pmu_t)i, &pmu) == PFM_SUCCESS && pmu.is_present &&
            pmu.type != PFM_PMU_TYPE_OS_GENERIC)
            r = list_events(visitor, &pmu);
    }
    return r;
}

const struct event_source event_source_pfm = {.resolve = resolve_pfm, .list = list_pfm};
