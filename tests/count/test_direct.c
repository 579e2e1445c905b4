/* SPDX-License-Identifier: Apache-2.0 */
#include "count/counter_set_fixture.h"

#include <unistd.h>

#include "sys/late_close.h"

static ssize_t fail_with_eio(struct fake_perf *perf, int fd)
{
    return perf->events[fd].cpu == 0 ? -EIO : 1;
}

static int refuse_second_cpu(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)perf;
    (void)attr;
    (void)group_fd;
    return cpu == 1 ? -ENOMEM : 0;
}

static int refuse_siblings(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                           int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    return group_fd >= 0 ? -EMFILE : 0;
}

static int refuse_offline_cpu(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                              int group_fd)
{
    (void)perf;
    (void)attr;
    (void)group_fd;
    return cpu == 1 ? -ENODEV : 0;
}

static void open__a_group_is_opened_disabled_and_enabled_as_a_whole_on_every_cpu(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(f->mechanism->open_counters, 4);
    for (int cpu = 0; cpu < 2; cpu++) {
        struct fake_event *leader = fake_find(&f->perf, 1, cpu);
        struct fake_event *sibling = fake_find(&f->perf, 2, cpu);

        assert_true(leader->attr.disabled);
        assert_true(leader->enabled);
        assert_false(sibling->attr.disabled);
        assert_ptr_equal(&f->perf.events[sibling->leader], leader);
        assert_false(leader->attr.pinned);
    }
    assert_false(counter_set_is_incomplete(f->set));
}

static void open__a_group_that_fails_on_one_cpu_is_open_on_none(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_second_cpu;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
    read_after(f, NS_PER_SECOND);
    assert_false(f->sample->groups[0].counted);
    assert_true(counter_set_wants_open(f->set, clock_monotonic_ns())); /* the first time at once */

    open_set(f);
    assert_false(
        counter_set_wants_open(f->set, clock_monotonic_ns())); /* later only after a while */

    f->perf.refuse_open = NULL;
    open_set(f);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
}

static void open__leaves_no_half_open_group_behind(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_siblings;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void open__a_cpu_that_is_offline_is_left_out_and_the_others_count(void **state)
{
    struct fixture *f = *state;

    f->perf.refuse_open = refuse_offline_cpu;
    start(f);
    assert_int_equal(f->perf.n_open, 2);
    fake_run(&f->perf, 1, 0, 1000, 1000);
    fake_count(&f->perf, 1, 0, 9);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 9);
    assert_false(f->sample->groups[0].unknown);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
}

static void open__keeps_to_the_limit_of_descriptors(void **state)
{
    struct fixture *f = *state;

    f->mechanism->descriptors = 3;
    open_set(f);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void open__refuses_whole_sets_and_counts_those_that_fit(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_SYSTEM, .cgroup_fd = -1, .cpus = f->cpus};
    struct counter_set *sets[2] = {f->set, NULL};

    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &sets[1]), 0);
    f->mechanism->descriptors = 7; /* a set takes 4, so that there is room for one */
    assert_int_equal(f->mechanism->open(f->mechanism, sets, 2), 0);
    assert_int_equal(f->perf.n_open, 4);
    assert_int_equal(counter_set_absence(sets[0]), ABSENCE_NONE);
    assert_int_equal(counter_set_absence(sets[1]), ABSENCE_NO_DESCRIPTORS);
    sets[1] = counter_set_free(sets[1]);
}

static void open__a_counting_group_keeps_its_other_cpus_when_one_cannot_be_reopened(void **state)
{
    struct fixture *f = *state;

    start(f);
    f->perf.refuse_read = fail_with_eio; /* fails on CPU 0 only */
    read_after(f, NS_PER_SECOND);
    read_after(f, NS_PER_SECOND);
    f->perf.refuse_read = NULL;
    f->perf.refuse_open = refuse_siblings;
    fake_run(&f->perf, 1, 1, 1000, 1000);
    fake_count(&f->perf, 1, 1, 50);
    open_set(f);
    assert_int_equal(f->perf.n_open, 2);
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 50);
    assert_true(f->sample->groups[0].unknown); /* there is no rate of half the CPUs */
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void absence__of_a_set_with_nothing_to_open_is_that_of_its_events(void **state)
{
    struct fixture *f = *state;
    const enum absence absences[] = {ABSENCE_NOT_PERMITTED, ABSENCE_NOT_PERMITTED};

    event_groups_apply(f->groups, absences);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NOT_PERMITTED);
}

