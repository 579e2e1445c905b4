/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "count/event_group.h"
#include "support/fake_perf.h"

#define N_EVENTS 4

struct fixture {
    struct fake_perf perf;
    struct event events[N_EVENTS];
    struct event_groups *groups;
    struct cpu_list *cpus;
    struct scope scope;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events[N_EVENTS];
    const struct group_spec specs[] = {{.name = "a", .events = events, .n_events = 3},
                                       {.name = "b", .events = events + 3, .n_events = 1}};

    fake_perf_init(&f->perf);
    for (size_t i = 0; i < N_EVENTS; i++) {
        f->events[i].name = (char *)"event";
        f->events[i].code.config = i + 1;
        events[i] = &f->events[i];
    }
    f->events[2].absence = ABSENCE_UNKNOWN_EVENT;
    f->events[3].is_clock = true;
    assert_int_equal(event_groups_new(SCOPE_SYSTEM, specs, 2, &f->groups), 0);
    assert_int_equal(cpu_list_parse("1", &f->cpus), 0);
    f->scope = (struct scope){.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->perf.n_open, 0);
    (void)event_groups_free(f->groups);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static void probe(struct fixture *f, enum absence *absences)
{
    assert_int_equal(event_groups_probe(f->groups, &f->perf.ops, &f->scope, absences), 0);
}

static void new__knows_what_needs_no_kernel(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->groups->n_events, 4);
    assert_int_equal(f->groups->groups[1].first, 3);
    assert_int_equal(f->groups->groups[0].members[2].absence, ABSENCE_UNKNOWN_EVENT);
    assert_int_equal(f->groups->groups[1].members[0].absence, ABSENCE_NOT_SUPPORTED);
    assert_int_equal(f->groups->groups[0].n_opened, 2);
    assert_int_equal(f->groups->n_opened, 2);
}

static void probe__a_clock_is_counted_for_cgroups_only(void **state)
{
    struct fixture *f = *state;
    const struct event *clock = &f->events[3];
    const struct group_spec spec = {.name = "c", .events = &clock, .n_events = 1};
    AUTO(event_groups) struct event_groups *groups = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, &spec, 1, &groups), 0);
    assert_int_equal(groups->groups[0].members[0].absence, ABSENCE_NONE);
}

static void probe__what_opens_is_counted_and_nothing_stays_open(void **state)
{
    struct fixture *f = *state;
    enum absence absences[N_EVENTS];

    probe(f, absences);
    assert_int_equal(absences[0], ABSENCE_NONE);
    assert_int_equal(absences[1], ABSENCE_NONE);
    assert_int_equal(absences[2], ABSENCE_UNKNOWN_EVENT);
    assert_int_equal(absences[3], ABSENCE_NOT_SUPPORTED);
    assert_false(event_groups_differ(f->groups, absences));
}

static int error_of_open;

static int refuse_second_event(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                               int group_fd)
{
    (void)perf;
    (void)cpu;
    (void)group_fd;
    return attr->config == 2 ? error_of_open : 0;
}

static void probe__gives_each_errno_its_reason(void **state)
{
    static const struct {
        int error;
        enum absence absence;
    } cases[] = {
        {-ENOENT, ABSENCE_NOT_SUPPORTED},     {-EINVAL, ABSENCE_NOT_SUPPORTED},
        {-EOPNOTSUPP, ABSENCE_NOT_SUPPORTED}, {-EACCES, ABSENCE_NOT_PERMITTED},
        {-EPERM, ABSENCE_NOT_PERMITTED},      {-EBUSY, ABSENCE_PMU_BUSY},
        {-ENOSPC, ABSENCE_PMU_BUSY},
    };
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_second_event;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        enum absence absences[N_EVENTS];

        error_of_open = cases[i].error;
        probe(f, absences);
        assert_int_equal(absences[0], ABSENCE_NONE);
        assert_int_equal(absences[1], cases[i].absence);
        assert_true(event_groups_differ(f->groups, absences));
    }
}

