/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What was sampled of a target. A sample stands for a period of CPU time. How many there are in an
 * interval is a matter of chance, so both times are added up; and where they have grown large, they
 * are halved together, so that what they come to remains that of the last ten minutes or so.
 */
#include <errno.h>
#include <math.h>

#include "base/clock.h"
#include "metric/account.h"
#include "metric/account_parts.h"

#define FEWEST_SAMPLES  100 /* that the clock has time for: chance is a tenth then */
#define MOST_CLOCKED_NS (600 * NS_PER_SECOND)

/* The number of a row that has a column of this kind; NULL: there is none. */
static union number *find(struct account *account, enum column_kind kind,
                          const struct column **ret_column)
{
    const struct plan *plan = account->plan;

    for (size_t i = 0; i < plan->n_described; i++)
        if (plan->columns[i].kind == kind) {
            *ret_column = &plan->columns[i];
            return &account->row[i];
        }
    return NULL;
}

static void add(union number *number, uint64_t delta)
{
    number->count = delta + (number->count == NUMBER_ABSENT_COUNT ? 0 : number->count);
}

static double ratio(const union number *sampled, const union number *clock, unsigned rate_hz)
{
    const uint64_t fewest_ns = FEWEST_SAMPLES * NS_PER_SECOND / rate_hz;

    if (clock->count == NUMBER_ABSENT_COUNT || clock->count < fewest_ns)
        return NAN;
    return account_rounded((double)sampled->count / (double)clock->count);
}

static void compare(struct account *account, uint64_t n_samples, unsigned rate_hz,
                    const struct sample *sample)
{
    const struct column *column;
    union number *const shown = find(account, COLUMN_PROFILE_RATIO, &column);
    union number *const sampled = find(account, COLUMN_PROFILE_SAMPLED, &column);
    union number *const clock = find(account, COLUMN_PROFILE_CLOCK, &column);
    const struct group_sample *group;

    if (!shown || !sampled || !clock)
        return;
    shown->real = NAN;
    if (!sample)
        return;
    group = &sample->groups[column->group];
    if (group->counted && !group->unknown) {
        add(sampled, n_samples * NS_PER_SECOND / rate_hz);
        add(clock, sample->events[column->index].count);
    }
    if (clock->count != NUMBER_ABSENT_COUNT && clock->count > MOST_CLOCKED_NS) {
        sampled->count /= 2;
        clock->count /= 2;
    }
    shown->real = ratio(sampled, clock, rate_hz);
}

void account_add_profile(struct account *account, uint64_t n_samples, unsigned rate_hz,
                         const struct sample *compared)
{
    const struct column *column;
    union number *const samples = find(account, COLUMN_PROFILE_SAMPLES, &column);

    if (samples && (compared || n_samples > 0))
        add(samples, n_samples);
    compare(account, n_samples, rate_hz, compared);
}
