/* SPDX-License-Identifier: Apache-2.0 */
#include "metric/builtin_ratios.h"

#include "base/cleanup.h"

const struct builtin_ratio builtin_ratios[] = {
    {"instructions_per_cycle", "instructions / cycles", "Instructions executed in a cycle"},
    {"branch_miss_ratio", "branch-misses / branches",
     "Share of branches that were predicted wrongly"},
    {"cache_miss_ratio", "cache-misses / cache-references",
     "Share of accesses to the cache before memory that memory had to serve"},
    {"branch_misses_per_kilo_instruction", "1000 * branch-misses / instructions",
     "Wrongly predicted branches in 1000 instructions"},
    {"cache_misses_per_kilo_instruction", "1000 * cache-misses / instructions",
     "Misses of the cache before memory in 1000 instructions"},
    {"l1d_misses_per_kilo_instruction", "1000 * L1-dcache-load-misses / instructions",
     "Loads that missed the first level data cache in 1000 instructions"},
    {"llc_misses_per_kilo_instruction", "1000 * LLC-load-misses / instructions",
     "Loads that missed the last level cache in 1000 instructions"},
    {"dtlb_misses_per_kilo_instruction", "1000 * dTLB-load-misses / instructions",
     "Loads that missed the data TLB in 1000 instructions"},
    {"stalled_cycles_frontend_ratio", "stalled-cycles-frontend / cycles",
     "Share of cycles in which no instruction could be issued"},
    {"stalled_cycles_backend_ratio", "stalled-cycles-backend / cycles",
     "Share of cycles in which no instruction could be completed"},
};

const size_t n_builtin_ratios = ARRAY_SIZE(builtin_ratios);
