/* SPDX-License-Identifier: Apache-2.0 */

/*
 * PMUs that count no core, on a machine of two sockets (support/machines/intel_server.txt): four
 * memory controllers of the types 14 to 17, each opened on the CPUs 0 and 28.
 */
#include "cycle/collector_fixture.h"

#include "support/machine_tree.h"

#define READS  0xf04 /* cas_count_read */
#define WRITES 0x3004
#define DEVICE "bus/event_source/devices/"

static const char memory[] =
    "groups: [{name: memory, events: [uncore_imc/cas_count_read/, uncore_imc/cas_count_write/]}]\n"
    "targets: {system: {groups: [memory]}}\n";
static const char apart[] = "groups: [{name: memory, events: [\"uncore_imc_*/cas_count_read/\"]}]\n"
                            "targets: {system: {groups: [memory]}}\n";

static struct fixture_tree sysfs;

static int set_up_server(void **state)
{
    struct fixture *f;
    int r = set_up(state);

    f = *state;
    sysfs = machine_tree_open("intel_server");
    use_machine(f, &sysfs);
    return r;
}

static int tear_down_server(void **state)
{
    int r = tear_down(state);

    fixture_tree_close(&sysfs);
    return r;
}

/* The open event of this instance with this config on this CPU; NULL: none. */
static struct fake_event *opened(struct fixture *f, uint32_t type, uint64_t config, int cpu)
{
    for (int i = 0; i < f->perf.next; i++) {
        struct fake_event *event = &f->perf.events[i];

        if (event->open && event->attr.type == type && event->attr.config == config &&
            event->cpu == cpu)
            return event;
    }
    return NULL;
}

/* Lets an instance count on a CPU, for so long that its group is known to have run. */
static void count_on(struct fixture *f, uint32_t type, int cpu, uint64_t reads, uint64_t writes)
{
    struct fake_event *leader = opened(f, type, READS, cpu);

    assert_non_null(leader);
    leader->value += reads;
    leader->time_enabled += 1000000;
    leader->time_running += 1000000;
    if (opened(f, type, WRITES, cpu))
        opened(f, type, WRITES, cpu)->value += writes;
}

/* The number of that family of a PMU in a socket; NULL: there is no such target. */
static const union number *number_of(const struct fixture *f, const char *pmu, const char *socket,
                                     const char *family)
{
    const struct label labels[] = {{"pmu", pmu}, {"socket", socket}};
    struct snapshot_row row;

    if (!snapshot_find(f->snapshot, labels, 2, &row))
        return NULL;
    return snapshot_row_number(&row, family, NULL);
}

static uint64_t reads_of(const struct fixture *f, const char *pmu, const char *socket)
{
    const union number *number = number_of(f, pmu, socket, "pmu_uncore_cas_count_read_bytes_total");

    assert_non_null(number);
    return number->count;
}

static void socket__is_a_target_with_all_instances_of_the_pmu(void **state)
{
    struct fixture *f = *state;
    const union number *ratio;

    start(f, memory);
    cycle(f);
    assert_int_equal(f->perf.n_open, 4 * 2 * 2);
    for (uint32_t type = 14; type <= 17; type++) {
        count_on(f, type, 0, 100, 10);
        count_on(f, type, 28, 7, 1);
    }
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 400);
    assert_int_equal(reads_of(f, "uncore_imc", "1"), 28);
    ratio = number_of(f, "uncore_imc", "0", "pmu_uncore_cas_count_read_bytes_per_second");
    assert_non_null(ratio);
    assert_true(ratio->real > 0);
    assert_null(number_of(f, "uncore_imc_0", "0", "pmu_uncore_cas_count_read_bytes_total"));
}

static void instances__that_are_named_by_a_pattern_are_apart(void **state)
{
    struct fixture *f = *state;

    start(f, apart);
    cycle(f);
    count_on(f, 15, 28, 5, 0);
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc_1", "1"), 5);
    assert_int_equal(reads_of(f, "uncore_imc_1", "0"), 0);
    assert_int_equal(reads_of(f, "uncore_imc_2", "1"), 0);
}

static int refuse_third_instance(struct fake_perf *perf, const struct perf_event_attr *attr,
                                 int cpu, int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return attr->type == 16 ? -EBUSY : 0;
}

static void sum__that_lacks_an_instance_is_no_sum(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_third_instance;
    start(f, memory);
    cycle(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_SYSTEM][ABSENCE_PMU_BUSY], 2);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), NUMBER_ABSENT_COUNT);
}

