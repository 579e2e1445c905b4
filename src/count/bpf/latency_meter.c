/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/latency_meter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "count/bpf/cells.h"
#include "count/bpf/open.h"
#include "count/sample.h"

struct latency_meter {
    struct bpf *bpf;
    size_t slot;
    bool is_read;          /* there was a reading */
    struct latencies base; /* what the target had at the last reading */
};

static bool find_totals(const struct latency_meter *meter, struct latencies *ret_totals)
{
    struct bpf_slots *slots = meter->bpf->slots;

    return meter->slot == BPF_SLOT_OF_SYSTEM ? bpf_slots_machine_latencies(slots, ret_totals)
                                             : bpf_slots_latencies(slots, meter->slot, ret_totals);
}

int latency_meter_new(struct mechanism *bpf, const struct scope *scope,
                      struct latency_meter **ret_meter)
{
    AUTO(latency_meter) struct latency_meter *meter = malloc(sizeof(*meter));
    size_t slot;
    int r;

    if (!meter)
        return -ENOMEM;
    *meter = (struct latency_meter){.bpf = (struct bpf *)bpf, .slot = BPF_SLOT_OF_SYSTEM};
    r = bpf_enter_slot(meter->bpf, scope, &slot);
    if (r < 0)
        return r; /* nobody has entered: the meter must not leave */
    meter->slot = slot;
    if (!find_totals(meter, &meter->base))
        return -ENOSPC;
    *ret_meter = TAKE(meter);
    return 0;
}

struct latency_meter *latency_meter_free(struct latency_meter *meter)
{
    if (meter && meter->slot != BPF_SLOT_OF_SYSTEM)
        bpf_leave_slot(meter->bpf, meter->slot);
    free(meter);
    return NULL;
}

void latency_meter_begin(struct latency_meter *meter)
{
    (void)find_totals(meter, &meter->base);
}

const struct mechanism *latency_meter_mechanism(const struct latency_meter *meter)
{
    return &meter->bpf->mechanism;
}

int latency_meter_name_tasks(struct latency_meter *meter, const struct scope *scope)
{
    return watched_processes_set(meter->bpf->watched, meter->slot, scope);
}

void latency_meter_read(struct latency_meter *meter, struct sample *sample)
{
    struct latencies now, delta;

    if (!find_totals(meter, &now) ||
        (meter->is_read && memcmp(&now, &meter->base, sizeof(now)) == 0))
        return;
    meter->is_read = true;
    delta = latencies_between(&meter->base, &now);
    meter->base = now;
    latencies_add(&sample->latencies, &delta);
    sample->has_latencies = true;
}
