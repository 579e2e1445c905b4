/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Probes, by the kernel's PMUs `kprobe` and `uprobe`. Such a probe lives as long as the descriptor
 * of its event, so that a crash leaves nothing behind, and no file is written. kprobes take
 * CAP_PERFMON, uprobes CAP_SYS_ADMIN since Linux 6.16 (perf_uprobe_event_init()). The
 * fields are config1, the address of the text of the function or of a path to the file, config2,
 * the offset, and in config a bit for returns and the place of a semaphore (perf_uprobe_init() of
 * the kernel; format/retprobe and format/ref_ctr_offset in sysfs say which bits).
 */
#include "event/probe.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "event/pmu_files.h"
#include "event/pmu_format.h"
#include "event/probe_looks.h"
#include "event/source.h"

static const struct {
    const char *pmu;
    const char *one, *many; /* what is counted, for people */
} kinds[PROBE_KIND_COUNT_] = {
    [PROBE_KERNEL] = {"kprobe", "Calls of", "Returns of"},
    [PROBE_USER] = {"uprobe", "Calls of", "Returns of"},
    [PROBE_USDT] = {"uprobe", "Hits of", NULL},
};

static const struct probe_spec *find_spec(const struct source_context *context, const char *name)
{
    for (size_t i = 0; i < context->n_probes; i++)
        if (strcmp(context->probes[i].name, name) == 0)
            return &context->probes[i];
    return NULL;
}

/* Sets a field of config. False: the kernel does not have the field, or the value does not fit. */
static bool set_field(const struct source_context *context, const char *pmu, const char *field,
                      uint64_t value, struct event_code *code)
{
    struct pmu_format format;
    char text[PMU_TEXT_SIZE];

    if (pmu_file_read(context->sysfs_fd, pmu, PMU_FORMATS, field, text) < 0 ||
        pmu_format_parse(text, &format) < 0 || format.number != CODE_CONFIG ||
        value > pmu_format_maximum(&format))
        return false;
    code->config |= pmu_format_spread(&format, value);
    return true;
}

static int describe(const struct probe_spec *spec, const struct probe_place *place,
                    struct event *event)
{
    AUTO_TEXT struct text text = {0};

    text_append_string(&text, place->is_return ? kinds[spec->kind].many : kinds[spec->kind].one);
    text_append_format(&text, " %s%s%s", place->provider ? place->provider : "",
                       place->provider ? ":" : "", place->symbol);
    if (place->offset > 0)
        text_append_format(&text, "+0x%zx", (size_t)place->offset);
    if (place->number > 0)
        text_append_format(&text, " (number %u)", place->number);
    text_append_format(&text, " in %s", place->file ? place->file : "the kernel");
    free(event->description);
    event->description = text_take(&text);
    return event->description ? 0 : -ENOMEM;
}

/* Puts what was found into the event. */
static int encode(const struct source_context *context, const struct pmu *pmu,
                  const struct probe_place *place, struct probe_found *found, struct event *event)
{
    struct event_code *code = &event->code;

    code->config2 = found->position;
    code->config1_device = found->identity.device;
    code->config1_inode = found->identity.inode;
    code->config1_text = place->file ? shared_text_new_file(TAKE_FD(found->fd), place->file)
                                     : shared_text_new(place->symbol);
    if (!code->config1_text)
        return -ENOMEM;
    if (place->is_return && !set_field(context, pmu->name, "retprobe", 1, code))
        return source_explain(event, "the kernel cannot count returns");
    if (found->semaphore > 0 &&
        !set_field(context, pmu->name, "ref_ctr_offset", found->semaphore, code))
        return source_explain(event, "the kernel cannot hold the semaphore of the USDT probe");
    return SOURCE_KNOWS;
}

static int look(const struct source_context *context, const struct probe_spec *spec,
                const struct probe_place *place, struct probe_found *ret_found, struct event *event)
{
    AUTO_FREE char *why = NULL;
    int r = place->file ? probe_look_into_file(context->reader, spec->kind, place, ret_found, &why)
                        : probe_look_into_kernel(place, ret_found, &why);

    if (r < 0)
        return r;
    return why ? source_explain(event, why) : SOURCE_KNOWS;
}

/* Kernels without the PMU have no such probes, or none that perf_event_open(2) takes. */
static int explain_absent(const char *pmu, struct event *event)
{
    char why[64];
    int r;

    (void)snprintf(why, sizeof(why), "the kernel has no %ss (no PMU %s)", pmu, pmu);
    r = source_explain(event, why);
    return r < 0 ? r : SOURCE_ABSENT;
}

static int resolve_place(const struct source_context *context, const struct probe_spec *spec,
                         const struct probe_place *place, struct event *event)
{
    const char *name = kinds[spec->kind].pmu;
    const struct pmu *pmu = context->pmus ? pmu_list_find_name(context->pmus, name) : NULL;
    struct probe_found found = {.fd = -1};
    int r = describe(spec, place, event);

    event->kind = EVENT_PROBE;
    if (r < 0)
        return r;
    if (!pmu)
        return context->pmus ? explain_absent(name, event) : SOURCE_ABSENT;
    event->code.type = pmu->type;
    r = look(context, spec, place, &found, event);
    return r == SOURCE_KNOWS ? encode(context, pmu, place, &found, event) : r;
}

static int resolve_probe(const struct source_context *context, const char *name,
                         struct event *event)
{
    const struct probe_spec *spec = NULL;
    struct probe_place place;
    int r;

    if (strncmp(name, PROBE_PREFIX, strlen(PROBE_PREFIX)) == 0)
        spec = find_spec(context, name + strlen(PROBE_PREFIX));
    if (!spec)
        return SOURCE_UNKNOWN;
    r = probe_place_parse(spec->kind, spec->place, &place);
    if (r == -EINVAL)
        return SOURCE_UNKNOWN; /* the configuration does not let it pass */
    if (r < 0)
        return r;
    r = resolve_place(context, spec, &place, event);
    probe_place_done(&place);
    return r;
}

static int list_probes(const struct source_context *context, const struct event_visitor *visitor)
{
    int r = 0;

    for (size_t i = 0; i < context->n_probes && r == 0; i++) {
        const struct probe_spec *spec = &context->probes[i];
        char name[128];

        (void)snprintf(name, sizeof(name), PROBE_PREFIX "%s", spec->name);
        r = source_show(visitor, &(struct event_listing){.kind = EVENT_PROBE,
                                                         .name = name,
                                                         .description = spec->place,
                                                         .pmu = kinds[spec->kind].pmu});
    }
    return r;
}

const struct event_source event_source_probe = {.resolve = resolve_probe, .list = list_probes};
