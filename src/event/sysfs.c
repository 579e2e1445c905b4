/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Events of PMUs that sysfs describes: "PMU/EVENT/", "PMU/FIELD=NUMBER,…/", and the bare name of an
 * event that a PMU has ("slots").
 *
 * Inside a core PMU the generic names have a meaning too. Where there are several kinds of cores,
 * "cpu_atom/cycles/" is the generic event of one of them: its type is that of generic events, and
 * the PMU's type stands in the upper half of config (EVENT_PMU_TYPE_SHIFT).
 */
#include <errno.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/expansion.h"
#include "event/generic.h"
#include "event/nearest.h"
#include "event/pmu_code.h"
#include "event/pmu_files.h"
#include "event/pmu_unit.h"
#include "event/source.h"

#define PMU_NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-."

/* "PMU/TERMS/" in its parts. */
struct parts {
    char pmu[PMU_WORD_SIZE];
    char terms[512]; /* the resolver takes no longer names */
};

/* False: the name does not have the form, or not its last slash (*ret_is_open). */
static bool split(const char *name, struct parts *ret_parts, bool *ret_is_open)
{
    const size_t n = strspn(name, PMU_NAME_CHARACTERS);
    const char *terms = name + n + 1;
    size_t n_terms;

    *ret_is_open = false;
    if (n == 0 || name[n] != '/' || name[0] == '.' || n >= sizeof(ret_parts->pmu))
        return false;
    n_terms = strlen(terms);
    *ret_is_open = n_terms == 0 || terms[n_terms - 1] != '/';
    if (*ret_is_open || n_terms > sizeof(ret_parts->terms))
        return false;
    memcpy(ret_parts->pmu, name, n);
    ret_parts->pmu[n] = '\0';
    memcpy(ret_parts->terms, terms, n_terms - 1);
    ret_parts->terms[n_terms - 1] = '\0';
    return true;
}

/* The text of a file that says more of an event. NULL: there is none. False: it cannot be read. */
static bool read_attribute(int sysfs_fd, const char *pmu, const char *event, const char *attribute,
                           char buffer[PMU_TEXT_SIZE], const char **ret_text)
{
    char name[PMU_WORD_SIZE + 16];
    int r;

    (void)snprintf(name, sizeof(name), "%s%s", event, attribute);
    r = pmu_file_read(sysfs_fd, pmu, PMU_EVENTS, name, buffer);
    *ret_text = r < 0 ? NULL : buffer;
    return r >= 0 || r == -ENOENT;
}

static bool read_unit(int sysfs_fd, const char *pmu, const char *event, struct pmu_unit *ret_unit)
{
    char unit[PMU_TEXT_SIZE], scale[PMU_TEXT_SIZE];
    const char *unit_text, *scale_text;

    return read_attribute(sysfs_fd, pmu, event, ".unit", unit, &unit_text) &&
           read_attribute(sysfs_fd, pmu, event, ".scale", scale, &scale_text) &&
           pmu_unit_parse(unit_text, scale_text, ret_unit);
}

/* Gives an event of sysfs its unit. What is no count, as a temperature, is refused. */
static int take_unit(int sysfs_fd, const char *pmu, const char *name, struct event *event)
{
    char buffer[PMU_TEXT_SIZE];
    const char *snapshot;
    struct pmu_unit unit;

    if (!read_attribute(sysfs_fd, pmu, name, ".snapshot", buffer, &snapshot) ||
        (snapshot && strcmp(snapshot, "0") != 0))
        return source_refuse(event, "%s of the PMU %s is a value of the moment, and no count", name,
                             pmu);
    if (!read_unit(sysfs_fd, pmu, name, &unit))
        return source_refuse(
            event, "events/%s.unit or .scale of the PMU %s in sysfs holds what is no unit or scale",
            name, pmu);
    event->scale = unit.scale;
    if (!unit.word[0])
        return SOURCE_KNOWS;
    return source_set_unit(event, unit.word, unit.scale) < 0 ? -ENOMEM : SOURCE_KNOWS;
}

static int describe(struct event *event, const struct pmu *pmu, const char *terms, const char *name)
{
    AUTO_TEXT struct text text = {0};

    if (name[0])
        text_append_format(&text, "Event %s of the PMU %s", name, pmu->name);
    else
        text_append_format(&text, "Event with the code %s of the PMU %s", terms, pmu->name);
    event->kind = EVENT_PMU;
    event->description = text_take(&text);
    return event->description ? SOURCE_KNOWS : -ENOMEM;
}

