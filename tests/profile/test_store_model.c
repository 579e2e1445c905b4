/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Random samples go to a store and to a list of all of them. What the store tells of any range must
 * be what the list has in it; where the store is too small for all stacks, the totals must be.
 */
#include "profile/store_fixture.h"

#define SAMPLES_MOST 200000
#define LABELS       7

static const struct {
    enum profile_scope scope;
    const char *label;
} targets[LABELS] = {{PROFILE_MACHINE, ""},         {PROFILE_CGROUP, "/a"},
                     {PROFILE_CGROUP, "/a/b"},      {PROFILE_CGROUP, "/ab"},
                     {PROFILE_CGROUP, "%/a/x%0Ay"}, {PROFILE_CGROUP, "/system.slice/s"},
                     {PROFILE_PROCESSES, "java"}};

/* Which targets a question about each of them, in the same order, has. */
static const bool contains[LABELS][LABELS] = {
    {1, 1, 1, 1, 1, 1, 0}, {0, 1, 1, 0, 1, 0, 0}, {0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0},
    {0, 0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1}};

struct known {
    uint64_t time_ns;
    unsigned target, stack;
};

static struct known *samples;
static size_t n_samples;
static unsigned seed;

static unsigned below(unsigned n)
{
    return (unsigned)rand_r(&seed) % n;
}

/* Stack k is "f<k % 5>;g<k % 50>;h<k>;…", some of them deep. */
static void write_stack(unsigned stack, struct text *text)
{
    text_append_format(text, "f%u;g%u;h%u", stack % 5, stack % 50, stack);
    for (unsigned i = 0; i < stack % 7 * (stack % 11 == 0 ? 30 : 1); i++)
        text_append_format(text, ";r%u", i);
}

static void add_one(struct profile_store *store, uint64_t time_ns, unsigned n_stacks)
{
    const unsigned target = below(LABELS), stack = below(2) ? below(n_stacks) : below(8);
    struct text text = {0};
    char *path;

    write_stack(stack, &text);
    path = text_take(&text);
    add_stack(store, profile_store_target(store, targets[target].scope, targets[target].label),
              time_ns, path, 1);
    free(path);
    assert_true(n_samples < SAMPLES_MOST);
    samples[n_samples++] = (struct known){time_ns, target, stack};
}

static char *expected_text(unsigned asked, uint64_t from_ns, uint64_t to_ns, uint64_t *ret_total)
{
    char **lines = calloc(1000, sizeof(*lines));
    size_t counts[1000] = {0}, n = 0;

    *ret_total = 0;
    for (size_t i = 0; i < n_samples; i++)
        if (contains[asked][samples[i].target] && samples[i].time_ns >= from_ns &&
            samples[i].time_ns < to_ns) {
            counts[samples[i].stack]++;
            (*ret_total)++;
        }
    for (unsigned i = 0; i < 1000; i++)
        if (counts[i] > 0) {
            struct text line = {0};

            write_stack(i, &line);
            text_append_format(&line, " %zu\n", counts[i]);
            lines[n++] = text_take(&line);
        }
    return join_sorted(lines, n);
}

static void compare(const struct profile_store *store, unsigned asked, uint64_t from_ns,
                    uint64_t to_ns, bool is_exact)
{
    const struct profile_range range = {.scope = targets[asked].scope,
                                        .label = targets[asked].label,
                                        .from_ns = from_ns,
                                        .to_ns = to_ns};
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    uint64_t total;
    int r = profile_store_collect(store, &range, &tree);
    char *expected;

    if (r == -ENOENT) {
        expected = expected_text(asked, 0, UINT64_MAX, &total);
        assert_int_equal(total, 0);
        free(expected);
        return;
    }
    assert_int_equal(r, 0);
    assert_whole(tree);
    assert_true(tree->to_ns >= tree->from_ns);
    expected = expected_text(asked, tree->from_ns, tree->to_ns, &total);
    assert_int_equal(tree->nodes[0].total, total);
    if (is_exact)
        assert_tree(tree, expected);
    free(expected);
}

static void live(const struct profile_limits *limits, uint64_t pace_ns, size_t n, unsigned n_stacks,
                 bool is_exact)
{
    AUTO(profile_store) struct profile_store *store = store_of(limits);
    uint64_t now = BEGIN + 17 * SECOND;

    n_samples = 0;
    for (size_t i = 0; i < n; i++) {
        now += (1 + below(1000)) * (pace_ns / 500 / 1000000 * 1000000);
        if (pace_ns > 5 * SECOND || below(3) == 0) /* a time far ahead of the tick is no time */
            profile_store_tick(store, now);
        add_one(store, now - below(4000) * 1000000, n_stacks);
        if (below(100) == 0)
            for (unsigned asked = 0; asked < LABELS; asked++) {
                const uint64_t from = now - below(200) * pace_ns;

                compare(store, asked, from, from + (1 + below(150)) * pace_ns, is_exact);
                compare(store, asked, BEGIN, now + 1, is_exact);
            }
    }
}

static int setup(void **state)
{
    const char *given = getenv("PMU_TEST_SEED");

    (void)state;
    seed = given ? (unsigned)strtoul(given, NULL, 10) : 20261125;
    print_message("seed %u\n", seed);
    samples = calloc(SAMPLES_MOST, sizeof(*samples));
    return samples ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    free(samples);
    return 0;
}

static void store__of_samples_of_seconds__tells_each_range_exactly(void **state)
{
    (void)state;
    live(&roomy, SECOND / 2, 4000, 300, true);
}

static void store__over_hours__tells_ranges_of_minutes_and_hours(void **state)
{
    struct profile_limits limits = roomy;

    (void)state;
    limits.recent = 100;
    live(&limits, 30 * SECOND, 3000, 300, true);
}

static void store__without_a_ring__tells_the_same(void **state)
{
    struct profile_limits limits = roomy;

    (void)state;
    limits.recent = 0;
    live(&limits, 5 * SECOND, 3000, 300, true);
}

static void store__that_is_too_small__keeps_all_totals(void **state)
{
    struct profile_limits limits = roomy;

    (void)state;
    limits.nodes = 300;
    limits.functions = 200;
    live(&limits, 5 * SECOND, 5000, 900, false);
}

static void store__that_is_far_too_small__keeps_all_totals(void **state)
{
    struct profile_limits limits = roomy;

    (void)state;
    limits.nodes = 1;
    limits.functions = 1;
    limits.recent = 50;
    live(&limits, 20 * SECOND, 3000, 900, false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(store__of_samples_of_seconds__tells_each_range_exactly),
        cmocka_unit_test(store__over_hours__tells_ranges_of_minutes_and_hours),
        cmocka_unit_test(store__without_a_ring__tells_the_same),
        cmocka_unit_test(store__that_is_too_small__keeps_all_totals),
        cmocka_unit_test(store__that_is_far_too_small__keeps_all_totals),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
