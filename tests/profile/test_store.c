/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_fixture.h"

static struct profile_figures figures_of(const struct profile_store *store)
{
    struct profile_figures figures;

    profile_store_figures(store, &figures);
    return figures;
}

static void add_cgroup(struct profile_store *store, const char *label, uint64_t time_ns,
                       const char *stack, size_t n)
{
    const uint32_t target = profile_store_target(store, PROFILE_CGROUP, label);

    assert_int_not_equal(target, UINT32_MAX);
    add_stack(store, target, time_ns, stack, n);
}

static void cgroup__contains_what_is_below_it__in_both_forms_of_labels(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);

    (void)state;
    add_cgroup(store, "/a", BEGIN, "main", 1);
    add_cgroup(store, "/a/b", BEGIN, "main", 2);
    add_cgroup(store, "/ab", BEGIN, "main", 4);
    add_cgroup(store, "%/a/x%0A", BEGIN, "main", 8);
    add_cgroup(store, "%/a/x%0A/y", BEGIN, "main", 16);
    add_cgroup(store, "/c%d", BEGIN, "main", 32);
    add_cgroup(store, "%/c%25d/%7F", BEGIN, "main", 64);
    add_stack(store, profile_store_target(store, PROFILE_MACHINE, ""), BEGIN, "main", 128);
    add_stack(store, profile_store_target(store, PROFILE_PROCESSES, "/a"), BEGIN, "main", 256);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "/a", BEGIN, BEGIN + SECOND), 27);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "%/a/x%0A", BEGIN, BEGIN + SECOND), 24);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "/c%d", BEGIN, BEGIN + SECOND), 96);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "/", BEGIN, BEGIN + SECOND), 127);
    assert_int_equal(total_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND), 255);
    assert_int_equal(total_of(store, PROFILE_PROCESSES, "/a", BEGIN, BEGIN + SECOND), 256);
}

static void collect__of_a_target_without_samples__is_refused(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    const struct profile_range range = {.scope = PROFILE_CGROUP, .label = "/a", .to_ns = BEGIN};
    struct profile_tree *tree = NULL;

    (void)state;
    assert_int_equal(profile_store_collect(store, &range, &tree), -ENOENT);
    (void)profile_store_target(store, PROFILE_CGROUP, "/a");
    assert_int_equal(profile_store_collect(store, &range, &tree), -ENOENT);
    assert_null(tree);
}

static void collect__of_seconds__is_exact_as_long_as_the_ring_reaches(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    AUTO(profile_tree) struct profile_tree *exact = NULL, *wide = NULL;

    (void)state;
    limits.recent = 10;
    store = store_of(&limits);
    for (uint64_t i = 0; i < 30; i++)
        add_stack(store, 0, BEGIN + i * SECOND, "main", 1);
    exact = tree_of(store, PROFILE_MACHINE, "", BEGIN + 25 * SECOND, BEGIN + 28 * SECOND);
    assert_int_equal(exact->nodes[0].total, 3);
    assert_int_equal(exact->from_ns, BEGIN + 25 * SECOND);
    assert_int_equal(exact->to_ns, BEGIN + 28 * SECOND);
    wide = tree_of(store, PROFILE_MACHINE, "", BEGIN + 15 * SECOND, BEGIN + 18 * SECOND);
    assert_int_equal(wide->nodes[0].total, 30);
    assert_int_equal(wide->from_ns, BEGIN);
}

static void collect__of_days__has_hours_and_forgets_after_eight_days(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    AUTO(profile_tree) struct profile_tree *hour = NULL, *minute = NULL;
    const uint64_t end = BEGIN + 10 * 24 * HOUR;

    (void)state;
    limits.recent = 0;
    store = store_of(&limits);
    for (uint64_t now = BEGIN; now < end; now += MINUTE) {
        add_stack(store, 0, now, "main;a", 1);
        profile_store_tick(store, now + 1);
    }
    hour = tree_of(store, PROFILE_MACHINE, "", end - 30 * HOUR, end - 30 * HOUR + MINUTE);
    assert_int_equal(hour->nodes[0].total, 60);
    assert_int_equal(hour->to_ns - hour->from_ns, HOUR);
    minute = tree_of(store, PROFILE_MACHINE, "", end - 30 * MINUTE, end - 29 * MINUTE);
    assert_int_equal(minute->nodes[0].total, 1);
    assert_int_equal(minute->to_ns - minute->from_ns, MINUTE);
    assert_in_range(total_of(store, PROFILE_MACHINE, "", 0, end), 8 * 24 * 60, 8 * 24 * 60 + 60);
    assert_in_range(figures_of(store).slices, 8 * 24 + 60, 8 * 24 + 121);
    assert_int_equal(figures_of(store).dropped_slices, 0);
}

