/* SPDX-License-Identifier: Apache-2.0 */

/* How a collector comes into being: what is counted where, within which limits. */
#include "cycle/stages.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/share.h"
#include "config/config_cgroups.h"
#include "log/log.h"
#include "sys/cgroup_root.h"
#include "sys/cpu_topology.h"
#include "sys/descriptors.h"
#include "sys/pmu.h"

/* Descriptors that all processes may take, their pidfds included: half of all at the most. */
static size_t process_descriptors(const struct collector *collector)
{
    const struct config *config = collector->setup.config;
    size_t half = collector->setup.descriptors / 2;
    size_t threads =
        collector_shares(collector, SCOPE_PROCESS) ? 0 : (size_t)config->limits.threads;
    size_t needed = threads * resolution_most_opened(collector->resolution, SCOPE_PROCESS) +
                    (size_t)config->limits.processes;

    if (config->n_processes == 0)
        return 0;
    return needed < half ? needed : half;
}

/* Descriptors of the counters that targets share, of the system's too where it has its own. */
static size_t standing_descriptors(const struct collector *collector)
{
    if (collector_shares(collector, SCOPE_SYSTEM))
        return resolution_shared_events(collector->resolution, &collector->pmu) *
               collector->online->n;
    return resolution_most_opened(collector->resolution, SCOPE_SYSTEM) * collector->system_cpus->n;
}

/*
 * As many cgroups as the configuration allows and the descriptors suffice for: so the
 * share of one top-level cgroup is one of descriptors too.
 */
static struct cgroup_limits cgroup_limits(const struct collector *collector)
{
    size_t wanted = (size_t)collector->setup.config->limits.cgroups;
    size_t descriptors = collector->setup.descriptors;
    size_t others = standing_descriptors(collector) + process_descriptors(collector);
    size_t counters =
        collector_shares(collector, SCOPE_CGROUP)
            ? 0
            : resolution_most_opened(collector->resolution, SCOPE_CGROUP) * collector->online->n;
    size_t directory = 1;
    size_t fit = descriptors > others ? (descriptors - others) / (counters + directory) : 0;
    size_t targets = wanted <= fit ? wanted : fit;

    return (struct cgroup_limits){
        .targets = targets,
        .per_subtree = share_of_one(targets),
        .reason = wanted <= fit ? ABSENCE_OVER_LIMIT : ABSENCE_NO_DESCRIPTORS,
    };
}

int collector_make_counters(struct collector *collector, struct entry *entry)
{
    const struct target_class *class = &collector->resolution->classes[entry->class_index];
    const struct scope scope = {
        .kind = class->kind,
        .cgroup_fd = entry->cgroup ? entry->cgroup->fd : -1,
        .cpus = entry->cpus,
    };

    return counter_set_new(collector_mechanism(collector, class->kind),
                           entry->over_budget ? class->without_counters : class->groups, &scope,
                           &entry->counters);
}

static int add_system_entry(struct collector *collector, size_t class_index,
                            struct identity *identity, const struct cpu_list *cpus,
                            struct entry **ret_entry)
{
    int r;

    if (!identity)
        return -ENOMEM;
    r = ledger_add(&collector->ledger, class_index, NULL, identity, 0, ret_entry);
    if (r < 0) {
        (void)identity_unref(identity);
        return r;
    }
    (*ret_entry)->cpus = cpus;
    return 0;
}

/* The text of a number that may be unknown (-1). */
static const char *topology_text(int value, char buffer[static 16])
{
    (void)snprintf(buffer, 16, "%d", value);
    return value < 0 ? "" : buffer;
}

static struct identity *cpu_identity(const struct collector *collector, const struct pmu_list *pmus,
                                     struct cpu_number cpu)
{
    struct cpu_topology topology = cpu_topology_read(collector->setup.sysfs_fd, cpu);
    const struct pmu *core_pmu = pmus ? pmu_list_core_of(pmus, cpu) : NULL;
    char number[16], core[16], socket[16], node[16];
    const struct label label = {"cpu", topology_text(cpu.value, number)};
    const struct label info[] = {{"core", topology_text(topology.core, core)},
                                 {"socket", topology_text(topology.socket, socket)},
                                 {"node", topology_text(topology.node, node)},
                                 {"pmu", core_pmu ? core_pmu->name : ""}};

    return identity_new(&label, 1, info, ARRAY_SIZE(info));
}

static int add_cpus(struct collector *collector)
{
    const struct cpu_list *cpus = collector->system_cpus;
    AUTO(pmu_list) struct pmu_list *pmus = NULL;

    (void)pmu_list_read(collector->setup.sysfs_fd, &pmus); /* without, the label is empty */
    collector->single_cpus = calloc(cpus->n + 1, sizeof(struct cpu_list *));
    if (!collector->single_cpus)
        return -ENOMEM;
    for (size_t i = 0; i < cpus->n; i++) {
        char text[16];
        struct entry *entry;
        int r =
            cpu_list_parse(topology_text(cpus->cpus[i].value, text), &collector->single_cpus[i]);

        if (r >= 0)
            r = add_system_entry(collector, CLASS_CPU, cpu_identity(collector, pmus, cpus->cpus[i]),
                                 collector->single_cpus[i], &entry);
        if (r < 0)
            return r;
    }
    return 0;
}

static int add_system(struct collector *collector)
{
    const struct config_system *system = &collector->setup.config->system;
    struct entry *machine;
    int r;

    if (!system->enabled)
        return 0;
    r = add_system_entry(collector, CLASS_MACHINE, identity_new(NULL, 0, NULL, 0),
                         collector->system_cpus, &machine);
    if (r < 0 || system->by == CONFIG_BY_ALL)
        return r;
    collector->machine = machine;
    return add_cpus(collector);
}

