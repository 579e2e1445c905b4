/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Counting on a machine with two kinds of cores (support/machines/hybrid_client.txt): cpu_core of
 * type 4 on the CPUs 0 to 7, and cpu_atom of type 10 on the CPUs 8 to 15.
 */
#include "support/check.h"

#include <string.h>

#include "base/clock.h"
#include "count/core_kinds.h"
#include "count/counter_set.h"
#include "count/mechanism.h"
#include "support/fake_perf.h"
#include "support/machine_tree.h"

#define CORE   4
#define ATOM   10
#define THREAD 4711
#define CYCLES PERF_COUNT_HW_CPU_CYCLES
#define FAULTS PERF_COUNT_SW_PAGE_FAULTS

struct fixture {
    struct fake_perf perf;
    const struct pmu_list *pmus;
    struct event events[2];
    struct event_groups *groups;
    struct cpu_list *cpus;
    struct mechanism *mechanism;
    struct counter_set *set;
    struct sample *sample;
    uint64_t now_ns;
};

static const pid_t thread = THREAD;
static struct pmu_list *hybrid_pmus; /* of the whole run */

static int read_machine(void **state)
{
    struct fixture_tree tree = machine_tree_open("hybrid_client");

    (void)state;
    assert_int_equal(pmu_list_read(tree.fd, &hybrid_pmus), 0);
    fixture_tree_close(&tree);
    return 0;
}

static int forget_machine(void **state)
{
    (void)state;
    hybrid_pmus = pmu_list_free(hybrid_pmus);
    return 0;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->pmus = hybrid_pmus;
    fake_perf_init(&f->perf);
    f->mechanism = mechanism_direct_new(&f->perf.ops);
    f->mechanism->descriptors = 100;
    assert_int_equal(cpu_list_parse("7-8", &f->cpus), 0);
    f->now_ns = 1000 * NS_PER_SECOND;
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)counter_set_free(f->set);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(f->mechanism->open_counters, 0);
    (void)sample_free(f->sample);
    (void)event_groups_free(f->groups);
    (void)mechanism_free(f->mechanism);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static const struct event_code cycles = {.type = PERF_TYPE_HARDWARE, .config = CYCLES};
static const struct event_code faults = {.type = PERF_TYPE_SOFTWARE, .config = FAULTS};
static const struct event_code raw = {.type = PERF_TYPE_RAW, .config = 0x1c0};
static const struct event_code of_core = {.type = CORE, .config = 0xd1, .core_type = CORE};
static const struct event_code of_atom = {.type = ATOM, .config = 0xd2, .core_type = ATOM};

/* Makes one group of one or two events. */
static void make_group(struct fixture *f, enum scope_kind kind, const struct event_code *first,
                       const struct event_code *second)
{
    const struct event *events[] = {&f->events[0], &f->events[1]};
    const struct group_spec spec = {.name = "group", .events = events, .n_events = second ? 2 : 1};

    f->events[0] = (struct event){.name = (char *)"first", .code = *first};
    f->events[0].takes_counter = event_code_is_of_core(first);
    if (second)
        f->events[1] = (struct event){.name = (char *)"second", .code = *second};
    assert_int_equal(event_groups_new(kind, &spec, 1, &f->groups), 0);
    f->sample = sample_new(f->groups);
}

static struct scope scope_of_thread(const struct fixture *f)
{
    return (struct scope){
        .kind = SCOPE_PROCESS, .cgroup_fd = -1, .tasks = &thread, .n_tasks = 1, .hybrid = f->pmus};
}

static struct scope scope_of_cpus(const struct fixture *f)
{
    return (struct scope){
        .kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus, .hybrid = f->pmus};
}

static void open_in(struct fixture *f, struct scope scope)
{
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    assert_int_equal(f->mechanism->open(f->mechanism, &f->set, 1), 0);
}

static void read_now(struct fixture *f)
{
    f->now_ns += NS_PER_SECOND;
    counter_set_read(f->set, f->now_ns, f->sample);
}

