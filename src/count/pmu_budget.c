/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Within a class each event costs the same: one counter for each target of the class in a chain. So
 * a grant is a number, and the events that do not fit are the last ones. Of a chain we keep how
 * many targets of each rule it has; the order in which they nest makes no difference to the sum.
 */
#include "count/pmu_budget.h"

#include <errno.h>
#include <string.h>

#define MOST_CHAINS 64

int pmu_chains_new(size_t n_rules, struct pmu_chains **ret_chains)
{
    AUTO(pmu_chains) struct pmu_chains *chains = calloc(1, sizeof(*chains));

    if (!chains)
        return -ENOMEM;
    chains->n_rules = n_rules;
    chains->depths = calloc(n_rules + 1, MOST_CHAINS * sizeof(*chains->depths));
    if (!chains->depths)
        return -ENOMEM;
    *ret_chains = TAKE(chains);
    return 0;
}

struct pmu_chains *pmu_chains_free(struct pmu_chains *chains)
{
    if (chains)
        free(chains->depths);
    free(chains);
    return NULL;
}

static uint16_t *chain_at(const struct pmu_chains *chains, size_t chain)
{
    return chains->depths + chain * chains->n_rules;
}

/* Whether chain a is in each rule at least as deep as chain b, so that what fits a fits b. */
static bool contains(const uint16_t *a, const uint16_t *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] < b[i])
            return false;
    return true;
}

static void drop_contained(struct pmu_chains *chains, const uint16_t *depths)
{
    for (size_t i = chains->n; i-- > 0;)
        if (contains(depths, chain_at(chains, i), chains->n_rules)) {
            chains->n--;
            memmove(chain_at(chains, i), chain_at(chains, chains->n),
                    chains->n_rules * sizeof(*depths));
        }
}

void pmu_chains_add(struct pmu_chains *chains, const uint16_t *depths)
{
    uint16_t *last;

    for (size_t i = 0; i < chains->n; i++)
        if (contains(chain_at(chains, i), depths, chains->n_rules))
            return;
    drop_contained(chains, depths);
    if (chains->n < MOST_CHAINS) {
        memcpy(chain_at(chains, chains->n++), depths, chains->n_rules * sizeof(*depths));
        return;
    }
    last = chain_at(chains, MOST_CHAINS - 1);
    for (size_t i = 0; i < chains->n_rules; i++)
        last[i] = depths[i] > last[i] ? depths[i] : last[i];
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t grant_processes(size_t budget, struct pmu_claim *claims, size_t n_claims)
{
    size_t most = 0;

    for (size_t i = 0; i < n_claims; i++) {
        if (claims[i].kind != SCOPE_PROCESS)
            continue;
        claims[i].granted = least(claims[i].wanted, budget);
        most = claims[i].granted > most ? claims[i].granted : most;
    }
    return most;
}

/* How many counters a chain takes for its targets of the first n_rules rules. */
static size_t taken_by_chain(const struct pmu_claim *rules, size_t n_rules, const uint16_t *depths)
{
    size_t sum = 0;

    for (size_t i = 0; i < n_rules; i++)
        sum += depths[i] * rules[i].granted;
    return sum;
}

/* How many counters each target of a rule gets. The rules before it have got theirs. */
static size_t grant_rule(size_t budget, const struct pmu_claim *rules, size_t rule,
                         const struct pmu_chains *chains)
{
    size_t granted = least(rules[rule].wanted, budget);

    for (size_t i = 0; i < chains->n; i++) {
        const uint16_t *depths = chain_at(chains, i);

        if (depths[rule] > 0)
            granted = least(granted, (budget - taken_by_chain(rules, rule, depths)) / depths[rule]);
    }
    return granted;
}

static size_t grant_cgroups(size_t budget, struct pmu_claim *rules, size_t n_rules,
                            const struct pmu_chains *chains)
{
    static const struct pmu_chains none = {0};
    size_t most = 0;

    if (!chains || chains->n_rules != n_rules)
        chains = &none;
    for (size_t rule = 0; rule < n_rules; rule++) {
        rules[rule].granted = grant_rule(budget, rules, rule, chains);
        most = rules[rule].granted > most ? rules[rule].granted : most;
    }
    for (size_t i = 0; i < chains->n; i++) {
        size_t sum = taken_by_chain(rules, n_rules, chain_at(chains, i));

        most = sum > most ? sum : most;
    }
    return most;
}

static size_t grant_system(size_t budget, struct pmu_claim *claims, size_t n_claims)
{
    size_t sum = 0;

    for (size_t i = 0; i < n_claims; i++) {
        if (claims[i].kind != SCOPE_SYSTEM)
            continue;
        claims[i].granted = least(claims[i].wanted, budget - sum);
        sum += claims[i].granted;
    }
    return sum;
}

/* Finds the claims of cgroups, which stand together: one for each rule. */
static struct pmu_claim *find_rules(struct pmu_claim *claims, size_t n_claims, size_t *ret_n)
{
    size_t first = 0, n = 0;

    while (first < n_claims && claims[first].kind != SCOPE_CGROUP)
        first++;
    while (first + n < n_claims && claims[first + n].kind == SCOPE_CGROUP)
        n++;
    *ret_n = n;
    return claims + first;
}

void pmu_budget_divide(size_t budget, struct pmu_claim *claims, size_t n_claims,
                       const struct pmu_chains *chains, struct pmu_division *ret_division)
{
    struct pmu_division division;
    size_t n_rules;
    struct pmu_claim *rules = find_rules(claims, n_claims, &n_rules);

    division.processes = grant_processes(budget, claims, n_claims);
    division.cgroups = grant_cgroups(budget - division.processes, rules, n_rules, chains);
    division.system =
        grant_system(budget - division.processes - division.cgroups, claims, n_claims);
    *ret_division = division;
}

/* Whether an event would be counted if there were counters enough. */
static bool can_be_counted(enum absence absence)
{
    return absence == ABSENCE_NONE || absence == ABSENCE_OVER_BUDGET;
}

static bool wants_counter(const struct event *event, enum absence absence)
{
    return event->takes_counter && can_be_counted(absence);
}

size_t event_groups_wanted_counters(const struct event_groups *groups, const enum absence *absences)
{
    size_t n = 0;

    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            n += wants_counter(group->members[i].event, absences[group->first + i]);
    }
    return n;
}