static void probe__an_answer_that_says_nothing_of_the_event_is_no_answer(void **state)
{
    static const int errors[] = {-EMFILE, -ENFILE, -ENOMEM, -ENODEV};
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_second_event;
    for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
        enum absence absences[N_EVENTS];

        error_of_open = errors[i];
        assert_int_equal(event_groups_probe(f->groups, &f->perf.ops, &f->scope, absences),
                         errors[i]);
        assert_int_equal(f->perf.n_open, 0);
    }
}

static int refuse_siblings(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    return group_fd >= 0 ? -EINVAL : 0;
}

static void probe__an_event_too_many_for_the_group_is_left_out_and_the_rest_counts(void **state)
{
    struct fixture *f = *state;
    enum absence absences[N_EVENTS];

    f->perf.refuse_open = refuse_siblings;
    probe(f, absences);
    assert_int_equal(absences[0], ABSENCE_NONE);
    assert_int_equal(absences[1], ABSENCE_GROUP_TOO_LARGE);
    event_groups_apply(f->groups, absences);
    assert_int_equal(f->groups->groups[0].n_opened, 1);
    assert_int_equal(f->groups->groups[0].opened[0], 0);
    assert_true(event_groups_want_retry(f->groups));
}

static uint64_t n_asked;

/* Counts the attempts, and refuses the tracepoint of the number 2. */
static int count_and_refuse_second(struct fake_perf *perf, const struct perf_event_attr *attr,
                                   int cpu, int group_fd)
{
    n_asked++;
    error_of_open = -EACCES;
    return refuse_second_event(perf, attr, cpu, group_fd);
}

/* The kernel takes some 10 ms to close the only event of a tracepoint. */
static void probe__of_a_wildcard_one_tracepoint_of_each_subsystem_is_asked(void **state)
{
    static const char *const names[] = {"kmem:kfree", "sched:a", "sched:b", "kmem:kmalloc",
                                        "kmem:kfree:u"};
    struct fixture *f = *state;
    struct event tracepoints[ARRAY_SIZE(names)] = {0};
    const struct event *events[ARRAY_SIZE(names)];
    const struct group_spec spec = {.name = "all", .events = events, .n_events = ARRAY_SIZE(names)};
    enum absence absences[ARRAY_SIZE(names)];
    AUTO(event_groups) struct event_groups *groups = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        tracepoints[i] = (struct event){.name = (char *)names[i], .is_of_subsystem = true};
        tracepoints[i].code = (struct event_code){.type = PERF_TYPE_TRACEPOINT, .config = i + 1};
        events[i] = &tracepoints[i];
    }
    tracepoints[4].code.exclude_kernel = true;
    assert_int_equal(event_groups_new(SCOPE_SYSTEM, &spec, 1, &groups), 0);
    f->perf.refuse_open = count_and_refuse_second;
    n_asked = 0;
    assert_int_equal(event_groups_probe(groups, &f->perf.ops, &f->scope, absences), 0);
    assert_int_equal(n_asked, 3); /* kmem, sched, and kmem in user mode only */
    assert_int_equal(absences[0], ABSENCE_NONE);
    assert_int_equal(absences[1], ABSENCE_NOT_PERMITTED);
    assert_int_equal(absences[2], ABSENCE_NOT_PERMITTED);
    assert_int_equal(absences[3], ABSENCE_NONE);
    assert_int_equal(absences[4], ABSENCE_NONE);
}

static void retry__is_not_wanted_for_what_can_never_pass(void **state)
{
    struct fixture *f = *state;

    assert_false(event_groups_want_retry(f->groups));
}

/* Makes groups of one specification. */
static struct event_groups *groups_of(const struct group_spec *spec)
{
    struct event_groups *groups = NULL;

    assert_int_equal(event_groups_new(SCOPE_CGROUP, spec, 1, &groups), 0);
    return groups;
}

