/* SPDX-License-Identifier: Apache-2.0 */

/* What is shown of what is counted by key. */
#include <errno.h>

#include "metric/plan_build.h"
#include "sys/bpf/block/counts.h"
#include "sys/bpf/kvm/counts.h"
#include "sys/bpf/spans/counts.h"
#include "sys/bpf/syscalls/counts.h"
#include "sys/bpf/tcp/counts.h"

/* What stands for a distribution in the place of a tally. */
#define DISTRIBUTION(n) (KEYED_TALLIES + (n))

static const char of_requests[] =
    "It counts requests to block devices that have requests; what dm, md, zram and multipath "
    "devices are given is seen at the devices below them.";

static const char of_guests[] = "It is counted for who runs the vCPU's thread.";
static const char of_sockets[] =
    "It belongs to the cgroup in which the socket was made; to a process that connects, but "
    "retransmits to none.";
static const char of_spans[] =
    "Spans are those of the configuration. It is counted when it has ended, for who ran at its "
    "begin.";
static const char of_calls[] =
    "The calls of which the machine makes most have a line each, from when that showed; other is "
    "all others, and what was counted before.";

static const char of_timed_calls[] =
    "It is told of the calls that the configuration names. class is waiting where a call is made "
    "to wait, so that its time is no work.";

static const struct {
    enum breakdown_kind kind;
    size_t what; /* the number of a tally, or DISTRIBUTION() */
    const char *name, *help, *more;
} families[] = {
    {BREAKDOWN_BLOCK_IO, DISTRIBUTION(BLOCK_LATENCY), "block_io_latency_seconds",
     "Time from when a request was given to a block device until it was done", of_requests},
    {BREAKDOWN_BLOCK_IO, DISTRIBUTION(BLOCK_QUEUED), "block_io_queue_seconds",
     "Time from when a request was made until it was given to the device", of_requests},
    {BREAKDOWN_BLOCK_IO, BLOCK_REQUESTS, "block_io_requests_total",
     "Number of requests to block devices that are done", of_requests},
    {BREAKDOWN_BLOCK_IO, BLOCK_BYTES, "block_io_bytes_total",
     "Number of bytes that requests to block devices have moved", of_requests},
    {BREAKDOWN_BLOCK_IO, BLOCK_ERRORS, "block_io_errors_total",
     "Number of requests to block devices that failed", of_requests},
    {BREAKDOWN_SOFTIRQS, DISTRIBUTION(0), "softirq_seconds", "Time that softirqs took",
     "It has the interrupts that came meanwhile."},
    {BREAKDOWN_HARDIRQS, DISTRIBUTION(0), "hardirq_seconds",
     "Time that handlers of interrupts took",
     "Where devices share an interrupt, each has a handler, and all of them run. Interrupts "
     "without "
     "a number, such as those of a CPU's own timer on x86, are not counted."},
    {BREAKDOWN_KVM_EXITS, KVM_TALLY, "kvm_exits_total",
     "Number of times that guests of KVM have left the processor", of_guests},
    {BREAKDOWN_KVM_EXITS, DISTRIBUTION(0), "kvm_exit_seconds",
     "Time from when a guest of KVM left the processor until the same thread entered it again",
     "It has what the host did for the guest, and for how long that waited where it halted."},
    {BREAKDOWN_KVM_ENTRIES, KVM_TALLY, "kvm_entries_total",
     "Number of times that guests of KVM have entered the processor", of_guests},
    {BREAKDOWN_TCP, TCP_RETRANSMITS, "tcp_retransmits_total",
     "Number of segments of TCP that were sent again", of_sockets},
    {BREAKDOWN_TCP, TCP_CONNECTS, "tcp_connects_total",
     "Number of connections of TCP that were asked for and established", of_sockets},
    {BREAKDOWN_TCP, TCP_FAILURES, "tcp_connect_errors_total",
     "Number of connections of TCP that were asked for, and refused or given up", of_sockets},
    {BREAKDOWN_TCP, DISTRIBUTION(0), "tcp_connect_seconds",
     "Time from when a connection of TCP was asked for until it was established", of_sockets},
    {BREAKDOWN_SPANS, DISTRIBUTION(SPAN_DURATION), "span_seconds",
     "Time from the event that begins a span to the one that ends it", of_spans},
    {BREAKDOWN_SYSTEM_CALLS, SYSCALLS_CALLS, "system_calls_total",
     "Number of system calls that have returned", of_calls},
    {BREAKDOWN_SYSTEM_CALLS, SYSCALLS_ERRORS, "system_call_errors_total",
     "Number of system calls that have returned an error", of_calls},
    {BREAKDOWN_SYSTEM_CALL_TIMES, DISTRIBUTION(SYSCALLS_DURATION), "system_call_seconds",
     "Time from when a system call began until it returned", of_timed_calls},
};