/* The times that two ranges are given, in seconds from BEGIN; both have one sample each second. */
struct two_ranges {
    uint64_t before[2], after[2];           /* as they are asked for */
    uint64_t told_before[2], told_after[2]; /* as they are answered */
    int r;
};

static void check_two(const struct profile_store *store, const struct two_ranges *expected)
{
    const struct profile_range before = {.label = "",
                                         .from_ns = BEGIN + expected->before[0] * SECOND,
                                         .to_ns = BEGIN + expected->before[1] * SECOND};
    const struct profile_range after = {.label = "",
                                        .from_ns = BEGIN + expected->after[0] * SECOND,
                                        .to_ns = BEGIN + expected->after[1] * SECOND};
    AUTO(profile_tree) struct profile_tree *tree_before = NULL, *tree_after = NULL;
    const struct profile_range *none;

    assert_int_equal(
        profile_store_collect_two(store, &before, &after, &tree_before, &tree_after, &none),
        expected->r);
    if (expected->r < 0) {
        assert_null(tree_before);
        assert_null(tree_after);
        return;
    }
    assert_int_equal(tree_before->from_ns, BEGIN + expected->told_before[0] * SECOND);
    assert_int_equal(tree_before->to_ns, BEGIN + expected->told_before[1] * SECOND);
    assert_int_equal(tree_before->nodes[0].total,
                     expected->told_before[1] - expected->told_before[0]);
    assert_int_equal(tree_after->from_ns, BEGIN + expected->told_after[0] * SECOND);
    assert_int_equal(tree_after->to_ns, BEGIN + expected->told_after[1] * SECOND);
    assert_int_equal(tree_after->nodes[0].total, expected->told_after[1] - expected->told_after[0]);
}

static void collect_two__of_ranges_that_are_apart__counts_no_sample_in_both(void **state)
{
    static const struct two_ranges all[] = {
        {{30, 150}, {150, 270}, {0, 120}, {180, 300}, 0},    /* both are minutes */
        {{150, 270}, {30, 150}, {180, 300}, {0, 120}, 0},    /* likewise, the later one first */
        {{60, 120}, {120, 180}, {60, 120}, {120, 180}, 0},   /* nothing is widened */
        {{30, 100}, {200, 270}, {0, 60}, {240, 300}, 0},     /* there is time between them */
        {{30, 590}, {590, 595}, {0, 540}, {590, 595}, 0},    /* the later one is exact */
        {{585, 590}, {590, 595}, {585, 590}, {590, 595}, 0}, /* both are */
        {{30, 150}, {90, 270}, {0, 180}, {60, 300}, 0},      /* they are not apart */
        {{30, 40}, {40, 400}, {0, 60}, {60, 420}, 0}, /* all of the earlier one is in a minute */
        {{30, 40}, {40, 50}, .r = -EDOM},             /* both are in the same */
        {{540, 580}, {590, 595}, .r = -EDOM},
    };
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;

    (void)state;
    limits.recent = 15;
    store = store_of(&limits);
    for (uint64_t i = 0; i < 600; i++) {
        add_stack(store, 0, BEGIN + i * SECOND, "main", 1);
        profile_store_tick(store, BEGIN + i * SECOND);
    }
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        check_two(store, &all[i]);
}

static void collect_two__of_hours__leaves_out_the_hour_between_them(void **state)
{
    static const struct two_ranges all[] = {
        {{1800, 9000}, {9000, 16200}, {0, 7200}, {10800, 18000}, 0},
        {{8000, 9000}, {9000, 10000}, .r = -EDOM},
    };
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;

    (void)state;
    limits.recent = 0;
    store = store_of(&limits);
    for (uint64_t i = 0; i < 10 * UINT64_C(3600); i++) {
        add_stack(store, 0, BEGIN + i * SECOND, "main", 1);
        profile_store_tick(store, BEGIN + i * SECOND);
    }
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        check_two(store, &all[i]);
}

static void collect_two__where_one_has_no_samples__says_which(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    const struct profile_range some = {.label = "", .to_ns = BEGIN + SECOND};
    const struct profile_range no = {.scope = PROFILE_CGROUP, .label = "/a", .to_ns = BEGIN};
    const struct profile_range *none = NULL;
    struct profile_tree *one = NULL, *other = NULL;

    (void)state;
    add_stack(store, 0, BEGIN, "main", 1);
    assert_int_equal(profile_store_collect_two(store, &some, &no, &one, &other, &none), -ENOENT);
    assert_ptr_equal(none, &no);
    assert_int_equal(profile_store_collect_two(store, &no, &some, &one, &other, &none), -ENOENT);
    assert_ptr_equal(none, &no);
    assert_null(one);
    assert_null(other);
}

