/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "count/sample.h"

static const struct event event = {.name = (char *)"faults",
                                   .metric = (char *)"faults",
                                   .description = (char *)"",
                                   .encoding = (char *)"",
                                   .pmu = (char *)"software"};

struct fixture {
    struct event_groups
        *groups; /* a group of two events, one of one event, and one without events */
    struct sample *sum, *part;
};

static int set_up(void **state)
{
    static struct fixture fixture;
    const struct event *events[] = {&event, &event};
    const struct group_spec specs[] = {{"two", events, 2}, {"one", events, 1}, {"none", NULL, 0}};

    assert_int_equal(event_groups_new(SCOPE_CGROUP, specs, ARRAY_SIZE(specs), &fixture.groups), 0);
    fixture.sum = sample_new(fixture.groups);
    fixture.part = sample_new(fixture.groups);
    *state = &fixture;
    return fixture.sum && fixture.part ? 0 : -1;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)sample_free(f->sum);
    (void)sample_free(f->part);
    (void)event_groups_free(f->groups);
    return 0;
}

/* Numbers that are different in each entry. */
static void fill(struct sample *sample, uint64_t factor)
{
    for (size_t i = 0; i < sample->n_groups; i++)
        sample->groups[i] = (struct group_sample){.enabled = factor * (i + 1) * 100,
                                                  .running = factor * (i + 1) * 10};
    for (size_t i = 0; i < sample->n_events; i++)
        sample->events[i] = (struct event_sample){.count = factor * (i + 1),
                                                  .exact = (double)(factor * (i + 1)) + 0.25,
                                                  .per_second = (double)(factor * (i + 1)) / 2};
}

static void check_empty(const struct sample *sample)
{
    for (size_t i = 0; i < sample->n_groups; i++) {
        const struct group_sample *group = &sample->groups[i];

        assert_false(group->counted || group->ran || group->unknown);
        assert_true(group->enabled == 0 && group->running == 0);
    }
    for (size_t i = 0; i < sample->n_events; i++) {
        assert_true(sample->events[i].count == 0);
        assert_true(sample->events[i].exact == 0 && sample->events[i].per_second == 0);
    }
}

static void new__has_an_empty_entry_for_each_event_and_group(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(f->sum->n_groups, 3);
    assert_int_equal(f->sum->n_events, 3);
    check_empty(f->sum);
}

static void new__of_no_groups_is_a_sample_too(void **state)
{
    AUTO(event_groups) struct event_groups *groups = NULL;
    AUTO(sample) struct sample *sample = NULL;

    (void)state;
    assert_int_equal(event_groups_new(SCOPE_CGROUP, NULL, 0, &groups), 0);
    sample = sample_new(groups);
    assert_non_null(sample);
    assert_true(sample->n_events == 0 && sample->n_groups == 0);
    sample_clear(sample);
    sample_add(sample, sample, false);
}

static void free__takes_null(void **state)
{
    (void)state;
    assert_null(sample_free(NULL));
}

static void clear__forgets_everything_but_the_sizes(void **state)
{
    struct fixture *f = *state;

    fill(f->sum, 7);
    for (size_t i = 0; i < f->sum->n_groups; i++)
        f->sum->groups[i].counted = f->sum->groups[i].ran = f->sum->groups[i].unknown = true;
    sample_clear(f->sum);
    assert_int_equal(f->sum->n_groups, 3);
    assert_int_equal(f->sum->n_events, 3);
    check_empty(f->sum);
}

static void add__sums_each_entry_with_its_own(void **state)
{
    struct fixture *f = *state;

    fill(f->sum, 3);
    fill(f->part, 5);
    sample_add(f->sum, f->part, false);
    for (size_t i = 0; i < f->sum->n_groups; i++) {
        assert_int_equal(f->sum->groups[i].enabled, 8 * (i + 1) * 100);
        assert_int_equal(f->sum->groups[i].running, 8 * (i + 1) * 10);
    }
    for (size_t i = 0; i < f->sum->n_events; i++) {
        assert_int_equal(f->sum->events[i].count, 8 * (i + 1));
        assert_true(f->sum->events[i].exact == (double)(8 * (i + 1)) + 0.5);
        assert_true(f->sum->events[i].per_second == (double)(8 * (i + 1)) / 2);
    }
}

static void add__leaves_the_part_as_it_was(void **state)
{
    struct fixture *f = *state;

    fill(f->sum, 3);
    fill(f->part, 5);
    sample_add(f->sum, f->part, false);
    assert_int_equal(f->part->groups[2].enabled, 1500);
    assert_int_equal(f->part->events[2].count, 15);
}

/* The sum has counted, has run, or is unknown if one of its parts has or is. */
static void add__says_of_a_group_what_any_part_says(void **state)
{
    struct fixture *f = *state;

    for (unsigned i = 0; i < 64; i++) {
        struct group_sample *sum = &f->sum->groups[1], *part = &f->part->groups[1];

        *sum = (struct group_sample){.counted = i & 1, .ran = i & 2, .unknown = i & 4};
        *part = (struct group_sample){.counted = i & 8, .ran = i & 16, .unknown = i & 32};
        sample_add(f->sum, f->part, false);
        assert_int_equal(sum->counted, (i & 1) || (i & 8));
        assert_int_equal(sum->ran, (i & 2) || (i & 16));
        assert_int_equal(sum->unknown, (i & 4) || (i & 32));
        assert_false(f->sum->groups[0].counted || f->sum->groups[2].counted);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(new__has_an_empty_entry_for_each_event_and_group),
        cmocka_unit_test(new__of_no_groups_is_a_sample_too),
        cmocka_unit_test(free__takes_null),
        TEST(clear__forgets_everything_but_the_sizes),
        TEST(add__sums_each_entry_with_its_own),
        TEST(add__leaves_the_part_as_it_was),
        TEST(add__says_of_a_group_what_any_part_says),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
