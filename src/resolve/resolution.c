/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution.h"

#include <errno.h>
#include <string.h>

#include "resolve/resolution_events.h"
#include "resolve/resolution_groups.h"
#include "resolve/resolution_spans.h"
#include "resolve/uncore.h"

static int make_class(struct resolution *resolution, size_t class_index,
                      const struct config_words *names)
{
    struct target_class *class = &resolution->classes[class_index];
    int r = resolution_make_groups(resolution, class, names, &class->groups);

    if (r < 0)
        return r;
    class->sample = sample_new(class->groups);
    return class->sample ? 0 : -ENOMEM;
}

static struct plan_spec make_plan_spec(const struct resolution *resolution, const char *prefix,
                                       const char *target)
{
    return (struct plan_spec){
        .prefix = prefix,
        .target = target,
        .totals = true,
        .group_times = true,
        .rates = resolution->config->expose_rates,
        .ratios = resolution->config->expose_ratios,
        .ratio_specs = resolution->ratios,
        .n_ratio_specs = resolution->config->n_ratios,
        .n_spans = resolution->config->n_spans,
        .n_timed_calls = resolution->config->system_calls.timed.n,
        .one_in = config_one_in(&resolution->config->system_calls),
    };
}

/*
 * What a class shows by key. Requests are told apart by device for the machine only; the rows of
 * other targets have the sum. Interrupts belong to a CPU, and to nobody else.
 */
static unsigned shown_by_key(const struct config *config, unsigned latency, bool is_machine)
{
    unsigned shown = 0;

    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_; i++)
        if (latency & breakdown_shapes[i].wanted_by &&
            (is_machine ||
             (i != BREAKDOWN_BLOCK_IO && i != BREAKDOWN_SOFTIRQS && i != BREAKDOWN_HARDIRQS)))
            shown |= 1U << i;
    if (config->system_calls.timed.n == 0)
        shown &= ~(1U << BREAKDOWN_SYSTEM_CALL_TIMES);
    return shown;
}

/*
 * By CPU, each CPU is a target that shows its totals, and the machine is their sum
 * and shows rates and ratios, which no single CPU has. Else the machine is one
 * target over all CPUs.
 */
static int make_system_classes(struct resolution *resolution)
{
    const struct config_system *system = &resolution->config->system;
    struct target_class *machine = &resolution->classes[CLASS_MACHINE];
    struct target_class *cpu = &resolution->classes[CLASS_CPU];
    int r;

    if (!system->enabled)
        return 0;
    machine->spec = make_plan_spec(resolution, "pmu_machine_", "the machine (its counted CPUs)");
    machine->spec.cpu_time = true;
    machine->spec.latency = system->latency;
    machine->spec.by_key = shown_by_key(resolution->config, system->latency, true);
    machine->by = system->by;
    if (system->by != CONFIG_BY_CPU)
        return make_class(resolution, CLASS_MACHINE, &system->groups);

    cpu->spec = make_plan_spec(resolution, "pmu_cpu_", "the CPU");
    cpu->spec.rates = cpu->spec.ratios = false;
    machine->spec.totals = machine->spec.group_times = false;
    r = make_class(resolution, CLASS_CPU, &system->groups);
    if (r < 0)
        return r;
    machine->sample = sample_new(cpu->groups);
    return machine->sample ? 0 : -ENOMEM;
}

static int make_cgroup_classes(struct resolution *resolution)
{
    int r = 0;

    for (size_t i = 0; i < resolution->config->n_cgroups && r >= 0; i++) {
        struct target_class *class = &resolution->classes[CLASS_CGROUP + i];

        class->kind = SCOPE_CGROUP;
        class->spec = make_plan_spec(resolution, "pmu_cgroup_", "the cgroup and its descendants");
        class->spec.start_time = class->spec.created_time = class->spec.doubt = true;
        class->spec.latency = resolution->config->cgroups[i].latency;
        class->by = resolution->config->cgroups[i].by;
        class->spec.by_key = shown_by_key(resolution->config, class->spec.latency, false);
        r = make_class(resolution, CLASS_CGROUP + i, &resolution->config->cgroups[i].groups);
    }
    return r;
}

