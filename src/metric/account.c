/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/account.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "count/mechanism.h"
#include "metric/account_parts.h"
#include "sys/bpf/block/counts.h"

double account_rounded(double value)
{
    static const struct {
        double below, scale;
    } precision[] = {{1e-3, 1e12}, {1e3, 1e9}, {1e6, 1e6}, {1e9, 1e3}};
    double magnitude = fabs(value);

    for (size_t i = 0; i < ARRAY_SIZE(precision); i++)
        if (magnitude < precision[i].below)
            return rint(value * precision[i].scale) / precision[i].scale;
    return rint(value);
}

static void make_absent(const struct column *column, union number *number)
{
    if (column->form == NUMBER_REAL)
        number->real = NAN;
    else
        number->count = NUMBER_ABSENT_COUNT;
}

struct account *account_new(struct plan *plan, struct identity *identity,
                            uint64_t start_realtime_ns)
{
    struct account *account = malloc(sizeof(*account) + plan->n_numbers * sizeof(*account->row));

    if (!account)
        return NULL;
    account->plan = plan_ref(plan);
    account->identity = identity_ref(identity);
    account->by_key = (struct breakdowns){0};
    for (size_t i = 0; i < plan->n_described; i++) {
        make_absent(&plan->columns[i], &account->row[i]);
        if (plan->columns[i].kind == COLUMN_START_TIME && start_realtime_ns)
            account->row[i].count = start_realtime_ns;
    }
    for (size_t i = plan->n_described; i < plan->n_numbers; i++)
        account->row[i].count = NUMBER_ABSENT_COUNT;
    return account;
}

struct account *account_free(struct account *account)
{
    if (!account)
        return NULL;
    (void)plan_unref(account->plan);
    (void)identity_unref(account->identity);
    breakdowns_clear(&account->by_key);
    free(account);
    return NULL;
}

/* A total is absent before the first reading, and 0 or more from then on. */
static void add(union number *number, uint64_t delta)
{
    if (number->count == NUMBER_ABSENT_COUNT)
        number->count = 0;
    number->count += delta;
}

static void add_to_total(union number *number, const struct group_sample *group, uint64_t delta)
{
    if (group->counted)
        add(number, delta);
}

/* The same for one domain of CPUs of the sample. */
static void add_of_domain(union number *number, const struct sample *sample, enum cpu_count count,
                          size_t domain)
{
    const struct sample_domains *domains = sample->domains;

    if (domains && domain < domains->n && domains->of[domain].counted[count])
        add(number, domains->of[domain].counts[count]);
}

/*
 * The total of an idle target is 0. If its group turns out to be one that the kernel never runs,
 * that 0 was never counted, so it becomes absent. It stays absent while the group is tried again,
 * until the group has run once.
 */
static void forget_zero(union number *number, const struct group_sample *group)
{
    if (group->starved && number->count == 0)
        number->count = NUMBER_ABSENT_COUNT;
}

static double rate(const struct group_sample *group, double per_second)
{
    return group->counted && !group->unknown ? account_rounded(per_second) : NAN;
}

static double coverage(const struct group_sample *group)
{
    if (!group->ran || group->enabled == 0)
        return NAN;
    return account_rounded(fmin(1.0, (double)group->running / (double)group->enabled));
}

/* A share that is small enough for bpf to be trusted is not shown. */
static double doubt_share(const struct sample_doubt *doubt)
{
    double share = doubt->ran_ns ? (double)doubt->doubtful_ns / (double)doubt->ran_ns : 0;

    return share > MOST_DOUBT ? account_rounded(fmin(1.0, share)) : NAN;
}

static double ratio(const struct plan *plan, size_t index, const struct sample *sample)
{
    double value;

    return plan_ratio_value(plan, index, sample, &value) ? account_rounded(value) : NAN;
}

