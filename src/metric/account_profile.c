/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What was sampled of a target. A sample stands for a period of CPU time. How many there are in an
 * interval is a matter of chance, so the totals are compared, from where sampling began; where much
 * lies between, the half of it is left behind, so that what is shown remains that of the last ten
 * minutes or so. Of totals nothing is lost where a successor takes over, in whatever order it takes
 * over what.
 */
#include <math.h>
#include <stdbool.h>

#include "base/clock.h"
#include "metric/account.h"
#include "metric/account_parts.h"
#include "sys/bpf/profile/period.h"

#define FEWEST_SAMPLES  100 /* that the clock has time for: chance is a tenth then */
#define MOST_CLOCKED_NS (600 * NS_PER_SECOND)

/* What is compared: the totals, and where they stood when it began. */
struct compared {
    union number *samples, *clock, *base_samples, *base_clock, *ratio;
};

static void find(struct account *account, struct compared *ret_compared)
{
    const struct plan *plan = account->plan;
    const struct column *clock = NULL;

    *ret_compared = (struct compared){0};
    for (size_t i = 0; i < plan->n_described; i++) {
        union number *const number = &account->row[i];

        switch (plan->columns[i].kind) {
        case COLUMN_PROFILE_SAMPLES:
            ret_compared->samples = number;
            break;
        case COLUMN_PROFILE_RATIO:
            ret_compared->ratio = number;
            break;
        case COLUMN_PROFILE_BASE:
            ret_compared->base_samples = number;
            break;
        case COLUMN_PROFILE_CLOCK:
            ret_compared->base_clock = number;
            clock = &plan->columns[i];
            break;
        default:
            break;
        }
    }
    for (size_t i = 0; i < plan->n_described && clock; i++)
        if (plan->columns[i].kind == COLUMN_TOTAL && plan->columns[i].group == clock->group &&
            plan->columns[i].index == clock->index)
            ret_compared->clock = &account->row[i];
}

static bool is_known(const union number *number)
{
    return number->count != NUMBER_ABSENT_COUNT;
}

static void begin(const struct compared *compared)
{
    *compared->base_samples = *compared->samples;
    *compared->base_clock = *compared->clock;
    compared->ratio->real = NAN;
}

static void compare(const struct compared *compared, unsigned rate_hz)
{
    const uint64_t samples = compared->samples->count - compared->base_samples->count;
    const uint64_t clock_ns = compared->clock->count - compared->base_clock->count;
    const uint64_t period_ns = profile_period_ns(rate_hz), sampled_ns = samples * period_ns;

    compared->ratio->real = clock_ns < FEWEST_SAMPLES * period_ns
                                ? NAN
                                : account_rounded((double)sampled_ns / (double)clock_ns);
    if (clock_ns > MOST_CLOCKED_NS) {
        compared->base_samples->count += samples / 2;
        compared->base_clock->count += clock_ns / 2;
    }
}

void account_add_profile(struct account *account, uint64_t n_samples, unsigned rate_hz,
                         bool goes_on)
{
    struct compared compared;

    find(account, &compared);
    if (!compared.samples)
        return;
    if (goes_on || n_samples > 0)
        compared.samples->count =
            n_samples + (is_known(compared.samples) ? compared.samples->count : 0);
    if (!compared.ratio || !compared.base_samples || !compared.clock)
        return;
    if (goes_on && is_known(compared.base_samples) && is_known(compared.base_clock) &&
        is_known(compared.clock))
        compare(&compared, rate_hz);
    else
        begin(&compared);
}
