/* SPDX-License-Identifier: Apache-2.0 */
/* A collector and its successor have one mechanism of latencies: it does what the one asks for that
 * goes on. */
#include "cycle/collector_fixture.h"

#include <errno.h>

#include "cycle/collector_parts.h"
#include "cycle/stages.h"
#include "sys/system_call.h"

/* What the mechanisms were asked for last; the second is not the first one's successor. */
static struct asked {
    struct mechanism mechanism;
    unsigned kinds;
    struct syscalls_timing timing;
    unsigned n_observes, n_timings, n_follows;
} asked[2];

static bool discovery_fails;

static struct asked *asked_of(struct mechanism *mechanism)
{
    return &asked[mechanism == &asked[1].mechanism];
}

int __wrap_mechanism_bpf_observe(struct mechanism *mechanism, unsigned kinds, int sysfs_fd)
{
    (void)sysfs_fd;
    asked_of(mechanism)->kinds = kinds;
    asked_of(mechanism)->n_observes++;
    return 0;
}

const char *__wrap_mechanism_bpf_time_calls(struct mechanism *mechanism,
                                            const struct syscalls_timing *timing)
{
    asked_of(mechanism)->timing = *timing;
    asked_of(mechanism)->n_timings++;
    return NULL;
}

void __wrap_mechanism_bpf_follow(struct mechanism *mechanism, const struct span *spans,
                                 size_t n_spans, const struct cpu_list *cpus,
                                 const char **ret_reasons)
{
    (void)spans, (void)n_spans, (void)cpus, (void)ret_reasons;
    asked_of(mechanism)->n_follows++;
}

const char *__wrap_mechanism_bpf_unobserved(const struct mechanism *mechanism,
                                            enum latency_kind kind)
{
    (void)mechanism, (void)kind;
    return NULL;
}

void __wrap_mechanism_bpf_place_cpus(struct mechanism *mechanism, int sysfs_fd,
                                     const struct cpu_list *cpus)
{
    (void)mechanism, (void)sysfs_fd, (void)cpus;
}

/* Of a target that is switched without a pause: once between any two looks at it. */
struct latency_meter {
    uint64_t base;
};

static bool has_meters;
static uint64_t n_switches, n_told;

static uint64_t look(struct latency_meter *meter)
{
    const uint64_t before = meter->base;

    meter->base = ++n_switches;
    return meter->base - before;
}

int __wrap_latency_meter_new(struct mechanism *bpf, const struct scope *scope,
                             struct latency_meter **ret_meter)
{
    struct latency_meter *meter = has_meters ? malloc(sizeof(*meter)) : NULL;

    (void)bpf, (void)scope;
    if (!meter)
        return -ENOSPC;
    (void)look(meter);
    *ret_meter = meter;
    return 0;
}

struct latency_meter *__wrap_latency_meter_free(struct latency_meter *meter)
{
    free(meter);
    return NULL;
}

struct latency_meter *__wrap_latency_meter_adopt(struct latency_meter **meter,
                                                 const struct mechanism *bpf)
{
    (void)meter, (void)bpf;
    return NULL; /* it is of another mechanism */
}

void __wrap_latency_meter_hand_over(struct latency_meter **from, struct latency_meter *to)
{
    if (!*from || !to)
        return;
    (void)look(to);
    free(*from);
    *from = NULL;
}

void __wrap_latency_meter_read(struct latency_meter *meter, struct sample *sample)
{
    (void)sample;
    n_told += look(meter);
}

int __real_collector_discover(struct collector *collector, const struct round *round,
                              struct discovered *ret_discovered);
int __wrap_collector_discover(struct collector *collector, const struct round *round,
                              struct discovered *ret_discovered);
int __wrap_collector_discover(struct collector *collector, const struct round *round,
                              struct discovered *ret_discovered)
{
    return discovery_fails ? -ENOMEM : __real_collector_discover(collector, round, ret_discovered);
}

static void refresh(struct mechanism *mechanism)
{
    (void)mechanism;
}

/* Has a collector begin by this configuration, over one of the mechanisms or none. 0 or -errno. */
static int begin(struct fixture *f, const char *latency, const char *timed,
                 struct mechanism *mechanism)
{
    char yaml[400];
    struct config *config;
    struct collector_setup setup;

    (void)snprintf(yaml, sizeof(yaml),
                   "groups: [{name: software, events: [page-faults]}]\n"
                   "system_calls: {timed: [%s]}\n"
                   "targets: {system: {groups: [software], latency: [%s]}}\n",
                   timed, latency);
    config = parse(yaml);
    setup = make_setup(f, config);
    setup.latency = mechanism;
    return try_successor(f, &setup, config);
}

