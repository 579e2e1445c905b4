/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The distributions of latency of a target, and the tallies beside them. A row has all buckets of a
 * distribution, because the past is kept of them; /metrics shows every second limit, so that a
 * target takes half as many series and each limit is four times the one before.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "metric/plan_build.h"

static const char off_cpu[] = "Time from when a thread left its CPU of its own accord until it "
                              "could run again";
static const char off_cpu_more[] =
    "It is counted when it has ended. State interruptible also has idle threads of the kernel and "
    "threads that were stopped.";

static const char block_io[] = "Time from when a request was given to a block device until it was "
                               "done";
static const char block_io_more[] =
    "A request belongs to the cgroup that its pages were charged to where the kernel tells, else "
    "to the thread that gave it to the device. What belongs to no target is the machine's alone.";

static const struct {
    unsigned kind;
    enum latency_distribution distribution;
    const char *name;
    const char *label[2]; /* its name and its value */
    const char *help, *more;
} families[] = {
    {LATENCY_KIND_RUN_QUEUE,
     LATENCY_RUN_QUEUE,
     "run_queue_latency_seconds",
     {NULL},
     "Time from when a thread was put in the queue of a CPU, because it was woken or preempted, "
     "until it ran",
     "It is counted when it has ended. The interrupt that wakes an idle CPU lies before it, so it "
     "is lower than what perf sched latency tells."},
    {LATENCY_KIND_ON_CPU,
     LATENCY_ON_CPU,
     "on_cpu_seconds",
     {NULL},
     "Time from when a thread got a CPU until it left it",
     "It is counted when it has ended. It is wall time, with interrupts and with what a hypervisor "
     "took (steal)."},
    {LATENCY_KIND_OFF_CPU,
     LATENCY_OFF_CPU_INTERRUPTIBLE,
     "off_cpu_seconds",
     {"state", "interruptible"},
     off_cpu,
     off_cpu_more},
    {LATENCY_KIND_OFF_CPU,
     LATENCY_OFF_CPU_UNINTERRUPTIBLE,
     "off_cpu_seconds",
     {"state", "uninterruptible"},
     off_cpu,
     off_cpu_more},
    {LATENCY_KIND_BLOCK_IO,
     LATENCY_BLOCK_IO_READ,
     "block_io_latency_seconds",
     {"op", "read"},
     block_io,
     block_io_more},
    {LATENCY_KIND_BLOCK_IO,
     LATENCY_BLOCK_IO_WRITE,
     "block_io_latency_seconds",
     {"op", "write"},
     block_io,
     block_io_more},
    {LATENCY_KIND_BLOCK_IO,
     LATENCY_BLOCK_IO_OTHER,
     "block_io_latency_seconds",
     {"op", "other"},
     block_io,
     block_io_more},
    {LATENCY_KIND_BLOCK_IO,
     LATENCY_BLOCK_IO_QUEUE,
     "block_io_queue_seconds",
     {NULL},
     "Time from when a request was made until it was given to the device",
     block_io_more},
};

/* Whether a breakdown shows the same, and more. */
static bool is_broken_down(const struct plan_spec *spec, enum latency_kind kind)
{
    return kind == LATENCY_KIND_BLOCK_IO && spec->by_key & 1U << BREAKDOWN_BLOCK_IO;
}

static const char switches[] = "Number of times that a thread left a CPU";
static const char switches_more[] =
    "It was voluntary if the thread had to wait for something or ended, and involuntary if the "
    "thread was preempted.";
static const char migrations[] = "Number of times that a thread was moved to another CPU";
static const char migrations_more[] =
    "The distance is that to another thread of the same core (smt), to another core with the same "
    "last-level cache (core), to another such cache of the same NUMA node (llc), or to another "
    "node.";

static const char block_bytes[] = "Number of bytes that requests to block devices have moved";
static const char block_errors[] = "Number of requests to block devices that failed";