static void absence__of_a_set_is_what_can_be_cured_and_not_what_the_machine_lacks(void **state)
{
    struct fixture *f = *state;
    const enum absence absences[] = {ABSENCE_NO_PMU, ABSENCE_NOT_PERMITTED};

    event_groups_apply(f->groups, absences);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NOT_PERMITTED);
}

static const pid_t threads[] = {10, 11, 12};

/* Replaces the fixture's set by one of three threads. */
static void count_threads(struct fixture *f, enum scope_inherit inherit)
{
    const struct scope scope = {
        .kind = SCOPE_PROCESS, .cgroup_fd = -1, .tasks = threads, .n_tasks = 3, .inherit = inherit};

    f->set = counter_set_free(f->set);
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    open_set(f);
}

static void open__threads_are_counted_on_whatever_cpu_they_run_with_what_they_start(void **state)
{
    static const struct {
        enum scope_inherit inherit;
        bool any, threads_only;
    } cases[] = {{INHERIT_NOTHING, false, false},
                 {INHERIT_THREADS, true, true},
                 {INHERIT_CHILDREN, true, false}};
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        count_threads(f, cases[i].inherit);
        assert_int_equal(f->perf.n_open, 6);
        for (size_t k = 0; k < ARRAY_SIZE(threads); k++) {
            struct fake_event *leader = fake_find_thread(&f->perf, 1, threads[k]);
            struct fake_event *sibling = fake_find_thread(&f->perf, 2, threads[k]);

            assert_int_equal(leader->attr.inherit, cases[i].any);
            assert_int_equal(leader->attr.inherit_thread, cases[i].threads_only);
            assert_int_equal(sibling->attr.inherit, cases[i].any);
            assert_ptr_equal(&f->perf.events[sibling->leader], leader);
            assert_true(leader->enabled);
        }
    }
}

/* Makes the leader of the group a probe. The caller gives up the text. */
static struct shared_text *make_probe(struct fixture *f)
{
    return f->events[0].code.config1_text = shared_text_new("vfs_read");
}

static void open__a_probe_is_never_opened_so_that_it_is_inherited(void **state)
{
    struct fixture *f = *state;
    AUTO(shared_text) struct shared_text *text = make_probe(f);

    count_threads(f, INHERIT_THREADS);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NOT_SUPPORTED);
    count_threads(f, INHERIT_CHILDREN);
    assert_int_equal(f->perf.n_open, 0);
    count_threads(f, INHERIT_NOTHING);
    assert_int_equal(f->perf.n_open, 6);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
    assert_ptr_equal((void *)(uintptr_t)fake_find_thread(&f->perf, 1, 10)->attr.config1,
                     text->text);
}

static enum absence open_in(struct fixture *f, enum scope_kind kind)
{
    const struct scope scope = {.kind = kind, .cgroup_fd = 7, .cpus = f->cpus};
    AUTO(counter_set) struct counter_set *set = NULL;

    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &set), 0);
    assert_int_equal(f->mechanism->open(f->mechanism, &set, 1), 0);
    return counter_set_absence(set);
}

#define NO_FILE 100000 /* no open file has such a number, or a greater one */

static void open__of_many_probes_those_of_further_cgroups_are_refused_as_a_whole(void **state)
{
    struct fixture *f = *state;
    AUTO(shared_text) struct shared_text *text = make_probe(f);

    assert_non_null(text);
    for (int i = 0; i < 254; i++)
        late_close_mark(NO_FILE + i, LATE_CLOSE_PROBE);
    assert_int_equal(open_in(f, SCOPE_CGROUP), ABSENCE_NONE); /* one probe on each of two CPUs */
    late_close_mark(NO_FILE + 254, LATE_CLOSE_PROBE);
    assert_int_equal(open_in(f, SCOPE_CGROUP), ABSENCE_OVER_LIMIT);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(open_in(f, SCOPE_SYSTEM), ABSENCE_NONE);
    for (int i = 0; i < 255; i++)
        late_close(NO_FILE + i);
    while (late_close_n_probes() > 0)
        (void)usleep(1000);
    assert_int_equal(open_in(f, SCOPE_CGROUP), ABSENCE_NONE);
}