/* Which kind of generic events a PMU counts. */
static bool counts_type(const struct pmu *pmu, uint32_t type)
{
    if (pmu->is_core)
        return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE;
    return pmu->type == PERF_TYPE_SOFTWARE && type == PERF_TYPE_SOFTWARE;
}

/* A generic name that the PMU does not have in sysfs with a code of its own. */
static int resolve_generic_in(const struct source_context *context, const struct pmu *pmu,
                              const char *name, struct event *event)
{
    char own[PMU_WORD_SIZE];
    int outcome;

    if (pmu_file_find(context->sysfs_fd, pmu->name, PMU_EVENTS, name, own))
        return SOURCE_UNKNOWN;
    outcome = event_source_generic.resolve(NULL, name, event);
    if (outcome != SOURCE_KNOWS)
        return outcome;
    if (!counts_type(pmu, event->code.type))
        return source_refuse(event, "the PMU %s does not count %s; without the PMU it is an event",
                             pmu->name, name);
    if (pmu->is_core && pmu_list_if_hybrid(context->pmus))
        event->code.config |= (uint64_t)pmu->type << EVENT_PMU_TYPE_SHIFT;
    return SOURCE_KNOWS;
}

static int resolve_in(const struct source_context *context, const struct pmu *pmu,
                      const char *terms, struct event *event)
{
    char name[PMU_WORD_SIZE];
    int outcome = resolve_generic_in(context, pmu, terms, event);

    if (outcome != SOURCE_UNKNOWN)
        return outcome;
    outcome = pmu_code_parse(context->sysfs_fd, pmu, terms, event, name);
    if (outcome == SOURCE_KNOWS && name[0])
        outcome = take_unit(context->sysfs_fd, pmu->name, name, event);
    return outcome == SOURCE_KNOWS ? describe(event, pmu, terms, name) : outcome;
}

/* The PMU is not here. A configuration may be for another machine, or the name has a slip. */
static int resolve_without_pmu(const struct source_context *context, const struct parts *parts,
                               struct event *event)
{
    struct nearest nearest;

    event->kind = EVENT_PMU;
    if (asprintf(&event->description, "Event %s of the PMU %s", parts->terms, parts->pmu) < 0) {
        event->description = NULL;
        return -ENOMEM;
    }
    if (!context->pmus || !nearest_init(&nearest, parts->pmu))
        return SOURCE_ABSENT;
    for (size_t i = 0; i < context->pmus->n; i++)
        nearest_offer(&nearest, context->pmus->pmus[i].name);
    if (nearest.best[0] && source_refuse(event, "this machine has no PMU %s; did you mean %s?",
                                         parts->pmu, nearest.best) < 0)
        return -ENOMEM;
    return SOURCE_ABSENT;
}

/* The PMU that has an event of this very name: a core PMU before others. *ret_n: how many others.
 */
static const struct pmu *find_owner(const struct source_context *context, const char *name,
                                    size_t *ret_n)
{
    const struct pmu *owner = NULL;
    char text[PMU_TEXT_SIZE];

    *ret_n = 0;
    for (size_t i = 0; context->pmus && i < context->pmus->n; i++) {
        const struct pmu *pmu = &context->pmus->pmus[i];

        if (pmu_file_read(context->sysfs_fd, pmu->name, PMU_EVENTS, name, text) == -ENOENT)
            continue;
        if (pmu->is_core)
            return pmu;
        if (!owner)
            owner = pmu;
        ++*ret_n;
    }
    return owner;
}

/* A bare name may be in several instances of a PMU, which are not to be counted as if they were
 * one. */
static int resolve_bare(const struct source_context *context, const char *name, struct event *event)
{
    const struct pmu *owner;
    size_t n;

    if (!pmu_word_is_name(name) || strspn(name, PMU_NAME_CHARACTERS) != strlen(name) ||
        strlen(name) >= PMU_WORD_SIZE)
        return SOURCE_UNKNOWN;
    owner = find_owner(context, name, &n);
    if (!owner)
        return SOURCE_UNKNOWN;
    if (!owner->is_core && n > 1)
        return source_refuse(event,
                             "%zu PMUs have an event of this name; write whose it is: %s/%s/", n,
                             owner->name, name);
    return resolve_in(context, owner, name, event);
}