/* The open event of this type and config on this CPU, or of the thread (-1). */
static struct fake_event *opened(struct fixture *f, uint32_t type, uint64_t config, int cpu)
{
    for (int i = 0; i < f->perf.next; i++) {
        struct fake_event *event = &f->perf.events[i];

        if (event->open && event->attr.type == type && event->attr.config == config &&
            event->cpu == cpu)
            return event;
    }
    fail_msg("no event of type %u and config %#lx is open on CPU %d", type, (unsigned long)config,
             cpu);
    return NULL;
}

/* What is opened of a generic event for the kind of core of this type. */
static struct fake_event *cycles_of(struct fixture *f, uint64_t type)
{
    return opened(f, PERF_TYPE_HARDWARE, CYCLES | type << 32, -1);
}

static void run(struct fake_event *leader, uint64_t enabled, uint64_t running)
{
    leader->time_enabled += enabled;
    leader->time_running += running;
}

static void thread__is_counted_on_both_kinds_and_time_on_one_is_not_lost_on_the_other(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &cycles, NULL);
    open_in(f, scope_of_thread(f));
    read_now(f);
    run(cycles_of(f, CORE), 100000, 60000);
    run(cycles_of(f, ATOM), 100000, 40000);
    cycles_of(f, CORE)->value += 600;
    cycles_of(f, ATOM)->value += 100;
    read_now(f);
    /* scaled each by itself, it would be 600 * 100 / 60 + 100 * 100 / 40 = 1250 */
    assert_int_equal(f->sample->events[0].count, 700);
    assert_int_equal(f->sample->groups[0].enabled, 100000);
    assert_int_equal(f->sample->groups[0].running, 100000);
    assert_false(f->sample->groups[0].unknown);
}

static void thread__that_stays_on_one_kind_is_counted_and_not_unknown(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &cycles, NULL);
    open_in(f, scope_of_thread(f));
    read_now(f);
    run(cycles_of(f, CORE), 100000, 0);
    run(cycles_of(f, ATOM), 100000, 100000);
    cycles_of(f, ATOM)->value += 123;
    read_now(f);
    assert_int_equal(f->sample->events[0].count, 123);
    assert_false(f->sample->groups[0].unknown);
}

static void turns_of_others__are_still_scaled(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &cycles, NULL);
    open_in(f, scope_of_thread(f));
    read_now(f);
    run(cycles_of(f, CORE), 100000, 30000); /* of 60000 there, another group had half */
    run(cycles_of(f, ATOM), 100000, 20000);
    cycles_of(f, CORE)->value += 300;
    cycles_of(f, ATOM)->value += 50;
    read_now(f);
    assert_int_equal(f->sample->events[0].count, 700);
    assert_int_equal(f->sample->groups[0].running, 50000);
}

static void event_of_one_kind__is_not_scaled_by_time_on_the_other(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &of_atom, &faults);
    open_in(f, scope_of_thread(f));
    read_now(f);
    assert_int_equal(f->perf.n_open, 4);
    run(cycles_of(f, CORE), 100000, 75000); /* the keeper of time on the other kind */
    cycles_of(f, CORE)->value += 1000000;   /* what it counts is nobody's */
    run(opened(f, ATOM, of_atom.config, -1), 100000, 25000);
    opened(f, ATOM, of_atom.config, -1)->value += 40;
    for (int i = 0; i < f->perf.next; i++)
        if (f->perf.events[i].attr.config == FAULTS &&
            f->perf.events[i].attr.type == PERF_TYPE_SOFTWARE)
            f->perf.events[i].value += 5;
    read_now(f);
    assert_int_equal(f->sample->events[0].count, 40);
    assert_int_equal(f->sample->events[1].count, 10); /* each part counts while it runs */
    assert_int_equal(f->sample->groups[0].running, 100000);
}

static void raw_code__has_the_type_of_each_core_pmu(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &raw, NULL);
    open_in(f, scope_of_thread(f));
    (void)opened(f, CORE, raw.config, -1);
    (void)opened(f, ATOM, raw.config, -1);
}

static void software__is_opened_once_for_a_thread(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_PROCESS, &faults, NULL);
    open_in(f, scope_of_thread(f));
    assert_int_equal(f->perf.n_open, 1);
}

static int refuse_atom(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                       int group_fd)
{
    (void)perf;
    (void)group_fd;
    if (attr->type == PERF_TYPE_SOFTWARE)
        return 0;
    return attr->config >> 32 == ATOM || attr->type == ATOM || cpu >= 8 ? -ENOENT : 0;
}

