/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/rule_pool.h"

#include <errno.h>
#include <stdlib.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct known_rule {
    struct unwind_rule rule;
    uint16_t number;
    size_t held; /* so many times */
    UT_hash_handle hh;
};

struct rule_pool {
    struct profile_rule *array;
    struct known_rule *by_rule;
    struct known_rule **by_number; /* [number]; NULL: it is free */
    uint16_t *free_numbers;
    size_t n_free;
};

struct rule_pool *rule_pool_new(struct profile_rule *array, size_t n)
{
    AUTO(rule_pool) struct rule_pool *pool = calloc(1, sizeof(*pool));

    if (!pool)
        return NULL;
    n = n <= UINT16_MAX ? n : UINT16_MAX;
    pool->array = array;
    pool->by_number = calloc(n + 1, sizeof(struct known_rule *));
    pool->free_numbers = calloc(n + 1, sizeof(*pool->free_numbers));
    if (!pool->by_number || !pool->free_numbers)
        return NULL;
    while (pool->n_free < n) {
        pool->free_numbers[pool->n_free] = (uint16_t)(n - 1 - pool->n_free);
        pool->n_free++;
    }
    return TAKE(pool);
}

struct rule_pool *rule_pool_free(struct rule_pool *pool)
{
    struct known_rule *known, *next;

    if (!pool)
        return NULL;
    HASH_ITER(hh, pool->by_rule, known, next) {
        HASH_DEL(pool->by_rule, known);
        free(known);
    }
    free(pool->by_number);
    free(pool->free_numbers);
    free(pool);
    return NULL;
}

/* Gives a rule a number. */
static int enter(struct rule_pool *pool, const struct unwind_rule *rule,
                 struct known_rule **ret_known)
{
    struct known_rule *known;

    if (pool->n_free == 0)
        return -ENOSPC;
    known = calloc(1, sizeof(*known));
    if (!known)
        return -ENOMEM;
    known->rule = *rule;
    known->number = pool->free_numbers[pool->n_free - 1];
    HASH_ADD(hh, pool->by_rule, rule, sizeof(known->rule), known);
    if (!known->hh.tbl) {
        free(known);
        return -ENOMEM;
    }
    pool->n_free--;
    pool->by_number[known->number] = known;
    pool->array[known->number] = (struct profile_rule){.rule = *rule};
    *ret_known = known;
    return 0;
}

int rule_pool_hold(struct rule_pool *pool, const struct unwind_rule *rule, uint16_t *ret_number)
{
    struct known_rule *known;
    int r;

    HASH_FIND(hh, pool->by_rule, rule, sizeof(*rule), known);
    r = known ? 0 : enter(pool, rule, &known);
    if (r < 0)
        return r;
    known->held++;
    *ret_number = known->number;
    return 0;
}

void rule_pool_hold_again(struct rule_pool *pool, uint16_t number)
{
    pool->by_number[number]->held++;
}

void rule_pool_release(struct rule_pool *pool, uint16_t number)
{
    struct known_rule *known = pool->by_number[number];

    if (--known->held > 0)
        return;
    HASH_DEL(pool->by_rule, known);
    pool->by_number[number] = NULL;
    pool->free_numbers[pool->n_free++] = number;
    free(known);
}

size_t rule_pool_count(const struct rule_pool *pool)
{
    return HASH_COUNT(pool->by_rule);
}