static bool is_timed(const struct asked *of, const char *call)
{
    return of->timing.calls[system_call_number(call)];
}

static int set_up_latencies(void **state)
{
    memset(asked, 0, sizeof(asked));
    asked[0].mechanism.refresh = asked[1].mechanism.refresh = refresh;
    discovery_fails = has_meters = false;
    n_switches = n_told = 0;
    return set_up(state);
}

static void latencies__of_a_reload_that_fails_are_those_of_before(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(begin(f, "system_calls, tcp", "read", &asked[0].mechanism), 0);
    assert_true(is_timed(&asked[0], "read"));
    discovery_fails = true;
    assert_int_equal(begin(f, "system_calls, spans", "write", &asked[0].mechanism), -ENOMEM);
    assert_true(is_timed(&asked[0], "read"));
    assert_false(is_timed(&asked[0], "write"));
    assert_int_equal(asked[0].kinds, LATENCY_KIND_SYSTEM_CALLS | LATENCY_KIND_TCP);
    assert_int_equal(asked[0].n_timings, 1); /* else calls that are being made lose their begin */
    assert_int_equal(asked[0].n_follows, 1);
}

static void latencies__of_a_reload_are_asked_for_when_it_cannot_fail(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(begin(f, "system_calls, tcp", "read", &asked[0].mechanism), 0);
    asked[0].n_observes = 0;
    assert_int_equal(begin(f, "system_calls, spans", "write", &asked[0].mechanism), 0);
    assert_int_equal(asked[0].n_observes, 2); /* for both, and for the one that remains */
    assert_false(is_timed(&asked[0], "read"));
    assert_true(is_timed(&asked[0], "write"));
    assert_int_equal(asked[0].kinds, LATENCY_KIND_SYSTEM_CALLS | LATENCY_KIND_SPANS);
    assert_int_equal(asked[0].n_follows, 2);
}

/* The mechanism may go on, to count events. */
static void latencies__that_a_reload_does_not_want_end(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(begin(f, "system_calls, tcp", "read", &asked[0].mechanism), 0);
    assert_int_equal(begin(f, "", "", NULL), 0);
    assert_int_equal(asked[0].kinds, 0);
}

static void latencies__of_a_reload_that_fails_end_where_none_were_wanted(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(begin(f, "tcp", "", &asked[0].mechanism), 0);
    discovery_fails = true;
    assert_int_equal(begin(f, "system_calls", "read", &asked[1].mechanism), -ENOMEM);
    assert_int_equal(asked[0].kinds, LATENCY_KIND_TCP);
    assert_int_equal(asked[1].kinds, 0);
    assert_int_equal(asked[1].n_timings, 0);
}

/* While counters are handed over, which are of another mechanism, targets are read repeatedly. */
static void latencies__that_are_handed_over_with_counters_are_told_once(void **state)
{
    static const char yaml[] =
        "groups: [{name: software, events: [page-faults]}]\n"
        "targets: {cgroups: [{include: [\"/a\"], groups: [software], latency: [scheduler]}]}\n";
    struct fixture *f = *state;
    struct config *config = parse(yaml);
    struct mechanism *program = program_new(f);
    struct collector_setup setup;
    uint64_t n_before;

    has_meters = true;
    make(f, "a");
    f->config = parse(yaml);
    setup = make_setup(f, f->config);
    setup.latency = &asked[0].mechanism;
    assert_int_equal(collector_new(&setup, NULL, &f->collector), 0);
    cycle(f);
    n_before = n_told;
    assert_true(n_before > 0);
    setup = make_setup(f, config);
    setup.bpf = setup.latency = program;
    assert_int_equal(try_successor(f, &setup, config), 0);
    cycle(f);
    assert_true(n_told > n_before);
    assert_true(n_told <= n_switches);
    f->collector = collector_free(f->collector);
    (void)mechanism_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(latencies__of_a_reload_that_fails_are_those_of_before,
                                        set_up_latencies, tear_down),
        cmocka_unit_test_setup_teardown(latencies__of_a_reload_are_asked_for_when_it_cannot_fail,
                                        set_up_latencies, tear_down),
        cmocka_unit_test_setup_teardown(latencies__that_a_reload_does_not_want_end,
                                        set_up_latencies, tear_down),
        cmocka_unit_test_setup_teardown(
            latencies__of_a_reload_that_fails_end_where_none_were_wanted, set_up_latencies,
            tear_down),
        cmocka_unit_test_setup_teardown(latencies__that_are_handed_over_with_counters_are_told_once,
                                        set_up_latencies, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