static void open__what_starts_at_exec_is_opened_disabled_and_begins_there(void **state)
{
    struct fixture *f = *state;
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .tasks = threads,
                                .n_tasks = 1,
                                .starts_at_exec = true};

    f->set = counter_set_free(f->set);
    assert_int_equal(counter_set_new(f->mechanism, f->groups, &scope, &f->set), 0);
    open_set(f);
    assert_true(fake_find_thread(&f->perf, 1, threads[0])->attr.enable_on_exec);
    assert_false(fake_find_thread(&f->perf, 1, threads[0])->enabled);
    /* The leader takes its siblings with it. */
    assert_false(fake_find_thread(&f->perf, 2, threads[0])->attr.enable_on_exec);
}

static void open__cpus_do_not_inherit(void **state)
{
    struct fixture *f = *state;

    open_set(f);
    assert_false(fake_find(&f->perf, 1, 0)->attr.inherit);
}

static void open__a_thread_that_has_ended_is_not_missed(void **state)
{
    struct fixture *f = *state;

    f->perf.ended = 11;
    count_threads(f, INHERIT_THREADS);
    assert_int_equal(f->perf.n_open, 4);
    assert_false(counter_set_is_incomplete(f->set));
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NONE);
    read_after(f, NS_PER_SECOND);
    fake_find_thread(&f->perf, 1, 10)->value = 5;
    fake_find_thread(&f->perf, 1, 10)->time_enabled = 1000;
    fake_find_thread(&f->perf, 1, 10)->time_running = 1000;
    read_after(f, NS_PER_SECOND);
    assert_int_equal(f->sample->events[0].count, 5);
    assert_false(f->sample->groups[0].unknown);
}

static void open__threads_for_which_there_are_no_descriptors_are_not_counted_in_part(void **state)
{
    struct fixture *f = *state;

    f->mechanism->descriptors = 5;
    count_threads(f, INHERIT_THREADS);
    assert_int_equal(f->perf.n_open, 0);
    assert_int_equal(counter_set_absence(f->set), ABSENCE_NO_DESCRIPTORS);
}

static void inherit__of_threads_is_asked_of_the_kernel(void **state)
{
    struct fixture *f = *state;

    assert_true(event_can_inherit_threads(&f->perf.ops));
    assert_int_equal(f->perf.n_open, 0);
    f->perf.lacks_inherit_thread = true;
    assert_false(event_can_inherit_threads(&f->perf.ops));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(open__a_group_is_opened_disabled_and_enabled_as_a_whole_on_every_cpu),
        TEST(open__a_group_that_fails_on_one_cpu_is_open_on_none),
        TEST(open__leaves_no_half_open_group_behind),
        TEST(open__a_cpu_that_is_offline_is_left_out_and_the_others_count),
        TEST(open__keeps_to_the_limit_of_descriptors),
        TEST(open__refuses_whole_sets_and_counts_those_that_fit),
        TEST(open__a_counting_group_keeps_its_other_cpus_when_one_cannot_be_reopened),
        TEST(open__threads_are_counted_on_whatever_cpu_they_run_with_what_they_start),
        TEST(open__a_probe_is_never_opened_so_that_it_is_inherited),
        TEST(open__of_many_probes_those_of_further_cgroups_are_refused_as_a_whole),
        TEST(open__what_starts_at_exec_is_opened_disabled_and_begins_there),
        TEST(open__cpus_do_not_inherit),
        TEST(open__a_thread_that_has_ended_is_not_missed),
        TEST(open__threads_for_which_there_are_no_descriptors_are_not_counted_in_part),
        TEST(inherit__of_threads_is_asked_of_the_kernel),
        TEST(absence__of_a_set_with_nothing_to_open_is_that_of_its_events),
        TEST(absence__of_a_set_is_what_can_be_cured_and_not_what_the_machine_lacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