void event_groups_grant_counters(const struct event_groups *groups, size_t granted,
                                 enum absence *absences)
{
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++) {
            enum absence *absence = &absences[group->first + i];

            if (!wants_counter(group->members[i].event, *absence))
                continue;
            *absence = granted > 0 ? ABSENCE_NONE : ABSENCE_OVER_BUDGET;
            granted -= granted > 0;
        }
    }
}

/* A group of a sharer, with the absences of its members. */
struct shared_group {
    const struct event_group *group;
    enum absence *absences;
};

static struct shared_group shared_group(const struct pmu_sharer *sharer, size_t group)
{
    const struct event_group *found = &sharer->groups->groups[group];

    return (struct shared_group){found, sharer->absences + found->first};
}

/* The first member from index `from` on that can be counted; n_members: there is none. */
static size_t next_wanted(const struct shared_group *shared, size_t from)
{
    while (from < shared->group->n_members && !can_be_counted(shared->absences[from]))
        from++;
    return from;
}

/* Whether both groups would open the same events if they were granted the same counters. */
static bool wants_same(const struct shared_group *a, const struct shared_group *b)
{
    size_t i = next_wanted(a, 0), j = next_wanted(b, 0);

    while (i < a->group->n_members && j < b->group->n_members) {
        if (!event_code_equal(&a->group->members[i].event->code, &b->group->members[j].event->code))
            return false;
        i = next_wanted(a, i + 1);
        j = next_wanted(b, j + 1);
    }
    return i == a->group->n_members && j == b->group->n_members;
}

/* Gives a group what a group of the same events has got. */
static void give_same(const struct shared_group *to, const struct shared_group *from)
{
    size_t i = next_wanted(to, 0), j = next_wanted(from, 0);

    while (i < to->group->n_members) {
        to->absences[i] = from->absences[j];
        i = next_wanted(to, i + 1);
        j = next_wanted(from, j + 1);
    }
}

/*
 * Looks for a group of the same events among all that have been served before this one, and gives
 * it the same. False: there is none.
 */
static bool give_as_before(const struct pmu_sharer *sharers, size_t index, size_t group)
{
    const struct shared_group to = shared_group(&sharers[index], group);

    for (size_t i = 0; i <= index; i++)
        for (size_t g = 0; g < (i < index ? sharers[i].groups->n_groups : group); g++) {
            const struct shared_group from = shared_group(&sharers[i], g);

            if (wants_same(&to, &from)) {
                give_same(&to, &from);
                return true;
            }
        }
    return false;
}

/* Gives counters to the first events of a group. Returns how many it takes. */
static size_t give_first(const struct shared_group *to, size_t budget)
{
    size_t taken = 0;

    for (size_t i = 0; i < to->group->n_members; i++) {
        if (!wants_counter(to->group->members[i].event, to->absences[i]))
            continue;
        to->absences[i] = taken < budget ? ABSENCE_NONE : ABSENCE_OVER_BUDGET;
        taken += taken < budget;
    }
    return taken;
}

size_t pmu_budget_share(size_t budget, struct pmu_sharer *sharers, size_t n_sharers)
{
    size_t sum = 0;

    for (size_t i = 0; i < n_sharers; i++) {
        sharers[i].taken = 0;
        for (size_t g = 0; g < sharers[i].groups->n_groups; g++) {
            const struct shared_group to = shared_group(&sharers[i], g);

            if (!give_as_before(sharers, i, g))
                sharers[i].taken += give_first(&to, budget - sum - sharers[i].taken);
        }
        sum += sharers[i].taken;
    }
    return sum;
}

/* Makes groups of the same events, about which the kernel has not been asked. */
static int copy_groups(const struct event_groups *groups, struct event_groups **ret_groups)
{
    AUTO_FREE struct group_spec *specs = calloc(groups->n_groups + 1, sizeof(*specs));
    AUTO_FREE const struct event **events = calloc(groups->n_events + 1, sizeof(*events));

    if (!specs || !events)
        return -ENOMEM;
    for (size_t g = 0; g < groups->n_groups; g++) {
        const struct event_group *group = &groups->groups[g];

        for (size_t i = 0; i < group->n_members; i++)
            events[group->first + i] = group->members[i].event;
        specs[g] = (struct group_spec){group->name, events + group->first, group->n_members};
    }
    return event_groups_new(groups->kind, specs, groups->n_groups, ret_groups);
}

int event_groups_without_counters(const struct event_groups *groups,
                                  struct event_groups **ret_groups)
{
    AUTO_FREE enum absence *absences = calloc(groups->n_events + 1, sizeof(*absences));
    struct event_groups *copy;
    int r;

    if (!absences)
        return -ENOMEM;
    r = copy_groups(groups, &copy);
    if (r < 0)
        return r;
    event_groups_absences(groups, absences);
    event_groups_grant_counters(groups, 0, absences);
    event_groups_apply(copy, absences);
    *ret_groups = copy;
    return 0;
}