static void update_number(const struct plan *plan, const struct column *column,
                          const struct sample *sample, union number *number)
{
    const struct group_sample *group = &sample->groups[column->group];

    switch (column->kind) {
    case COLUMN_START_TIME:
    case COLUMN_CREATED_TIME:
    case COLUMN_MEMBERS:
    case COLUMN_CPUS:
    case COLUMN_CPU_TIME:
    case COLUMN_CPU_TIME_RATE:
    case COLUMN_LATENCY_TALLY:
    case COLUMN_BLOCK_IO:
    case COLUMN_PROFILE_SAMPLES:
    case COLUMN_PROFILE_RATIO:
    case COLUMN_PROFILE_BASE:
    case COLUMN_PROFILE_CLOCK:
        break;
    case COLUMN_TOTAL:
        add_to_total(number, group, sample->events[column->index].count);
        forget_zero(number, group);
        break;
    case COLUMN_TIME_BY_DOMAIN:
        add_of_domain(number, sample, CPU_COUNT_TIME, column->index);
        break;
    case COLUMN_SWITCHES_BY_DOMAIN:
        add_of_domain(number, sample, CPU_COUNT_SWITCHES, column->index);
        break;
    case COLUMN_RATE:
        number->real = rate(group, sample->events[column->index].per_second * column->scale);
        break;
    case COLUMN_CPUS_USED:
        number->real =
            rate(group, sample->events[column->index].per_second / (double)NS_PER_SECOND);
        break;
    case COLUMN_RATIO:
        number->real = ratio(plan, column->index, sample);
        break;
    case COLUMN_GROUP_ENABLED:
        add_to_total(number, group, group->enabled);
        break;
    case COLUMN_GROUP_RUNNING:
        add_to_total(number, group, group->running);
        break;
    case COLUMN_GROUP_COVERAGE:
        number->real = coverage(group);
        break;
    case COLUMN_GROUP_UNKNOWN:
        number->count = group->counted ? group->unknown : NUMBER_ABSENT_COUNT;
        break;
    case COLUMN_UNATTRIBUTED:
        number->real = doubt_share(&sample->doubt);
        break;
    }
}

void account_update(struct account *account, const struct sample *sample)
{
    const struct plan *plan = account->plan;

    if (sample->has_latencies)
        account_add_latencies(account, &sample->latencies);
    account_add_breakdowns(account, &sample->breakdowns);
    for (size_t i = 0; i < plan->n_described; i++)
        update_number(plan, &plan->columns[i], sample, &account->row[i]);
}

/* A histogram is shown whole, so its numbers begin together. */
static void add_to_histogram(union number *numbers, const struct latency_layout *layout,
                             const uint64_t *buckets, uint64_t sum_ns)
{
    uint64_t n = 0;

    for (size_t i = 0; i < layout->n; i++)
        n += buckets[i];
    if (n == 0 && numbers[0].count == NUMBER_ABSENT_COUNT)
        return;
    if (numbers[0].count == NUMBER_ABSENT_COUNT)
        for (size_t i = 0; i <= layout->n; i++)
            numbers[i].count = 0;
    for (size_t i = 0; i < layout->n; i++)
        numbers[i].count += buckets[i];
    numbers[layout->n].count += sum_ns;
}

void account_add_latencies(struct account *account, const struct latencies *delta)
{
    const struct plan *plan = account->plan;

    for (size_t i = 0; i < plan->n_columns; i++) {
        const struct column *column = &plan->columns[i];

        if (column->kind == COLUMN_LATENCY_TALLY)
            add(&account->row[i], delta->tallies[column->index]);
        else if (column->kind == COLUMN_BLOCK_IO) /* from now on it is known */
            add(&account->row[i], 0);
    }
    for (size_t i = 0; i < plan->n_histograms; i++) {
        const struct plan_histogram *histogram = &plan->histograms[i];
        const struct latency_layout *layout = &latency_layouts[histogram->distribution];

        if (histogram->distribution >= LATENCY_DISTRIBUTION_COUNT_)
            continue;
        add_to_histogram(&account->row[histogram->first], layout, &delta->buckets[layout->first],
                         delta->sums_ns[histogram->distribution]);
    }
}

