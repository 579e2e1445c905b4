/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_fixture.h"

#define MINUTE_OF(time_ns) ((uint32_t)((time_ns) / MINUTE))

static struct profile_store *store_at(const struct profile_limits *limits, uint64_t now_ns)
{
    struct profile_store *store = store_of(limits);

    profile_store_tick(store, now_ns);
    return store;
}

static uint32_t cgroup_of(struct profile_store *store, const char *label)
{
    const uint32_t target = profile_store_target(store, PROFILE_CGROUP, label);

    assert_int_not_equal(target, UINT32_MAX);
    return target;
}

/* Samples of two minutes, of all kinds of targets. */
static struct profile_store *store_with_samples(void)
{
    struct profile_store *store = store_at(&roomy, BEGIN);

    add_stack(store, cgroup_of(store, "/a"), BEGIN + SECOND, "main;work;leaf", 5);
    add_stack(store, cgroup_of(store, "/a/b"), BEGIN + SECOND, "main;work", 7);
    add_stack(store, profile_store_target(store, PROFILE_MACHINE, ""), BEGIN + SECOND, "idle", 11);
    add_stack(store, profile_store_target(store, PROFILE_PROCESSES, "sh"), BEGIN + SECOND, "main;x",
              13);
    add_stack(store, cgroup_of(store, "/a"), BEGIN + MINUTE + SECOND, "main;later", 17);
    profile_store_tick(store, BEGIN + 3 * MINUTE);
    return store;
}

static void pack(const struct profile_store *store, uint64_t from_ns, uint64_t to_ns,
                 struct text *bytes)
{
    assert_int_equal(profile_store_pack(store, MINUTE_OF(from_ns), MINUTE_OF(to_ns), bytes), 0);
}

static void what_is_packed__comes_out_as_it_was(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN + HOUR / 2);
    AUTO(profile_tree) struct profile_tree *tree = NULL, *processes = NULL;
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    pack(from, BEGIN, BEGIN + MINUTE, &bytes);
    assert_int_equal(profile_store_unpack(to, bytes.data, bytes.length), 0);
    tree = tree_of(to, PROFILE_MACHINE, "", BEGIN, BEGIN + 2 * MINUTE);
    assert_tree(tree, "idle 11\nmain;work 7\nmain;work;leaf 5\n");
    assert_whole(tree);
    assert_int_equal(tree->rate_hz, RATE);
    processes = tree_of(to, PROFILE_PROCESSES, "sh", BEGIN, BEGIN + 2 * MINUTE);
    assert_tree(processes, "main;x 13\n");
    assert_int_equal(total_of(to, PROFILE_CGROUP, "/a", BEGIN, BEGIN + MINUTE), 12);
}

static void what_is_taken_in__stands_beside_what_is_sampled(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN + 3 * MINUTE);
    AUTO(profile_tree) struct profile_tree *recent = NULL;
    AUTO_TEXT struct text bytes = {0};
    const uint64_t now = BEGIN + 3 * MINUTE + SECOND;

    (void)state;
    add_stack(to, cgroup_of(to, "/a"), now, "main;later", 2);
    pack(from, BEGIN, BEGIN + 2 * MINUTE, &bytes);
    assert_int_equal(profile_store_unpack(to, bytes.data, bytes.length), 0);
    assert_int_equal(total_of(to, PROFILE_CGROUP, "/a", BEGIN, now + SECOND), 5 + 7 + 17 + 2);
    recent = tree_of(to, PROFILE_CGROUP, "/a", now - SECOND / 2, now + SECOND); /* by the ring */
    assert_tree(recent, "main;later 2\n");
}

static void minutes_that_are_taken_in__become_hours(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN + HOUR / 2);
    AUTO(profile_store) struct profile_store *last = store_at(&roomy, BEGIN + 4 * HOUR);
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    AUTO_TEXT struct text bytes = {0}, hour = {0};

    (void)state;
    pack(from, BEGIN, BEGIN + 2 * MINUTE, &bytes);
    assert_int_equal(profile_store_unpack(to, bytes.data, bytes.length), 0);
    profile_store_tick(to, BEGIN + 3 * HOUR);
    assert_int_equal(profile_store_times(to).minutes_from, MINUTE_OF(BEGIN + 2 * HOUR));
    pack(to, BEGIN, BEGIN + HOUR, &hour);
    assert_int_equal(profile_store_unpack(last, hour.data, hour.length), 0);
    tree = tree_of(last, PROFILE_CGROUP, "/a", BEGIN + MINUTE, BEGIN + 2 * MINUTE);
    assert_tree(tree, "main;later 17\nmain;work 7\nmain;work;leaf 5\n");
    assert_int_equal(tree->to_ns - tree->from_ns, HOUR);
}

