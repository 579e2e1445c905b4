/* SPDX-License-Identifier: Apache-2.0 */

/* What of the status stands for all of a collector's life: its interval, and how it counts. */
#include "cycle/description.h"

#include "cycle/collector_parts.h"

static bool is_configured(const struct config *config, enum scope_kind kind)
{
    switch (kind) {
    case SCOPE_CGROUP:
        return config->n_cgroups > 0;
    case SCOPE_PROCESS:
        return config->n_processes > 0;
    default:
        return config->system.enabled;
    }
}

/* Processes are the one kind that direct may count while bpf counts the others. */
static struct mechanism_status describe_mechanism(const struct collector_setup *setup,
                                                  enum scope_kind kind)
{
    const bool is_left_out = setup->bpf && !mechanism_is_shared(setup->bpf, kind);

    if (!is_configured(setup->config, kind))
        return (struct mechanism_status){0};
    return (struct mechanism_status){
        .name = setup_mechanism(setup, kind)->name,
        .reason = is_left_out ? "numbers of processes are those of another PID namespace"
                              : setup->mechanism_reason,
    };
}

void collector_describe(struct collector *collector)
{
    struct exporter_status *status = &collector->status;

    status->interval_ns = collector->setup.config->interval_ns;
    status->cgroup_watching = 0;
    status->process_watching = 0;
    status->processes_put_off = status->processes_undecided = 0;
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        status->mechanisms[kind] = describe_mechanism(&collector->setup, kind);
}