static int resolve_sysfs(const struct source_context *context, const char *name,
                         struct event *event)
{
    const struct pmu *pmu;
    struct parts parts;
    bool is_open;

    if (!split(name, &parts, &is_open)) {
        if (is_open)
            return source_refuse(event,
                                 "the slash behind the event is missing: expected PMU/EVENT/");
        return resolve_bare(context, name, event);
    }
    pmu = context->pmus ? pmu_list_find_name(context->pmus, parts.pmu) : NULL;
    if (pmu)
        return resolve_in(context, pmu, parts.terms, event);
    if (parts.terms[0] == '\0' &&
        event_source_generic.resolve(NULL, parts.pmu, event) == SOURCE_KNOWS) /* "cycles//" */
        return SOURCE_KNOWS;
    return resolve_without_pmu(context, &parts, event);
}

/* What a listing needs to show the events of one PMU. */
struct lister {
    const struct source_context *context;
    const struct event_visitor *visitor;
    const struct pmu *pmu;
};

static int show(void *object, const char *name)
{
    const struct lister *lister = object;
    const struct pmu *pmu = lister->pmu;
    AUTO_TEXT struct text whole = {0}, description = {0};
    AUTO_FREE char *whole_name = NULL, *sentence = NULL;
    char code[PMU_TEXT_SIZE];
    struct pmu_unit unit;

    if (pmu_file_read(lister->context->sysfs_fd, pmu->name, PMU_EVENTS, name, code) < 0)
        return 0;
    text_append_format(&whole, "%s/%s/", pmu->name, name);
    text_append_format(&description, "Event %s of the PMU %s, encoded %s", name, pmu->name, code);
    if (read_unit(lister->context->sysfs_fd, pmu->name, name, &unit) && unit.word[0])
        text_append_format(&description, ", in %s", unit.word);
    whole_name = text_take(&whole);
    sentence = text_take(&description);
    if (!whole_name || !sentence)
        return -ENOMEM;
    return source_show(lister->visitor, &(struct event_listing){.kind = EVENT_PMU,
                                                                .name = whole_name,
                                                                .alias = pmu->is_core ? name : NULL,
                                                                .description = sentence,
                                                                .pmu = pmu->name});
}

static int list_sysfs(const struct source_context *context, const struct event_visitor *visitor)
{
    int r = 0;

    for (size_t i = 0; context->pmus && i < context->pmus->n && r == 0; i++) {
        struct lister lister = {context, visitor, &context->pmus->pmus[i]};

        r = pmu_files_visit(context->sysfs_fd, lister.pmu->name, PMU_EVENTS,
                            &(struct pmu_file_visitor){show, &lister});
    }
    return r;
}

/* Shows PMU/TERMS/ if the PMU has such an event: of many PMUs that a pattern matches, some do. */
static int show_if_known(const struct source_context *context, const struct pmu *pmu,
                         const char *terms, const struct event_visitor *visitor)
{
    AUTO(event) struct event *event = calloc(1, sizeof(*event));
    AUTO_FREE char *name = NULL;
    int outcome;

    if (!event || asprintf(&name, "%s%s", pmu->name, terms) < 0)
        return -ENOMEM;
    outcome = resolve_sysfs(context, name, event);
    if (outcome != SOURCE_KNOWS)
        return outcome < 0 ? outcome : 0;
    return source_show(visitor, &(struct event_listing){.kind = EVENT_PMU,
                                                        .name = name,
                                                        .description = event->description,
                                                        .pmu = pmu->name});
}

/* "uncore_imc_[0-9]/clockticks/" is an event of each PMU that the pattern matches. */
static int expand_pmus(const struct source_context *context, const char *name,
                       const struct event_visitor *visitor)
{
    const size_t n = strcspn(name, "/");
    AUTO_FREE char *pattern = strndup(name, n);
    int r = 0;

    if (!pattern)
        return -ENOMEM;
    if (name[n] != '/' || !strpbrk(pattern, EVENT_WILDCARDS))
        return 0;
    for (size_t i = 0; context->pmus && i < context->pmus->n && r == 0; i++)
        if (fnmatch(pattern, context->pmus->pmus[i].name, 0) == 0)
            r = show_if_known(context, &context->pmus->pmus[i], name + n, visitor);
    return r;
}

const struct event_source event_source_sysfs = {
    .resolve = resolve_sysfs, .list = list_sysfs, .expand = expand_pmus};