static int make_process_classes(struct resolution *resolution)
{
    int r = 0;

    for (size_t i = 0; i < resolution->config->n_processes && r >= 0; i++) {
        struct target_class *class = &resolution->classes[resolution->first_process + i];

        class->kind = SCOPE_PROCESS;
        class->spec = make_plan_spec(resolution, "pmu_process_", "the group of processes");
        class->spec.members = class->spec.doubt = true;
        class->spec.latency = resolution->config->processes[i].latency;
        class->by = resolution->config->processes[i].by;
        class->spec.by_key = shown_by_key(resolution->config, class->spec.latency, false);
        r = make_class(resolution, resolution->first_process + i,
                       &resolution->config->processes[i].groups);
        class->part = r < 0 ? NULL : sample_new(class->groups);
        if (r >= 0 && !class->part)
            r = -ENOMEM;
    }
    return r;
}

/* Each PMU that counts no core is a class: only its own events can be in one group of the kernel.
 */
static int make_uncore_classes(struct resolution *resolution, const char *const *pmus)
{
    int r = 0;

    for (size_t i = resolution->first_uncore; i < resolution->n_classes && r >= 0; i++) {
        struct target_class *class = &resolution->classes[i];

        class->pmu = pmus[i - resolution->first_uncore];
        class->spec = make_plan_spec(resolution, "pmu_uncore_", "the PMU's part of the socket");
        class->spec.pmu = class->pmu;
        r = make_class(resolution, i, &resolution->config->system.groups);
    }
    return r;
}

static int make_classes(struct resolution *resolution)
{
    const struct config *config = resolution->config;
    AUTO_FREE const char **pmus = NULL;
    const size_t n_pmus = resolution_list_uncore(resolution, &pmus);
    int r;

    if (!pmus)
        return -ENOMEM;
    resolution->first_process = CLASS_CGROUP + config->n_cgroups;
    resolution->first_uncore = resolution->first_process + config->n_processes;
    resolution->n_classes = resolution->first_uncore + n_pmus;
    resolution->classes = calloc(resolution->n_classes, sizeof(*resolution->classes));
    resolution->ratios = calloc(config->n_ratios + 1, sizeof(*resolution->ratios));
    if (!resolution->classes || !resolution->ratios)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_ratios; i++)
        resolution->ratios[i] = (struct ratio_spec){.name = config->ratios[i].name.text,
                                                    .formula = config->ratios[i].formula.text};
    r = make_system_classes(resolution);
    if (r >= 0)
        r = make_cgroup_classes(resolution);
    if (r >= 0)
        r = make_process_classes(resolution);
    return r < 0 ? r : make_uncore_classes(resolution, pmus);
}

int resolution_new(const struct config *config, struct event_resolver *resolver,
                   struct resolution **ret_resolution)
{
    AUTO(resolution) struct resolution *resolution = calloc(1, sizeof(*resolution));
    int r;

    if (!resolution)
        return -ENOMEM;
    resolution->config = config;
    r = resolution_resolve_events(resolution, resolver);
    if (r >= 0)
        r = resolution_resolve_spans(resolution, resolver);
    if (r >= 0)
        r = make_classes(resolution);
    if (r < 0)
        return r;
    *ret_resolution = TAKE(resolution);
    return 0;
}

struct resolution *resolution_free(struct resolution *resolution)
{
    if (!resolution)
        return NULL;
    (void)catalogue_unref(resolution->catalogue);
    for (size_t i = 0; resolution->classes && i < resolution->n_classes; i++) {
        (void)plan_unref(resolution->classes[i].plan);
        (void)sample_free(resolution->classes[i].sample);
        (void)sample_free(resolution->classes[i].part);
        (void)event_groups_free(resolution->classes[i].groups);
        (void)event_groups_free(resolution->classes[i].without_counters);
    }
    resolution_free_events(resolution);
    resolution_free_spans(resolution);
    resolution_free_part_names(resolution);
    free(resolution->classes);
    free(resolution->ratios);
    free(resolution);
    return NULL;
}

size_t resolution_most_opened(const struct resolution *resolution, enum scope_kind kind)
{
    size_t most = 0;

    for (size_t i = 0; i < resolution->n_classes; i++) {
        const struct target_class *class = &resolution->classes[i];

        if (class->groups && class->kind == kind && !class->pmu && class->groups->n_opened > most)
            most = class->groups->n_opened;
    }
    return most;
}