/* The totals of all devices. Their order is that of enum block_io_tally. */
static void add_requests(struct account *account, const struct breakdown_line *line,
                         const uint64_t *numbers)
{
    static const char *const ops[] = {"read", "write"};
    size_t op = 0;

    while (op < ARRAY_SIZE(ops) && strcmp(line->labels[1], ops[op]) != 0)
        op++;
    for (size_t i = 0; i < account->plan->n_columns; i++) {
        const struct column *column = &account->plan->columns[i];

        if (column->kind == COLUMN_BLOCK_IO && column->index == BLOCK_IO_ERRORS)
            add(&account->row[i], numbers[BLOCK_ERRORS]);
        else if (column->kind == COLUMN_BLOCK_IO && column->index == op)
            add(&account->row[i], numbers[BLOCK_BYTES]);
    }
    for (size_t i = 0; i < account->plan->n_histograms; i++) {
        const struct plan_histogram *histogram = &account->plan->histograms[i];
        const bool is_queue = histogram->distribution == LATENCY_BLOCK_IO_QUEUE;
        const uint64_t *buckets = &numbers[breakdown_first_bucket(
            BREAKDOWN_BLOCK_IO, is_queue ? BLOCK_QUEUED : BLOCK_LATENCY)];

        if (is_queue || histogram->distribution == LATENCY_BLOCK_IO_READ + op)
            add_to_histogram(&account->row[histogram->first],
                             &latency_layouts[histogram->distribution], buckets,
                             buckets[KEYED_BUCKETS]);
    }
}

void account_add_breakdowns(struct account *account, const struct breakdowns *delta)
{
    const struct breakdown *requests = delta->of[BREAKDOWN_BLOCK_IO];
    struct breakdowns shown = *delta; /* borrowed: no reference is taken or dropped */

    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_; i++)
        if (!plan_breaks_down(account->plan, (enum breakdown_kind)i))
            shown.of[i] = NULL;
    (void)breakdowns_add(&account->by_key, &shown);
    for (size_t i = 0; requests && i < requests->n_lines; i++)
        add_requests(account, &requests->lines[i],
                     &requests->numbers[i * breakdown_numbers(BREAKDOWN_BLOCK_IO)]);
}

void account_set_created(struct account *account, uint64_t created_realtime_ns)
{
    for (size_t i = 0; i < account->plan->n_described; i++)
        if (account->plan->columns[i].kind == COLUMN_CREATED_TIME && created_realtime_ns)
            account->row[i].count = created_realtime_ns;
}

void account_set_members(struct account *account, uint64_t n_members, uint64_t start_realtime_ns)
{
    for (size_t i = 0; i < account->plan->n_described; i++) {
        enum column_kind kind = account->plan->columns[i].kind;

        if (kind == COLUMN_MEMBERS)
            account->row[i].count = n_members;
        if (kind == COLUMN_START_TIME)
            account->row[i].count = start_realtime_ns ? start_realtime_ns : NUMBER_ABSENT_COUNT;
    }
}

static uint64_t part_of(const struct cpu_usage_delta *delta, enum cpu_time_part part)
{
    switch (part) {
    case CPU_TIME_USER:
        return delta->user_ns;
    case CPU_TIME_SYSTEM:
        return delta->system_ns;
    default:
        return delta->user_ns + delta->system_ns;
    }
}

static void set_cpu_time(const struct column *column, const struct cpu_usage_delta *delta,
                         union number *number)
{
    if (column->kind == COLUMN_CPU_TIME_RATE) {
        number->real = delta->state == CPU_USAGE_KNOWN ? account_rounded(delta->cpus) : NAN;
        return;
    }
    add(number, part_of(delta, (enum cpu_time_part)column->index));
}