static void functions__of_one_name__are_shown_as_one(void **state)
{
    AUTO(profile_store) struct profile_store *store = store_of(&roomy);
    const uint32_t first = profile_store_unnamed(store, PROFILE_USER, "lib", "0x10");
    const uint32_t second = profile_store_unnamed(store, PROFILE_USER, "lib", "0x10");
    const uint32_t known = profile_store_function(store, PROFILE_USER, "lib", "malloc");
    AUTO(profile_tree) struct profile_tree *before = NULL, *after = NULL;

    (void)state;
    assert_int_not_equal(first, second);
    for (size_t i = 0; i < 2; i++) {
        profile_store_add(store, 0, BEGIN, &(struct profile_stack){&first, 1, PROFILE_NO_PLACE});
        profile_store_add(store, 0, BEGIN, &(struct profile_stack){&second, 1, PROFILE_NO_PLACE});
        profile_store_add(store, 0, BEGIN, &(struct profile_stack){&known, 1, PROFILE_NO_PLACE});
    }
    before = tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);
    assert_tree(before, "0x10 4\nmalloc 2\n");
    profile_store_rename(store, first, "malloc");
    profile_store_rename(store, known, "free"); /* it had its name from the beginning */
    after = tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);
    assert_tree(after, "0x10 2\nmalloc 4\n");
    assert_int_equal(after->n_functions, 2);
}

static void functions__without_room__are_folded_until_a_tick_makes_some(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    uint64_t generation;

    (void)state;
    limits.functions = 40;
    store = store_of(&limits);
    generation = profile_store_generation(store);
    add_stack(store, 0, BEGIN, "main;kept", 10);
    for (unsigned i = 0; i < 100; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "f%u", i);
        (void)profile_store_function(store, PROFILE_USER, "x", name);
    }
    assert_int_equal(figures_of(store).functions, 40);
    assert_int_equal(profile_store_function(store, PROFILE_USER, "x", "new"), 0);
    assert_int_equal(profile_store_generation(store), generation);
    profile_store_tick(store, BEGIN + SECOND);
    assert_int_not_equal(profile_store_generation(store), generation);
    assert_int_equal(figures_of(store).functions, 3);
    assert_int_not_equal(profile_store_function(store, PROFILE_USER, "x", "new"), 0);
    assert_int_equal(total_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND), 10);
}

/* One makes ever other stacks; what the other one has had before is still there. */
static void tenant__that_makes_thousands_of_stacks__leaves_others_theirs(void **state)
{
    struct profile_limits limits = {1000, 100000, 1 << 20, 100, 100};
    AUTO(profile_store) struct profile_store *store = store_of(&limits);
    AUTO(profile_tree) struct profile_tree *tree = NULL;

    (void)state;
    for (unsigned i = 0; i < 100; i++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "good;g%u", i);
        add_cgroup(store, "/good", BEGIN, stack, 1);
    }
    for (unsigned i = 0; i < 20000; i++) {
        char stack[64];

        (void)snprintf(stack, sizeof(stack), "bad;a%u;b%u", i % 999, i);
        add_cgroup(store, i % 2 ? "/bad/1" : "/bad/2", BEGIN + i / 100 * SECOND, stack, 1);
        assert_true(figures_of(store).nodes <= limits.nodes);
    }
    tree = tree_of(store, PROFILE_CGROUP, "/good", 0, BEGIN + HOUR);
    assert_int_equal(tree->nodes[0].total, 100);
    assert_int_equal(tree->n_nodes, 102);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "/bad", 0, BEGIN + HOUR), 20000);
    assert_true(figures_of(store).folded_samples > 0);
}

static void stack__of_255_frames__is_kept_whole_or_folded(void **state)
{
    struct profile_limits limits = roomy;
    uint32_t functions[255];

    (void)state;
    for (size_t round = 0; round < 2; round++) {
        AUTO(profile_store) struct profile_store *store = NULL;
        AUTO(profile_tree) struct profile_tree *tree = NULL;

        limits.nodes = round == 0 ? 10000 : 1;
        store = store_of(&limits);
        for (size_t i = 0; i < 255; i++)
            functions[i] = profile_store_function(store, PROFILE_USER, "x", i % 2 ? "a" : "b");
        profile_store_add(store, 0, BEGIN,
                          &(struct profile_stack){functions, 255, PROFILE_NO_PLACE});
        profile_store_add(store, 0, BEGIN, &(struct profile_stack){functions, 0, PROFILE_NO_PLACE});
        tree = tree_of(store, PROFILE_MACHINE, "", BEGIN, BEGIN + SECOND);
        assert_whole(tree);
        assert_int_equal(tree->nodes[0].total, 2);
        assert_int_equal(tree->nodes[0].self, 1);
        if (round == 0)
            assert_int_equal(tree->n_nodes, 256);
    }
}

