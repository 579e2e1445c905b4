/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The rules by which callers are found, each once, in the array that the program in the kernel
 * takes them from. A rule has its number as long as somebody holds it.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/bpf/profile/program.h"

struct rule_pool;

/* The array has room for n rules, and is borrowed for the life of the pool. NULL: no memory. */
struct rule_pool *rule_pool_new(struct profile_rule *array, size_t n);
struct rule_pool *rule_pool_free(struct rule_pool *pool);
DEFINE_AUTO(rule_pool, struct rule_pool *, rule_pool_free)

/* Holds a rule once more, and enters it if it is new. 0; -ENOSPC: there is no room; -ENOMEM. */
int rule_pool_hold(struct rule_pool *pool, const struct unwind_rule *rule, uint16_t *ret_number);

/* Holds one once more that somebody holds. */
void rule_pool_hold_again(struct rule_pool *pool, uint16_t number);

/* Holds it once less. Its number is given to another rule after the last time. */
void rule_pool_release(struct rule_pool *pool, uint16_t number);

/* How many rules there are. */
size_t rule_pool_count(const struct rule_pool *pool);
