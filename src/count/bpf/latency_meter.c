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

/* Has the meter begin with what the target has now. False: it has no latencies. */
static bool begin(struct latency_meter *meter)
{
    const struct latencies *now = bpf_slots_latencies_now(meter->bpf->slots, meter->slot);

    if (now)
        meter->base = *now;
    return now;
}

/* What was counted by key before the meter was made, or is not to be told. */
static void forget_observed(const struct latency_meter *meter)
{
    struct breakdowns taken = {0};

    if (meter->bpf->observers)
        taken = observers_take(meter->bpf->observers, meter->slot);
    breakdowns_clear(&taken);
}

static void read_observed(const struct latency_meter *meter, struct sample *sample)
{
    struct breakdowns taken = {0};

    if (meter->bpf->observers)
        taken = observers_take(meter->bpf->observers, meter->slot);
    (void)breakdowns_add(&sample->breakdowns, &taken);
    breakdowns_clear(&taken);
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
    if (!begin(meter))
        return -ENOSPC;
    forget_observed(meter);
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

void latency_meter_hand_over(struct latency_meter **from, struct latency_meter *to)
{
    if (!*from || !to)
        return;
    (void)begin(to);
    forget_observed(to);
    *from = latency_meter_free(*from);
}

struct latency_meter *latency_meter_adopt(struct latency_meter **meter, const struct mechanism *bpf)
{
    if (!*meter || &(*meter)->bpf->mechanism != bpf)
        return NULL;
    (*meter)->is_read = false;
    return TAKE(*meter);
}

int latency_meter_name_tasks(struct latency_meter *meter, const struct scope *scope)
{
    return bpf_watch(meter->bpf, meter->slot, scope);
}

void latency_meter_read(struct latency_meter *meter, struct sample *sample)
{
    const struct latencies *now = bpf_slots_latencies(meter->bpf->slots, meter->slot);
    struct latencies delta;

    read_observed(meter, sample);
    if (!now || (meter->is_read && memcmp(now, &meter->base, sizeof(*now)) == 0))
        return;
    meter->is_read = true;
    delta = latencies_between(&meter->base, now);
    meter->base = *now;
    latencies_add(&sample->latencies, &delta);
    sample->has_latencies = true;
}