static void a_period_without_samples__has_no_bytes(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    pack(from, BEGIN - HOUR, BEGIN, &bytes);
    pack(from, BEGIN + 2 * MINUTE, BEGIN + HOUR, &bytes);
    assert_int_equal(bytes.length, 0);
}

static void a_store_that_ends__closes_its_minutes(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_at(&roomy, BEGIN);
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    add_stack(from, cgroup_of(from, "/a"), BEGIN + SECOND, "main", 5);
    pack(from, BEGIN, BEGIN + MINUTE, &bytes);
    assert_int_equal(bytes.length, 0);
    profile_store_close(from);
    pack(from, BEGIN, BEGIN + MINUTE, &bytes);
    assert_int_not_equal(bytes.length, 0);
}

/* What finds no room is folded, and no sample is lost. */
static void a_store_with_less_room__folds(void **state)
{
    struct profile_limits narrow = roomy;
    AUTO(profile_store) struct profile_store *from = store_at(&roomy, BEGIN);
    AUTO(profile_store) struct profile_store *to = NULL;
    AUTO_TEXT struct text bytes = {0};
    struct profile_figures figures;
    char stack[64];

    (void)state;
    for (int i = 0; i < 900; i++) {
        (void)snprintf(stack, sizeof(stack), "main;work;leaf_%d", i);
        add_stack(from, cgroup_of(from, "/a"), BEGIN + SECOND, stack, 2);
    }
    profile_store_tick(from, BEGIN + 3 * MINUTE);
    pack(from, BEGIN, BEGIN + MINUTE, &bytes);
    narrow.nodes = narrow.functions = 100;
    to = store_at(&narrow, BEGIN + 3 * MINUTE);
    assert_int_equal(profile_store_unpack(to, bytes.data, bytes.length), 0);
    profile_store_figures(to, &figures);
    assert_true(figures.nodes <= 101);
    assert_int_not_equal(figures.folded_samples, 0);
    assert_int_equal(total_of(to, PROFILE_CGROUP, "/a", BEGIN, BEGIN + MINUTE), 1800);
}

static void what_lies_ahead__is_left_out_and_counted(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN - HOUR);
    AUTO_TEXT struct text bytes = {0};
    struct profile_figures figures;

    (void)state;
    pack(from, BEGIN, BEGIN + MINUTE, &bytes);
    assert_int_equal(profile_store_unpack(to, bytes.data, bytes.length), 0);
    profile_store_figures(to, &figures);
    assert_int_equal(figures.dropped_slices, 4);
    assert_int_equal(figures.slices, 0);
}

static void bytes_that_are_cut_off__are_damaged(void **state)
{
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    pack(from, BEGIN, BEGIN + 2 * MINUTE, &bytes);
    for (size_t n = 0; n < bytes.length; n++) {
        AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN + HOUR);
        AUTO_FREE char *copy = malloc(n + 1); /* so that reading beyond it is seen */

        memcpy(copy, bytes.data, n);
        copy = realloc(copy, n ? n : 1);
        assert_int_equal(profile_store_unpack(to, copy, n), -EBADMSG);
    }
}

static void bytes_that_are_changed__leave_a_store_that_is_whole(void **state)
{
    static const unsigned char others[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    AUTO(profile_store) struct profile_store *from = store_with_samples();
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    pack(from, BEGIN, BEGIN + 2 * MINUTE, &bytes);
    for (size_t i = 0; i < bytes.length; i++)
        for (size_t j = 0; j < sizeof(others); j++) {
            AUTO(profile_store) struct profile_store *to = store_at(&roomy, BEGIN + HOUR);
            AUTO(profile_tree) struct profile_tree *tree = NULL;
            const struct profile_range all = {
                .scope = PROFILE_MACHINE, .label = "", .to_ns = BEGIN + 2 * HOUR};
            const char before = bytes.data[i];

            bytes.data[i] = (char)others[j];
            (void)profile_store_unpack(to, bytes.data, bytes.length);
            bytes.data[i] = before;
            if (profile_store_collect(to, &all, &tree) == 0)
                assert_whole(tree);
            profile_store_tick(to, BEGIN + 5 * HOUR);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed__comes_out_as_it_was),
        cmocka_unit_test(what_is_taken_in__stands_beside_what_is_sampled),
        cmocka_unit_test(minutes_that_are_taken_in__become_hours),
        cmocka_unit_test(a_period_without_samples__has_no_bytes),
        cmocka_unit_test(a_store_that_ends__closes_its_minutes),
        cmocka_unit_test(a_store_with_less_room__folds),
        cmocka_unit_test(what_lies_ahead__is_left_out_and_counted),
        cmocka_unit_test(bytes_that_are_cut_off__are_damaged),
        cmocka_unit_test(bytes_that_are_changed__leave_a_store_that_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