static const struct {
    unsigned kind;
    enum column_kind column;
    size_t index;
    const char *name, *label, *value, *help, *more;
} tallies[] = {
    {LATENCY_KIND_SWITCHES, COLUMN_LATENCY_TALLY, LATENCY_SWITCHES_VOLUNTARY, "switches_total",
     "kind", "voluntary", switches, switches_more},
    {LATENCY_KIND_SWITCHES, COLUMN_LATENCY_TALLY, LATENCY_SWITCHES_INVOLUNTARY, "switches_total",
     "kind", "involuntary", switches, switches_more},
    {LATENCY_KIND_MIGRATIONS, COLUMN_LATENCY_TALLY, LATENCY_MIGRATIONS_SMT, "migrations_total",
     "distance", "smt", migrations, migrations_more},
    {LATENCY_KIND_MIGRATIONS, COLUMN_LATENCY_TALLY, LATENCY_MIGRATIONS_CORE, "migrations_total",
     "distance", "core", migrations, migrations_more},
    {LATENCY_KIND_MIGRATIONS, COLUMN_LATENCY_TALLY, LATENCY_MIGRATIONS_LLC, "migrations_total",
     "distance", "llc", migrations, migrations_more},
    {LATENCY_KIND_MIGRATIONS, COLUMN_LATENCY_TALLY, LATENCY_MIGRATIONS_NODE, "migrations_total",
     "distance", "node", migrations, migrations_more},
    {LATENCY_KIND_BLOCK_IO, COLUMN_BLOCK_IO, BLOCK_IO_BYTES_READ, "block_io_bytes_total", "op",
     "read", block_bytes, block_io_more},
    {LATENCY_KIND_BLOCK_IO, COLUMN_BLOCK_IO, BLOCK_IO_BYTES_WRITE, "block_io_bytes_total", "op",
     "write", block_bytes, block_io_more},
    {LATENCY_KIND_BLOCK_IO, COLUMN_BLOCK_IO, BLOCK_IO_BYTES_OTHER, "block_io_bytes_total", "op",
     "other", block_bytes, block_io_more},
    {LATENCY_KIND_BLOCK_IO, COLUMN_BLOCK_IO, BLOCK_IO_ERRORS, "block_io_errors_total", NULL, NULL,
     block_errors, block_io_more},
};

int plan_add_tallies(struct plan *plan, const struct plan_spec *spec)
{
    int r = 0;

    for (size_t i = 0; i < ARRAY_SIZE(tallies) && r == 0; i++) {
        AUTO_TEXT struct text name = {0}, help = {0};

        if (!(spec->latency & tallies[i].kind) || is_broken_down(spec, tallies[i].kind))
            continue;
        text_append_format(&name, "%s%s", spec->prefix, tallies[i].name);
        text_append_format(&help, "%s, in %s. %s", tallies[i].help, spec->target, tallies[i].more);
        r = plan_add_column(
            plan,
            (struct column){.kind = tallies[i].column,
                            .form = NUMBER_COUNT,
                            .index = tallies[i].index,
                            .scale = 1,
                            .type = FAMILY_COUNTER,
                            .labels = {{tallies[i].label, (char *)tallies[i].value}}},
            &name, &help);
    }
    return r;
}

int plan_add_histograms(struct plan *plan, const struct plan_spec *spec)
{
    plan->histograms = calloc(ARRAY_SIZE(families), sizeof(*plan->histograms));
    if (!plan->histograms)
        return -ENOMEM;
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        struct plan_histogram *histogram = &plan->histograms[plan->n_histograms];
        AUTO_TEXT struct text name = {0}, help = {0};

        if (!(spec->latency & families[i].kind))
            continue;
        text_append_format(&name, "%s%s", spec->prefix, families[i].name);
        text_append_format(&help, "%s, in %s. %s", families[i].help, spec->target,
                           families[i].more);
        plan->n_histograms++;
        *histogram = (struct plan_histogram){.distribution = families[i].distribution,
                                             .first = plan->n_numbers,
                                             .name = text_take(&name),
                                             .help = text_take(&help)};
        histogram->is_hidden = is_broken_down(spec, families[i].kind);
        histogram->label =
            (struct column_label){families[i].label[0], (char *)families[i].label[1]};
        if (!histogram->name || !histogram->help)
            return -ENOMEM;
        plan->n_numbers += latency_layouts[histogram->distribution].n + 1;
    }
    return 0;
}

void plan_free_histograms(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_histograms; i++) {
        free(plan->histograms[i].name);
        free(plan->histograms[i].help);
    }
    free(TAKE(plan->histograms));
}

size_t plan_shown_buckets(const struct latency_layout *layout)
{
    return layout->n / 2 + 1;
}

size_t plan_shown_bucket(const struct latency_layout *layout, size_t shown)
{
    return shown + 1 == plan_shown_buckets(layout) ? layout->n - 1 : 2 * shown;
}

/* These powers of two have so few digits that they are exact. */
void plan_append_limit(struct text *text, const struct latency_layout *layout, size_t bucket)
{
    char digits[32];

    if (bucket + 1 == layout->n) {
        text_append_string(text, "+Inf");
        return;
    }
    (void)snprintf(digits, sizeof(digits), "%.15g", ldexp(1, layout->exponent + (int)bucket));
    text_append_string(text, digits);
    if (!strpbrk(digits, ".e"))
        text_append_string(text, ".0");
}

bool plan_is_of_histogram(const char *name)
{
    size_t length = strlen(name);

    if (length > strlen("_sum") && strcmp(name + length - strlen("_sum"), "_sum") == 0)
        length -= strlen("_sum");
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        const size_t n = strlen(families[i].name);

        if (length > n && name[length - n - 1] == '_' &&
            memcmp(name + length - n, families[i].name, n) == 0)
            return true;
    }
    return false;
}