static void thread__is_counted_on_all_kinds_or_on_none(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_atom;
    make_group(f, SCOPE_PROCESS, &cycles, NULL);
    open_in(f, scope_of_thread(f));
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NOT_SUPPORTED);
}

static void cpu__has_its_own_kind_of_core_and_no_event_of_another(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_SYSTEM, &of_atom, &faults);
    open_in(f, scope_of_cpus(f));
    assert_false(counter_set_is_incomplete(f->set));
    read_now(f);
    run(opened(f, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 7), 1000, 1000);
    run(opened(f, ATOM, of_atom.config, 8), 1000, 1000);
    opened(f, ATOM, of_atom.config, 8)->value += 9;
    opened(f, PERF_TYPE_SOFTWARE, FAULTS, 7)->value += 3;
    opened(f, PERF_TYPE_SOFTWARE, FAULTS, 8)->value += 4;
    read_now(f);
    assert_int_equal(f->sample->events[0].count, 9);
    assert_int_equal(f->sample->events[1].count, 7);
    assert_int_equal(f->sample->groups[0].running, f->sample->groups[0].enabled);
    assert_false(f->sample->groups[0].unknown);
}

static void generic_event_of_a_cpu__is_left_to_the_kernel_and_a_raw_code_is_not(void **state)
{
    struct fixture *f = *state;

    make_group(f, SCOPE_SYSTEM, &cycles, &raw);
    open_in(f, scope_of_cpus(f));
    (void)opened(f, PERF_TYPE_HARDWARE, CYCLES, 7);
    (void)opened(f, PERF_TYPE_HARDWARE, CYCLES, 8);
    (void)opened(f, CORE, raw.config, 7);
    (void)opened(f, ATOM, raw.config, 8);
}

static enum absence probed(struct fixture *f, struct scope scope)
{
    enum absence absences[2] = {ABSENCE_COUNT_, ABSENCE_COUNT_};

    assert_int_equal(event_groups_probe(f->groups, &f->perf.ops, &scope, absences), 0);
    return absences[0];
}

static void event__that_one_kind_lacks_is_absent_and_no_part_of_a_sum(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_atom;
    make_group(f, SCOPE_SYSTEM, &cycles, NULL);
    assert_int_equal(probed(f, scope_of_cpus(f)), ABSENCE_NOT_SUPPORTED);
    assert_int_equal(probed(f, scope_of_thread(f)), ABSENCE_NOT_SUPPORTED);
}

static void event_of_one_kind__is_asked_of_that_kind_only(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_atom;
    make_group(f, SCOPE_SYSTEM, &of_core, NULL);
    assert_int_equal(probed(f, scope_of_cpus(f)), ABSENCE_NONE);
    assert_int_equal(probed(f, scope_of_thread(f)), ABSENCE_NONE);
}

static void event_of_the_other_kind__is_asked_of_that_kind_too(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_atom;
    make_group(f, SCOPE_SYSTEM, &of_atom, NULL);
    assert_int_equal(probed(f, scope_of_cpus(f)), ABSENCE_NOT_SUPPORTED);
    assert_int_equal(probed(f, scope_of_thread(f)), ABSENCE_NOT_SUPPORTED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(thread__is_counted_on_both_kinds_and_time_on_one_is_not_lost_on_the_other),
        TEST(thread__that_stays_on_one_kind_is_counted_and_not_unknown),
        TEST(turns_of_others__are_still_scaled),
        TEST(event_of_one_kind__is_not_scaled_by_time_on_the_other),
        TEST(raw_code__has_the_type_of_each_core_pmu),
        TEST(software__is_opened_once_for_a_thread),
        TEST(thread__is_counted_on_all_kinds_or_on_none),
        TEST(cpu__has_its_own_kind_of_core_and_no_event_of_another),
        TEST(generic_event_of_a_cpu__is_left_to_the_kernel_and_a_raw_code_is_not),
        TEST(event__that_one_kind_lacks_is_absent_and_no_part_of_a_sum),
        TEST(event_of_one_kind__is_asked_of_that_kind_only),
        TEST(event_of_the_other_kind__is_asked_of_that_kind_too),
    };

    return cmocka_run_group_tests(tests, read_machine, forget_machine);
}