static void slices__that_take_too_much__go_from_the_oldest_of_who_has_most(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;

    (void)state;
    limits.slice_bytes = 4000;
    limits.recent = 0;
    store = store_of(&limits);
    for (uint64_t i = 0; i < 55; i++) {
        const uint64_t now = BEGIN + i * MINUTE;

        for (unsigned j = 0; j < 50; j++) {
            char stack[32];

            (void)snprintf(stack, sizeof(stack), "main;f%u", j);
            add_cgroup(store, "/many", now, stack, 1);
        }
        if (i == 0)
            add_cgroup(store, "/few", now, "main", 1);
        profile_store_tick(store, now + 1);
        assert_true(figures_of(store).slice_bytes <= limits.slice_bytes);
    }
    assert_true(figures_of(store).dropped_slices > 0);
    assert_int_equal(total_of(store, PROFILE_CGROUP, "/few", 0, BEGIN + HOUR), 1);
    assert_true(total_of(store, PROFILE_CGROUP, "/many", 0, BEGIN + HOUR) < 55 * 50);
}

/* Cgroups come and go; what they had belongs to the one above them when there are too many. */
static void targets__that_ended__go_to_those_above_and_sums_stay(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;
    struct profile_target_info info;
    uint64_t n = 0;

    (void)state;
    limits.targets = 20;
    limits.recent = 0;
    store = store_of(&limits);
    add_cgroup(store, "/other/x", BEGIN, "main;x", 7);
    for (unsigned i = 0; i < 500; i++) {
        const uint64_t now = BEGIN + i * 20 * SECOND;
        char label[64];
        uint32_t target;

        (void)snprintf(label, sizeof(label), "/jobs/%u/run", i);
        target = profile_store_target(store, PROFILE_CGROUP, label);
        profile_store_tick(store, now);
        if (target == UINT32_MAX)
            target = profile_store_target(store, PROFILE_CGROUP, label);
        assert_int_not_equal(target, UINT32_MAX);
        add_cgroup(store, label, now, "main;job", 2);
        n += 2;
        assert_true(figures_of(store).targets <= 2 * limits.targets);
    }
    assert_int_equal(total_of(store, PROFILE_MACHINE, "", 0, BEGIN + 24 * HOUR), n + 7);
    assert_true(total_of(store, PROFILE_CGROUP, "/jobs", 0, BEGIN + 24 * HOUR) > n / 2);
    for (size_t i = 0; profile_store_list(store, i, &info); i++)
        assert_true(info.last_ns >= info.first_ns);
}

static void clock__that_is_set_back_or_ahead__loses_no_sample(void **state)
{
    struct profile_limits limits = roomy;
    AUTO(profile_store) struct profile_store *store = NULL;

    (void)state;
    limits.recent = 0;
    store = store_of(&limits);
    profile_store_tick(store, BEGIN + 10 * HOUR);
    add_stack(store, 0, BEGIN + 10 * HOUR, "main", 1);
    add_stack(store, 0, BEGIN + 1000 * HOUR, "main", 2); /* no time of ours */
    add_stack(store, 0, BEGIN, "main", 4);
    profile_store_tick(store, BEGIN + 5 * HOUR);
    add_stack(store, 0, BEGIN + 5 * HOUR, "main", 8);
    profile_store_tick(store, BEGIN + 11 * HOUR);
    add_stack(store, 0, BEGIN + 11 * HOUR, "main", 16);
    assert_int_equal(total_of(store, PROFILE_MACHINE, "", 0, BEGIN + 12 * HOUR), 31);
    assert_int_equal(
        total_of(store, PROFILE_MACHINE, "", BEGIN + 5 * HOUR, BEGIN + 5 * HOUR + MINUTE), 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cgroup__contains_what_is_below_it__in_both_forms_of_labels),
        cmocka_unit_test(collect__of_a_target_without_samples__is_refused),
        cmocka_unit_test(collect__of_seconds__is_exact_as_long_as_the_ring_reaches),
        cmocka_unit_test(collect__of_days__has_hours_and_forgets_after_eight_days),
        cmocka_unit_test(collect_two__of_ranges_that_are_apart__counts_no_sample_in_both),
        cmocka_unit_test(collect_two__of_hours__leaves_out_the_hour_between_them),
        cmocka_unit_test(collect_two__where_one_has_no_samples__says_which),
        cmocka_unit_test(functions__of_one_name__are_shown_as_one),
        cmocka_unit_test(functions__without_room__are_folded_until_a_tick_makes_some),
        cmocka_unit_test(tenant__that_makes_thousands_of_stacks__leaves_others_theirs),
        cmocka_unit_test(stack__of_255_frames__is_kept_whole_or_folded),
        cmocka_unit_test(slices__that_take_too_much__go_from_the_oldest_of_who_has_most),
        cmocka_unit_test(targets__that_ended__go_to_those_above_and_sums_stay),
        cmocka_unit_test(clock__that_is_set_back_or_ahead__loses_no_sample),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
