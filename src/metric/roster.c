/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/roster.h"

#include <errno.h>

#include "base/reference.h"

/* The object that is counted by reference. Callers see its member `roster` only. */
struct shared_roster {
    struct roster roster;
    struct reference reference;
};

static struct shared_roster *shared_of(struct roster *roster)
{
    return (struct shared_roster *)roster;
}

static struct roster *roster_free(struct roster *roster)
{
    for (size_t i = 0; roster->parts && i < roster->catalogue->n_plans; i++) {
        for (size_t j = 0; roster->parts[i].identities && j < roster->parts[i].n; j++)
            (void)identity_unref(roster->parts[i].identities[j]);
        free(roster->parts[i].identities);
    }
    free(roster->parts);
    free(roster->rows);
    free(roster->places);
    (void)catalogue_unref(roster->catalogue);
    free(shared_of(roster));
    return NULL;
}

struct roster *roster_ref(struct roster *roster)
{
    reference_take(&shared_of(roster)->reference);
    return roster;
}

struct roster *roster_unref(struct roster *roster)
{
    if (roster && reference_drop(&shared_of(roster)->reference))
        return roster_free(roster);
    return NULL;
}

static size_t plan_index(const struct catalogue *catalogue, const struct plan *plan)
{
    size_t i = 0;

    while (catalogue->plans[i] != plan)
        i++;
    return i;
}

/*
 * Counts the targets of each plan and gives the rows of a plan their place: one behind the other,
 * the plans in the order of the catalogue. part->n is 0 again afterwards, for add_targets().
 */
static int lay_out(struct roster *roster, struct account *const *accounts, size_t n_accounts)
{
    const struct catalogue *catalogue = roster->catalogue;

    for (size_t i = 0; i < n_accounts; i++)
        roster->parts[plan_index(catalogue, accounts[i]->plan)].n++;
    for (size_t i = 0; i < catalogue->n_plans; i++) {
        struct roster_part *part = &roster->parts[i];

        part->first = roster->n_numbers;
        part->identities = calloc(part->n + 1, sizeof(struct identity *));
        if (!part->identities)
            return -ENOMEM;
        roster->n_numbers += part->n * catalogue->plans[i]->n_numbers;
        part->n = 0;
    }
    return 0;
}

/* Gives each account the next row of its plan. */
static void add_targets(struct roster *roster, struct account *const *accounts, size_t n_accounts)
{
    for (size_t i = 0; i < n_accounts; i++) {
        size_t plan = plan_index(roster->catalogue, accounts[i]->plan);
        struct roster_part *part = &roster->parts[plan];

        roster->rows[i] = part->first + part->n * roster->catalogue->plans[plan]->n_numbers;
        roster->places[i] = (struct roster_place){plan, part->n};
        part->identities[part->n++] = identity_ref(accounts[i]->identity);
    }
}

int roster_new(struct catalogue *catalogue, struct account *const *accounts, size_t n_accounts,
               struct roster **ret_roster)
{
    struct shared_roster *shared = calloc(1, sizeof(*shared));
    AUTO(roster) struct roster *roster = NULL;
    int r;

    if (!shared)
        return -ENOMEM;
    reference_init(&shared->reference);
    roster = &shared->roster;
    roster->catalogue = catalogue_ref(catalogue);
    roster->parts = calloc(catalogue->n_plans + 1, sizeof(*roster->parts));
    roster->rows = calloc(n_accounts + 1, sizeof(*roster->rows));
    roster->places = calloc(n_accounts + 1, sizeof(*roster->places));
    if (!roster->parts || !roster->rows || !roster->places)
        return -ENOMEM;
    r = lay_out(roster, accounts, n_accounts);
    if (r < 0)
        return r;
    add_targets(roster, accounts, n_accounts);
    *ret_roster = TAKE(roster);
    return 0;
}