/* Events of two configurations, which spell one event differently; one event is unknown. */
static struct event cycles = {.name = (char *)"cycles", .code = {.config = 1}};
static struct event cpu_cycles = {.name = (char *)"cpu-cycles", .code = {.config = 1}};
static struct event other = {.name = (char *)"other", .code = {.config = 2}};
static struct event unknown = {.name = (char *)"x", .absence = ABSENCE_UNKNOWN_EVENT};
static struct event unknown_again = {.name = (char *)"x", .absence = ABSENCE_UNKNOWN_EVENT};
static struct event other_unknown = {.name = (char *)"y", .absence = ABSENCE_UNKNOWN_EVENT};

static const struct group_spec spelled = {
    .name = "g", .events = (const struct event *const[]){&cycles, &unknown, &other}, .n_events = 3};
static const struct group_spec spelled_otherwise = {
    .name = "g",
    .events = (const struct event *const[]){&cpu_cycles, &unknown_again, &other},
    .n_events = 3};
static const struct group_spec of_another_unknown = {
    .name = "g",
    .events = (const struct event *const[]){&cpu_cycles, &other_unknown, &other},
    .n_events = 3};
static const struct group_spec named_otherwise = {
    .name = "h", .events = (const struct event *const[]){&cycles, &unknown, &other}, .n_events = 3};
static const struct group_spec in_another_order = {
    .name = "g", .events = (const struct event *const[]){&other, &unknown, &cycles}, .n_events = 3};
static const struct group_spec shorter = {
    .name = "g", .events = (const struct event *const[]){&cycles, &unknown}, .n_events = 2};
static const struct group_spec of_none = {
    .name = "g", .events = (const struct event *const[]){&unknown}, .n_events = 1};

static void identity__is_by_what_the_kernel_counts_and_not_by_spelling(void **state)
{
    static const struct {
        const struct group_spec *a, *b;
        bool is_same, has_same_members, goes_on;
    } cases[] = {
        {&spelled, &spelled, true, true, true},
        {&spelled, &spelled_otherwise, true, true, true},
        {&spelled, &of_another_unknown, true, false, true}, /* what is opened is the same */
        {&spelled, &named_otherwise, true, false, false},
        {&spelled, &in_another_order, false, false, false},
        {&spelled, &shorter, false, false, false},
        {&shorter, &spelled, false, false, false},
        {&of_none, &of_none, true, true, false}, /* there is nothing to go on with */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO(event_groups) struct event_groups *a = groups_of(cases[i].a), *b = NULL;

        b = groups_of(cases[i].b);
        assert_int_equal(event_group_is_same(a->groups, b->groups), cases[i].is_same);
        assert_int_equal(event_group_has_same_members(a->groups, b->groups),
                         cases[i].has_same_members);
        assert_int_equal(event_group_goes_on(a->groups, b->groups), cases[i].goes_on);
    }
}

static void members__are_the_same_also_where_one_of_them_is_not_opened_any_more(void **state)
{
    AUTO(event_groups) struct event_groups *a = groups_of(&spelled), *b = groups_of(&spelled);
    const enum absence absences[] = {ABSENCE_NOT_PERMITTED, ABSENCE_UNKNOWN_EVENT, ABSENCE_NONE};

    (void)state;
    event_groups_apply(b, absences);
    assert_true(event_group_has_same_members(a->groups, b->groups));
    assert_false(event_group_goes_on(a->groups, b->groups));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(new__knows_what_needs_no_kernel),
        TEST(probe__a_clock_is_counted_for_cgroups_only),
        TEST(probe__what_opens_is_counted_and_nothing_stays_open),
        TEST(probe__gives_each_errno_its_reason),
        TEST(probe__an_answer_that_says_nothing_of_the_event_is_no_answer),
        TEST(probe__an_event_too_many_for_the_group_is_left_out_and_the_rest_counts),
        TEST(probe__of_a_wildcard_one_tracepoint_of_each_subsystem_is_asked),
        TEST(retry__is_not_wanted_for_what_can_never_pass),
        cmocka_unit_test(identity__is_by_what_the_kernel_counts_and_not_by_spelling),
        cmocka_unit_test(members__are_the_same_also_where_one_of_them_is_not_opened_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
