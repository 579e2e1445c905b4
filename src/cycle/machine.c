/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The machine's CPU time: the kernel's accounting, since its clocks as events are wall time. It is
 * of all CPUs, whichever of them the events of the machine are counted on, so that a service,
 * which is counted on all, can be seen as a share of it.
 */
#include "base/clock.h"
#include "count/cpu_usage.h"
#include "cycle/collector_parts.h"

static struct account *machine_account(const struct ledger *ledger)
{
    for (size_t i = 0; i < ledger->n_entries; i++)
        if (ledger->entries[i]->class_index == CLASS_MACHINE)
            return ledger->entries[i]->account;
    return NULL;
}

void collector_read_cpu_time(struct collector *collector)
{
    struct account *account =
        collector->setup.config->system.enabled ? machine_account(&collector->ledger) : NULL;
    struct cpu_usage_delta delta;
    struct cpu_time reading;

    if (!account)
        return;
    if (cpu_time_read(collector->setup.procfs_fd, &reading) < 0) {
        account_set_cpu_usage(account, NULL, collector->online->n);
        return;
    }
    delta = cpu_usage_advance(&collector->cpu_usage, &reading, clock_monotonic_ns());
    account_set_cpu_usage(account, &delta, collector->online->n);
}
