/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Only names are here, and no raw codes: the kernel lists an event in sysfs, and libpfm4 knows it
 * for this CPU, only if the PMU has it. A raw code that a PMU does not have would open, and count 0
 * for ever.
 */
#include "event/fallback.h"

#include <fnmatch.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/generic.h"

static const struct fallback {
    const char *pmu; /* a pattern of glob(7) */
    const char *name;
    const char *alternatives[FALLBACK_MOST + 1];
} fallbacks[] = {
    /* Arm: which of the common events a core has is its maker's choice. */
    {"arm*", "branches", {"/br_retired/", "/br_pred/"}},
    {"arm*", "branch-misses", {"/br_mis_pred_retired/", "/br_mis_pred/"}},
    {"arm*", "cache-references", {"/ll_cache_rd/", "/l1d_cache/", "/mem_access/"}},
    {"arm*", "cache-misses", {"/ll_cache_miss_rd/", "/l2d_cache_refill/", "/l1d_cache_refill/"}},
    {"arm*", "LLC-loads", {"/ll_cache_rd/", "/l3d_cache/", "/l2d_cache/"}},
    {"arm*", "LLC-load-misses", {"/ll_cache_miss_rd/", "/l3d_cache_refill/", "/l2d_cache_refill/"}},
    {"arm*", "L1-dcache-loads", {"/l1d_cache/"}},
    {"arm*", "L1-dcache-load-misses", {"/l1d_cache_refill/"}},
    {"arm*", "stalled-cycles-frontend", {"/stall_frontend/"}},
    {"arm*", "stalled-cycles-backend", {"/stall_backend/"}},
    {"arm*", "bus-cycles", {"/bus_cycles/"}},

    /* Intel: since Sandy Bridge the kernel has no code for stalls of its own. */
    {"cpu*", "stalled-cycles-backend", {"CYCLE_ACTIVITY:STALLS_TOTAL"}},
    {"cpu*",
     "stalled-cycles-frontend",
     {"IDQ_UOPS_NOT_DELIVERED:CYCLES_0_UOPS_DELIV_CORE", "IDQ_BUBBLES:CYCLES_0_UOPS_DELIV_CORE"}},

    /* AMD: what misses the second level asks the last one, whose own events are beside the cores.
     */
    {"cpu", "LLC-loads", {"/cache-misses/"}},
};

const char *const *fallback_names(const char *pmu, const char *name)
{
    const char *canonical = event_generic_canonical(name);

    for (size_t i = 0; i < ARRAY_SIZE(fallbacks); i++)
        if (strcmp(fallbacks[i].name, canonical) == 0 && fnmatch(fallbacks[i].pmu, pmu, 0) == 0)
            return fallbacks[i].alternatives;
    return NULL;
}