void account_set_cpu_usage(struct account *account, const struct cpu_usage_delta *delta,
                           uint64_t n_cpus)
{
    for (size_t i = 0; i < account->plan->n_described; i++) {
        const struct column *column = &account->plan->columns[i];
        union number *number = &account->row[i];

        if (column->kind == COLUMN_CPUS)
            number->count = n_cpus;
        else if (column->kind != COLUMN_CPU_TIME && column->kind != COLUMN_CPU_TIME_RATE)
            continue;
        else if (delta && delta->state != CPU_USAGE_TOO_SOON)
            set_cpu_time(column, delta, number);
        else if (!delta && column->kind == COLUMN_CPU_TIME_RATE)
            number->real = NAN;
    }
}

void account_add_cpu_time(struct account *account, size_t domain, uint64_t delta_ns)
{
    for (size_t i = 0; i < account->plan->n_described; i++)
        if (account->plan->columns[i].kind == COLUMN_TIME_BY_DOMAIN &&
            account->plan->columns[i].index == domain)
            add(&account->row[i], delta_ns);
}

void account_end(struct account *account)
{
    for (size_t i = 0; i < account->plan->n_described; i++)
        if (account->plan->columns[i].form == NUMBER_REAL ||
            account->plan->columns[i].kind == COLUMN_GROUP_UNKNOWN)
            make_absent(&account->plan->columns[i], &account->row[i]);
}

void account_rename(struct account *account, struct identity *identity)
{
    (void)identity_ref(identity);
    (void)identity_unref(account->identity);
    account->identity = identity;
}

/*
 * The help is compared too, because it has the event and its encoding: the same name for another
 * event would go on with a total of something else.
 */
static bool same_series(const struct column *a, const struct column *b)
{
    const bool is_by_domain =
        a->kind == COLUMN_TIME_BY_DOMAIN || a->kind == COLUMN_SWITCHES_BY_DOMAIN;

    if (a->kind != b->kind || (is_by_domain && a->index != b->index))
        return false; /* most of them, soon: there may be hundreds of CPUs */
    if (strcmp(a->name, b->name) != 0 || strcmp(a->help, b->help) != 0)
        return false;
    for (size_t i = 0; i < COLUMN_LABELS && a->labels[i].name; i++) {
        const char *value = column_label(b, a->labels[i].name);

        if (!value || strcmp(a->labels[i].value, value) != 0)
            return false;
    }
    return true;
}

static void adopt_histogram(struct account *account, const struct plan_histogram *histogram,
                            const struct account *from, const struct plan_histogram *from_histogram)
{
    const enum latency_distribution distribution = histogram->distribution;

    if (from_histogram->distribution == distribution)
        memcpy(&account->row[histogram->first], &from->row[from_histogram->first],
               (latency_layouts[distribution].n + 1) * sizeof(*account->row));
}

void account_adopt(struct account *account, const struct account *from)
{
    const struct plan *plan = account->plan, *from_plan = from->plan;

    for (size_t i = 0; i < plan->n_described; i++)
        for (size_t j = 0; j < from_plan->n_described; j++)
            if (plan->columns[i].form != NUMBER_REAL &&
                same_series(&plan->columns[i], &from_plan->columns[j]))
                account->row[i] = from->row[j];
    for (size_t i = 0; i < plan->n_histograms; i++)
        for (size_t j = 0; j < from_plan->n_histograms; j++)
            adopt_histogram(account, &plan->histograms[i], from, &from_plan->histograms[j]);
    for (size_t i = 0; i < BREAKDOWN_KIND_COUNT_; i++)
        if (from->by_key.of[i] && plan_breaks_down(plan, (enum breakdown_kind)i)) {
            (void)breakdown_unref(account->by_key.of[i]);
            account->by_key.of[i] = breakdown_ref(from->by_key.of[i]);
        }
}