static int make_rules(struct collector *collector)
{
    const struct config *config = collector->setup.config;

    if (config->n_cgroups == 0 || collector->setup.cgroup_root_fd < 0)
        return 0;
    return config_cgroups_make(config, &collector->rules);
}

static int make_cgroups(struct collector *collector)
{
    const struct cgroup_limits limits = cgroup_limits(collector);

    if (!collector->rules)
        return 0;
    return cgroup_targets_new(collector->setup.cgroup_root_fd, collector->rules, &limits,
                              &collector->cgroups);
}

static int make_ledger(struct collector *collector)
{
    const struct config *config = collector->setup.config;
    const struct ledger_limits limits = {
        .targets = (size_t)config->limits.cgroups + (size_t)config->limits.processes + 1 +
                   collector->system_cpus->n,
        .footprint = {.series = (size_t)config->limits.series,
                      .bytes = (size_t)config->limits.body},
    };

    ledger_init(&collector->ledger, collector->resolution, collector->cgroups, collector->processes,
                &limits);
    return add_system(collector);
}

static int fill(struct collector *collector, const struct collector *predecessor)
{
    int r = collector_read_cpus(collector, predecessor);

    if (r >= 0)
        r = resolution_new(collector->setup.config, collector->setup.resolver,
                           &collector->resolution);
    if (r >= 0)
        r = make_rules(collector);
    if (r >= 0)
        r = collector_probe(collector, predecessor);
    if (r >= 0)
        r = make_cgroups(collector);
    if (r >= 0)
        r = collector_make_processes(collector);
    return r < 0 ? r : make_ledger(collector);
}

static bool is_wanted(const struct config *config, enum scope_kind kind)
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

/* Where others of the same configuration are counted by bpf, that is why. */
static struct mechanism_status mechanism_status(const struct collector *collector,
                                                enum scope_kind kind)
{
    const bool is_left_out = collector->setup.bpf && !collector_shares(collector, kind);

    if (!is_wanted(collector->setup.config, kind))
        return (struct mechanism_status){0};
    return (struct mechanism_status){
        .name = collector_mechanism(collector, kind)->name,
        .reason = is_left_out ? "numbers of processes are those of another PID namespace"
                              : collector->setup.mechanism_reason,
    };
}

static void init_status(struct collector *collector)
{
    collector->status.interval_ns = collector->setup.config->interval_ns;
    collector->status.cgroup_watching = 0;
    collector->status.process_watching = 0;
    collector->status.processes_put_off = collector->status.processes_undecided = 0;
    for (enum scope_kind kind = 0; kind < SCOPE_KIND_COUNT_; kind++)
        collector->status.mechanisms[kind] = mechanism_status(collector, kind);
}

/*
 * The directories of two collectors would be twice as many descriptors as there may
 * be; the old one needs its own only if it goes on after all.
 */
static void close_directories(struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->cgroup)
            cgroup_target_close_fd(ledger->entries[i]->cgroup);
}

/* One that has gone meanwhile stays closed: the next update tells. */
static void reopen_directories(struct ledger *ledger, int root_fd)
{
    for (size_t i = 0; i < ledger->n_entries; i++) {
        struct cgroup_target *target = ledger->entries[i]->cgroup;
        int fd = target && target->fd < 0
                     ? descriptor_lift(cgroup_open_below(root_fd, target->path + 1))
                     : -1;

        if (fd >= 0)
            target->fd = fd;
    }
}

/*
 * Both look once more, so that each birth and death since the last cycle is the old
 * one's. Counters of the exporter itself go on.
 */
static int take_over(struct collector *collector, struct collector *predecessor)
{
    int r;

    predecessor->now_ns = collector->now_ns = clock_monotonic_ns();
    r = collector_discover(predecessor);
    if (r < 0)
        return r;
    collector_status(predecessor, &collector->status);
    memcpy(collector->told, predecessor->told, sizeof(collector->told));
    memcpy(collector->told_waits, predecessor->told_waits, sizeof(collector->told_waits));
    collector->cost_is_told = predecessor->cost_is_told;
    collector->root_is_told = predecessor->root_is_told;
    collector->hidden_is_told = predecessor->hidden_is_told;
    init_status(collector);
    close_directories(&predecessor->ledger);
    r = collector_discover(collector);
    if (r >= 0)
        r = collector_succeed(collector, predecessor);
    if (r < 0)
        reopen_directories(&predecessor->ledger, predecessor->setup.cgroup_root_fd);
    return r;
}

int collector_new(const struct collector_setup *setup, struct collector *predecessor,
                  struct collector **ret_collector)
{
    AUTO(collector) struct collector *collector = calloc(1, sizeof(*collector));
    int r;

    if (!collector)
        return -ENOMEM;
    collector->setup = *setup;
    collector->self = getpid();
    collector->can_inherit_threads =
        setup->config->n_processes > 0 && event_can_inherit_threads(setup->perf);
    collector->may_open = true;
    collector->look = true;
    init_status(collector);
    collector_note_doubt(collector, NAN);
    collector_note_reload(collector, true);
    r = fill(collector, predecessor);
    if (r >= 0 && predecessor)
        r = take_over(collector, predecessor);
    if (r < 0)
        return r;
    *ret_collector = TAKE(collector);
    return 0;
}

struct collector *collector_free(struct collector *collector)
{
    if (!collector)
        return NULL;
    ledger_done(&collector->ledger);
    (void)roster_unref(collector->roster);
    (void)cgroup_targets_free(collector->cgroups);
    (void)cgroup_rules_free(collector->rules);
    (void)process_targets_free(collector->processes);
    (void)process_rules_free(collector->process_rules);
    (void)resolution_free(collector->resolution);
    collector_free_cpus(collector);
    free(collector->opening);
    free(collector);
    return NULL;
}