static void limit_of_series__holds_for_them_too(void **state)
{
    struct fixture *f = *state;

    start(f, "limits: {series: 12}\n"
             "groups: [{name: memory, events: [\"uncore_imc_*/cas_count_read/\"]}]\n"
             "targets: {system: {groups: [memory]}}\n");
    cycle(f);
    assert_true(f->snapshot->status.uncounted[SCOPE_SYSTEM][ABSENCE_OVER_LIMIT] > 0);
}

/* The kernel has moved the PMU's counters to another CPU of the socket, and says so. */
static void move_first_socket(void)
{
    fixture_tree_write(&sysfs, "devices/system/cpu/online", "1-55\n");
    for (int i = 0; i < 4; i++) {
        char path[128];

        (void)snprintf(path, sizeof(path), DEVICE "uncore_imc_%d/cpumask", i);
        fixture_tree_write(&sysfs, path, "1,28\n");
    }
}

static void cpu_that_goes_offline__is_followed_by_the_one_that_the_kernel_names(void **state)
{
    struct fixture *f = *state;

    start(f, memory);
    cycle(f);
    count_on(f, 14, 0, 100, 0);
    cycle(f);
    count_on(f, 14, 0, 20, 0); /* before it went, and after the last cycle */
    count_on(f, 14, 28, 3, 0);
    move_first_socket();
    assert_true(collector_cpus_changed(f->collector));
    start_successor(f, memory);
    assert_null(opened(f, 14, READS, 0));
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 120);
    assert_int_equal(reads_of(f, "uncore_imc", "1"), 3);
    count_on(f, 14, 1, 1000, 0);
    count_on(f, 17, 28, 4, 0);
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 1120);
    assert_int_equal(reads_of(f, "uncore_imc", "1"), 7);
}

static void reload__keeps_what_is_open_wherever_the_pmu_stands_in_the_configuration(void **state)
{
    struct fixture *f = *state;
    int before;

    start(f, memory);
    cycle(f);
    count_on(f, 14, 0, 100, 0);
    before = f->perf.next;
    start_successor(f, "groups: [{name: memory, events: [uncore_imc/cas_count_read/, "
                       "uncore_imc/cas_count_write/]}]\n"
                       "targets: {system: {groups: [memory]}, "
                       "cgroups: [{include: [/x], groups: [memory]}]}\n");
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 100);
    count_on(f, 14, 0, 1, 0);
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 101);
    for (int i = before; i < f->perf.next; i++)
        assert_false(f->perf.events[i].open); /* what was opened after that was to ask only */
}

static void instance__that_goes_takes_only_its_own_counters_along(void **state)
{
    struct fixture *f = *state;

    start(f, memory);
    cycle(f);
    for (uint32_t type = 14; type <= 17; type++)
        count_on(f, type, 0, 100, 0);
    fixture_tree_remove(&sysfs, DEVICE "uncore_imc_1");
    start_successor(f, memory);
    assert_null(opened(f, 15, READS, 0));
    count_on(f, 16, 0, 5, 0);
    count_on(f, 17, 0, 6, 0);
    cycle(f);
    assert_int_equal(reads_of(f, "uncore_imc", "0"), 411);
}

static void pause__stops_them_since_others_may_want_their_counters(void **state)
{
    struct fixture *f = *state;

    start(f, memory);
    cycle(f);
    assert_true(opened(f, 14, READS, 0)->enabled);
    collector_pause(f->collector, 1);
    assert_false(opened(f, 14, READS, 0)->enabled);
    collector_pause(f->collector, 0);
    assert_true(opened(f, 14, READS, 0)->enabled);
}

#define SERVER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up_server, tear_down_server)

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVER_TEST(socket__is_a_target_with_all_instances_of_the_pmu),
        SERVER_TEST(instances__that_are_named_by_a_pattern_are_apart),
        SERVER_TEST(sum__that_lacks_an_instance_is_no_sum),
        SERVER_TEST(limit_of_series__holds_for_them_too),
        SERVER_TEST(cpu_that_goes_offline__is_followed_by_the_one_that_the_kernel_names),
        SERVER_TEST(reload__keeps_what_is_open_wherever_the_pmu_stands_in_the_configuration),
        SERVER_TEST(instance__that_goes_takes_only_its_own_counters_along),
        SERVER_TEST(pause__stops_them_since_others_may_want_their_counters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