/*
 * All that a kind may have, and the one for all further keys; of spans and of calls that are timed
 * those that there are.
 */
static size_t most_lines(const struct plan_spec *spec, enum breakdown_kind kind)
{
    const struct breakdown_shape *shape = &breakdown_shapes[kind];

    if (kind == BREAKDOWN_SPANS)
        return spec->n_spans;
    if (kind == BREAKDOWN_SYSTEM_CALL_TIMES)
        return spec->n_timed_calls;
    return shape->label_names[0] ? shape->most_lines + 1 : 1;
}

static int add_one(struct plan *plan, const struct plan_spec *spec, size_t family)
{
    const enum breakdown_kind kind = families[family].kind;
    const size_t what = families[family].what;
    struct plan_breakdown *breakdown = &plan->breakdowns[plan->n_breakdowns++];
    AUTO_TEXT struct text name = {0}, help = {0};

    text_append_format(&name, "%s%s", spec->prefix, families[family].name);
    text_append_format(&help, "%s, in %s. %s", families[family].help, spec->target,
                       families[family].more);
    if (kind == BREAKDOWN_SYSTEM_CALL_TIMES && spec->one_in > 1)
        text_append_format(&help,
                           " Of each thread one in %zu of these calls is timed: count and sum are "
                           "of that part.",
                           spec->one_in);
    *breakdown = (struct plan_breakdown){.kind = kind,
                                         .type = FAMILY_COUNTER,
                                         .first = what,
                                         .most_lines = most_lines(spec, kind),
                                         .name = text_take(&name),
                                         .help = text_take(&help)};
    if (what >= DISTRIBUTION(0)) {
        breakdown->type = FAMILY_HISTOGRAM;
        breakdown->first = breakdown_first_bucket(kind, what - DISTRIBUTION(0));
    }
    return breakdown->name && breakdown->help ? 0 : -ENOMEM;
}

int plan_add_breakdowns(struct plan *plan, const struct plan_spec *spec)
{
    int r = 0;

    plan->breakdowns = calloc(ARRAY_SIZE(families), sizeof(*plan->breakdowns));
    if (!plan->breakdowns)
        return -ENOMEM;
    for (size_t i = 0; i < ARRAY_SIZE(families) && r == 0; i++)
        if (spec->by_key & 1U << families[i].kind)
            r = add_one(plan, spec, i);
    return r;
}

void plan_free_breakdowns(struct plan *plan)
{
    for (size_t i = 0; i < plan->n_breakdowns; i++) {
        free(plan->breakdowns[i].name);
        free(plan->breakdowns[i].help);
    }
    free(TAKE(plan->breakdowns));
}

bool plan_sums_breakdown(enum breakdown_kind kind)
{
    return kind == BREAKDOWN_BLOCK_IO;
}

static bool has_ending(const char *name, size_t length, const char *ending, size_t n)
{
    return length > n && name[length - n - 1] == '_' && memcmp(name + length - n, ending, n) == 0;
}

/* Whether a name is that of a family behind a prefix, with another ending in the place of its own.
 */
static bool is_with_ending(const char *name, const char *family, const char *own, const char *other)
{
    const size_t length = strlen(name), n_other = strlen(other);

    return length > n_other && strcmp(name + length - n_other, other) == 0 &&
           has_ending(name, length - n_other, family, strlen(family) - strlen(own));
}

static bool is_of_family(const char *name, size_t family)
{
    const char *known = families[family].name;

    if (has_ending(name, strlen(name), known, strlen(known)))
        return true;
    return families[family].what >= DISTRIBUTION(0)
               ? is_with_ending(name, known, "", "_sum")
               : is_with_ending(name, known, "_total", "_per_second");
}

bool plan_is_of_breakdown(const char *name, enum breakdown_kind *ret_kind)
{
    for (size_t i = 0; i < ARRAY_SIZE(families); i++)
        if (!plan_sums_breakdown(families[i].kind) && is_of_family(name, i)) {
            *ret_kind = families[i].kind;
            return true;
        }
    return false;
}

const char *plan_breakdown_word(enum breakdown_kind kind)
{
    size_t i = 0;

    while (families[i].kind != kind)
        i++;
    return families[i].name;
}

bool plan_breaks_down(const struct plan *plan, enum breakdown_kind kind)
{
    for (size_t i = 0; i < plan->n_breakdowns; i++)
        if (plan->breakdowns[i].kind == kind)
            return true;
    return false;
}
