/* SPDX-License-Identifier: Apache-2.0 */

/*
 * CPU time is taken from the kernel's accounting, since the kernel's clocks as events are wall
 * time on a CPU. It is that of all CPUs, whichever of them the events of the machine are counted
 * on, so that a service, which is counted on all, can be seen as a share of it.
 */
#include "cycle/machine.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"
#include "cycle/collector_parts.h"
#include "sys/cpu_topology.h"

/* The text of a number that may be unknown (-1): then it is empty. */
static const char *topology_text(int value, char buffer[static 16])
{
    (void)snprintf(buffer, 16, "%d", value);
    return value < 0 ? "" : buffer;
}

static struct identity *cpu_identity(const struct collector *collector, struct cpu_number cpu)
{
    const struct pmu_list *pmus = collector->cpus.pmus;
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

/* Enters the machine or one CPU. Takes the identity, which is NULL where there was no memory. */
static int enter(struct collector *collector, size_t class_index, struct identity *identity,
                 const struct cpu_list *cpus, struct entry **ret_entry)
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

static int enter_cpus(struct collector *collector)
{
    struct counted_cpus *cpus = &collector->cpus;
    int r = counted_cpus_split(cpus);

    for (size_t i = 0; i < cpus->system->n && r >= 0; i++) {
        struct entry *entry;

        r = enter(collector, CLASS_CPU, cpu_identity(collector, cpus->system->cpus[i]),
                  cpus->single[i], &entry);
    }
    return r;
}

int collector_enter_machine(struct collector *collector)
{
    const struct config_system *system = &collector->setup.config->system;
    struct machine *machine = &collector->machine;
    int r;

    if (!system->enabled)
        return 0;
    r = enter(collector, CLASS_MACHINE, identity_new(NULL, 0, NULL, 0), collector->cpus.system,
              &machine->entry);
    if (r < 0 || system->by != CONFIG_BY_CPU)
        return r;
    machine->is_sum = true;
    return enter_cpus(collector);
}

bool machine_is_sum(const struct machine *machine, const struct entry *entry)
{
    return machine->is_sum && entry == machine->entry;
}

static struct sample *sum_of(const struct collector *collector)
{
    return collector->resolution->classes[CLASS_MACHINE].sample;
}

static bool is_part_of_sum(const struct machine *machine, const struct entry *entry)
{
    return machine->is_sum && entry->class_index == CLASS_CPU;
}

void collector_clear_machine(struct collector *collector)
{
    if (collector->machine.is_sum)
        sample_clear(sum_of(collector));
}

void collector_add_to_machine(struct collector *collector, const struct entry *entry,
                              const struct sample *sample)
{
    if (is_part_of_sum(&collector->machine, entry))
        sample_add(sum_of(collector), sample, false);
}

void collector_miss_in_machine(struct collector *collector, const struct entry *entry)
{
    struct sample *sum = sum_of(collector);

    if (is_part_of_sum(&collector->machine, entry))
        for (size_t i = 0; i < sum->n_groups; i++)
            sum->groups[i].unknown = true;
}

/* 0 or -errno. What each CPU had goes to the account at once. */
static int read_cpu_time(struct collector *collector, uint64_t now_ns, struct account *account,
                         struct cpu_time *ret_time)
{
    struct machine_domains *each = &collector->machine.each;
    const int procfs_fd = collector->setup.procfs_fd;

    return each->usages ? machine_domains_derive(each, procfs_fd, now_ns, account, ret_time)
                        : cpu_time_read(procfs_fd, ret_time);
}

static void derive_cpu_time(struct collector *collector, struct account *account)
{
    const size_t n_cpus = collector->cpus.online->n;
    const uint64_t now_ns = clock_monotonic_ns();
    struct cpu_usage_delta delta;
    struct cpu_time reading;

    if (read_cpu_time(collector, now_ns, account, &reading) < 0) {
        account_set_cpu_usage(account, NULL, n_cpus);
        return;
    }
    delta = cpu_usage_advance(&collector->machine.cpu_usage, &reading, now_ns);
    account_set_cpu_usage(account, &delta, n_cpus);
}

bool collector_derive_machine(struct collector *collector)
{
    const struct machine *machine = &collector->machine;
    struct account *account = machine->entry ? machine->entry->account : NULL;

    if (!account)
        return !machine->is_sum;
    if (machine->is_sum && machine->entry->latencies)
        latency_meter_read(machine->entry->latencies, sum_of(collector));
    if (machine->is_sum)
        account_update(account, sum_of(collector));
    derive_cpu_time(collector, account);
    return true;
}
