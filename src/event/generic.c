/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Hardware and software events are in a table. Hardware cache events are combinations out of three:
 * a cache, an operation, and a result. Not every cache has every operation; the combinations here
 * are those that perf itself lists.
 */
#include "event/generic.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "event/source.h"

static const struct named_event {
    const char *name; /* the canonical spelling */
    const char *alias;
    uint32_t type;
    uint64_t config;
    const char *description;
} named_events[] = {
    {"cycles", "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES,
     "Cycles of the CPU's clock, which follows its frequency"},
    {"instructions", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "Instructions executed"},
    {"cache-references", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES,
     "Accesses to the cache before memory, usually the last level"},
    {"cache-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES,
     "Accesses that this cache could not serve and memory had to"},
    {"branches", "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
     "Branch instructions executed"},
    {"branch-misses", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES,
     "Branches that were predicted wrongly"},
    {"bus-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "Cycles of the bus clock"},
    {"stalled-cycles-frontend", "idle-cycles-frontend", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "Cycles in which no instruction could be issued"},
    {"stalled-cycles-backend", "idle-cycles-backend", PERF_TYPE_HARDWARE,
     PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "Cycles in which no instruction could be completed"},
    {"ref-cycles", NULL, PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES,
     "Cycles of a clock that does not follow the CPU's frequency"},

    {"cpu-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
     "Time on a CPU, by the clock of the CPU"},
    {"task-clock", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK,
     "Time on a CPU, by the clock of the task"},
    {"page-faults", "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "Page faults"},
    {"context-switches", "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES,
     "Switches from one task to another"},
    {"cpu-migrations", "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS,
     "Moves of a task to another CPU"},
    {"minor-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN,
     "Page faults that needed no input from a disk"},
    {"major-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ,
     "Page faults that waited for a disk"},
    {"alignment-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS,
     "Unaligned accesses that the kernel had to carry out"},
    {"emulation-faults", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS,
     "Instructions that the kernel had to emulate"},
    {"dummy", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "Counts nothing"},
    {"bpf-output", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT,
     "Records that BPF programs put out through the event"},
    {"cgroup-switches", NULL, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES,
     "Switches to a task of another cgroup"},
};

/* libpfm4 takes its names in upper and lower case, with or without the name of its PMU. */
#define PFM_PREFIX "perf::"

static const struct clock_event {
    uint64_t config; /* of PERF_TYPE_SOFTWARE */
    const char *name, *pfm_name;
} clock_events[] = {
    {PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", "PERF_COUNT_SW_CPU_CLOCK"},
    {PERF_COUNT_SW_TASK_CLOCK, "task-clock", "PERF_COUNT_SW_TASK_CLOCK"},
};

enum cache_operation { READS = 1, WRITES = 2, PREFETCHES = 4 };

static const struct cache {
    const char *name;
    uint64_t config;
    unsigned operations; /* bits of enum cache_operation: those that perf has for the cache */
    const char *description;
} caches[] = {
    {"L1-dcache", PERF_COUNT_HW_CACHE_L1D, READS | WRITES | PREFETCHES, "First level data cache"},
    {"L1-icache", PERF_COUNT_HW_CACHE_L1I, READS | PREFETCHES, "First level instruction cache"},
    {"LLC", PERF_COUNT_HW_CACHE_LL, READS | WRITES | PREFETCHES, "Last level cache"},
    {"dTLB", PERF_COUNT_HW_CACHE_DTLB, READS | WRITES | PREFETCHES, "Data address translation"},
    {"iTLB", PERF_COUNT_HW_CACHE_ITLB, READS, "Instruction address translation"},
    {"branch", PERF_COUNT_HW_CACHE_BPU, READS, "Branch prediction"},
    {"node", PERF_COUNT_HW_CACHE_NODE, READS | WRITES | PREFETCHES, "Memory of the NUMA node"},
};

static const struct {
    enum cache_operation operation;
    uint64_t config;
    const char *accesses, *misses; /* the ends of names and of descriptions */
} cache_results[] = {
    {READS, PERF_COUNT_HW_CACHE_OP_READ, "loads", "load-misses"},
    {WRITES, PERF_COUNT_HW_CACHE_OP_WRITE, "stores", "store-misses"},
    {PREFETCHES, PERF_COUNT_HW_CACHE_OP_PREFETCH, "prefetches", "prefetch-misses"},
};

#define N_CACHE_EVENTS (2 * ARRAY_SIZE(cache_results) * ARRAY_SIZE(caches))

struct cache_event {
    char name[32];
    char description[64];
    uint64_t config;
};

/* Makes the combination of this number below N_CACHE_EVENTS. False: perf does not have it. */
static bool make_cache_event(size_t number, struct cache_event *ret_event)
{
    bool misses = number % 2;
    size_t operation = number / 2 % ARRAY_SIZE(cache_results);
    const struct cache *cache = &caches[number / 2 / ARRAY_SIZE(cache_results)];
    const char *result =
        misses ? cache_results[operation].misses : cache_results[operation].accesses;
    char *dash;

    if (!(cache->operations & cache_results[operation].operation))
        return false;
    (void)snprintf(ret_event->name, sizeof(ret_event->name), "%s-%s", cache->name, result);
    (void)snprintf(ret_event->description, sizeof(ret_event->description), "%s %s",
                   cache->description, result);
    dash = strchr(ret_event->description, '-');
    if (dash)
        *dash = ' ';
    ret_event->config =
        cache->config | cache_results[operation].config << 8 |
        (uint64_t)(misses ? PERF_COUNT_HW_CACHE_RESULT_MISS : PERF_COUNT_HW_CACHE_RESULT_ACCESS)
            << 16;
    return true;
}

static enum event_kind kind_of(uint32_t type)
{
    if (type == PERF_TYPE_HW_CACHE)
        return EVENT_CACHE;
    return type == PERF_TYPE_SOFTWARE ? EVENT_SOFTWARE : EVENT_HARDWARE;
}

static int describe(struct event *event, uint32_t type, uint64_t config, const char *description)
{
    int r = source_describe(event, description);

    event->kind = kind_of(type);
    event->code.type = type;
    event->code.config = config;
    if (r >= 0 && event_generic_is_clock(&event->code))
        r = source_set_unit(event, "seconds", EVENT_SCALE_NANOSECONDS);
    return r < 0 ? r : SOURCE_KNOWS;
}

static const struct named_event *find_named(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(named_events); i++) {
        const struct named_event *known = &named_events[i];

        if (strcmp(known->name, name) == 0 || (known->alias && strcmp(known->alias, name) == 0))
            return known;
    }
    return NULL;
}

static int resolve_generic(const struct source_context *context, const char *name,
                           struct event *event)
{
    const struct named_event *named = find_named(name);
    struct cache_event cached;

    (void)context;
    if (named)
        return describe(event, named->type, named->config, named->description);
    for (size_t i = 0; i < N_CACHE_EVENTS; i++)
        if (make_cache_event(i, &cached) && strcmp(cached.name, name) == 0)
            return describe(event, PERF_TYPE_HW_CACHE, cached.config, cached.description);
    return SOURCE_UNKNOWN;
}

/* The PMU of hardware and cache events is a core PMU, whose name differs from CPU to CPU. */
static int list_generic(const struct source_context *context, const struct event_visitor *visitor)
{
    int r = 0;

    (void)context;
    for (size_t i = 0; i < ARRAY_SIZE(named_events) && r == 0; i++) {
        const struct named_event *named = &named_events[i];

        r = source_show(visitor, &(struct event_listing){
                                     .kind = kind_of(named->type),
                                     .name = named->name,
                                     .alias = named->alias,
                                     .description = named->description,
                                     .pmu = named->type == PERF_TYPE_SOFTWARE ? "software" : "",
                                 });
    }
    for (size_t i = 0; i < N_CACHE_EVENTS && r == 0; i++) {
        struct cache_event cached;

        if (make_cache_event(i, &cached))
            r = source_show(visitor, &(struct event_listing){.kind = EVENT_CACHE,
                                                             .name = cached.name,
                                                             .description = cached.description,
                                                             .pmu = ""});
    }
    return r;
}

const struct event_source event_source_generic = {
    .resolve = resolve_generic, .list = list_generic, .has_plain_names = true};

const char *event_generic_canonical(const char *name)
{
    const struct named_event *named = find_named(name);

    return named ? named->name : name;
}

bool event_generic_is_clock(const struct event_code *code)
{
    for (size_t i = 0; i < ARRAY_SIZE(clock_events); i++)
        if (code->type == PERF_TYPE_SOFTWARE && code->config == clock_events[i].config)
            return true;
    return false;
}

bool event_generic_names_clock(const char *name)
{
    if (strncasecmp(name, PFM_PREFIX, strlen(PFM_PREFIX)) == 0)
        name += strlen(PFM_PREFIX);
    for (size_t i = 0; i < ARRAY_SIZE(clock_events); i++)
        if (strcasecmp(name, clock_events[i].name) == 0 ||
            strcasecmp(name, clock_events[i].pfm_name) == 0)
            return true;
    return false;
}
