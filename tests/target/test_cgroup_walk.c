/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_fixture.h"

static void walk__an_overflow_of_events_is_made_good_by_a_walk(void **state)
{
    struct fixture *f = *state;
    uint64_t rescans;

    rule(f, "/**", NULL);
    make(f, "/old");
    start(f, roomy);
    update(f);
    rescans = census(f)->rescans;
    for (int i = 0; i < 9000; i++) { /* two events each; the queue takes 16,384 by default */
        make(f, "/churn");
        destroy(f, "/churn");
    }
    destroy(f, "/old");
    make(f, "/new");
    make(f, "/new/below");
    update(f);
    if (census(f)->rescans == rescans)
        print_message("fs.inotify.max_queued_events is large here: no overflow\n");
    assert_news(f, 2, 1);
    assert_non_null(born(f, "/new/below"));
    make(f, "/after");
    update(f);
    assert_news(f, 1, 0);
}

static void walk__the_slow_walk_finds_what_no_event_told(void **state)
{
    struct fixture *f = *state;
    struct directory_event event;

    rule(f, "/**", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    destroy(f, "/a");
    make(f, "/b");
    while (directory_watch_next(f->set->watch, &event) > 0) /* these events are lost */
        ;
    update(f);
    assert_news(f, 0, 0);
    f->set->rescan_interval_ns = 0;
    update(f);
    assert_news(f, 1, 1);
    assert_int_equal(census(f)->rescans, 2);
}

static void walk__without_inotify_each_update_walks(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    start(f, roomy);
    update(f);
    f->set->watch = directory_watch_free(f->set->watch);
    f->set->census.watching = false;
    make(f, "/a");
    update(f); /* the update tries again, and succeeds here */
    assert_news(f, 1, 0);
    assert_true(census(f)->watching);
    assert_int_equal(census(f)->rescans, 2);
    make(f, "/a/b");
    update(f);
    assert_news(f, 1, 0);
    assert_int_equal(census(f)->rescans, 2);
}

static void walk__names_of_any_bytes_are_found(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/before \"\\}\x1b\xe2\x80\xae\xff");
    start(f, roomy);
    update(f);
    assert_news(f, 1, 0);
    for (int byte = 1; byte < 256; byte++) {
        char path[] = {'/', 'x', (char)byte, '\0'};

        if (byte != '/')
            make(f, path);
    }
    update(f);
    assert_news(f, 254, 0);
    assert_non_null(born(f, "/x\xff"));
    assert_non_null(born(f, "/x\r"));
}

static void walk__paths_longer_than_path_max_are_found(void **state)
{
    struct fixture *f = *state;
    int at = dup(f->root_fd);
    char name[201];

    memset(name, 'n', sizeof(name) - 1);
    name[200] = '\0';
    rule(f, "/**", NULL);
    start(f, roomy);
    for (int depth = 0; depth < 100; depth++) { /* 20,100 bytes */
        int below;

        assert_int_equal(mkdirat(at, name, 0755), 0);
        below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(below >= 0);
        (void)close(at);
        at = below;
    }
    (void)close(at);
    update(f);
    assert_news(f, CGROUP_PATH_LENGTH_MAX / 201, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 1); /* the first that is too long */
}

static void walk__a_burst_of_three_thousand_is_complete_at_once(void **state)
{
    struct fixture *f = *state;

    rule(f, "/a/**", NULL);
    make(f, "/a");
    start(f, (struct cgroup_limits){5000, 5000, ABSENCE_OVER_LIMIT});
    update(f);
    for (int i = 0; i < 3000; i++) {
        char path[32];

        (void)snprintf(path, sizeof(path), "/a/%d", i);
        make(f, path);
    }
    update(f);
    assert_news(f, 3000, 0);
    for (int i = 0; i < 3000; i++) {
        char path[32];

        (void)snprintf(path, sizeof(path), "/a/%d", i);
        destroy(f, path);
    }
    update(f);
    assert_news(f, 0, 3000);
    assert_int_equal(census(f)->standing, 0);
    while (f->changes.n_gone > 0)
        cgroup_targets_release(f->set, f->changes.gone[--f->changes.n_gone]);
    assert_int_equal(cgroup_targets_count(f->set), 0);
    assert_int_equal(HASH_CNT(by_watch, f->set->tree.watches), 2);
}

/* A following takes a bounded number of events, so that it does not delay a cycle. */
static void walk__between_updates_a_burst_is_taken_in_bounded_parts(void **state)
{
    struct fixture *f = *state;
    size_t n = 0, most = 0, rescans;
    int times = 0;

    rule(f, "/a/**", NULL);
    make(f, "/a");
    start(f, (struct cgroup_limits){5000, 5000, ABSENCE_OVER_LIMIT});
    update(f);
    rescans = census(f)->rescans;
    for (int i = 0; i < 3000; i++) {
        char path[32];

        (void)snprintf(path, sizeof(path), "/a/%d", i);
        make(f, path);
    }
    for (times = 0; n < 3000 && times < 100; times++) {
        assert_int_equal(cgroup_targets_follow(f->set, &f->changes), 0);
        n += f->changes.n_born;
        most = f->changes.n_born > most ? f->changes.n_born : most;
    }
    assert_int_equal(n, 3000);
    assert_in_range(most, 1, 300);
    assert_false(cgroup_targets_has_events(f->set));
    assert_int_equal(census(f)->rescans, rescans);
}

/* In whatever order things happen, the result follows from the rules and from what exists. */
static void walk__after_any_churn_the_set_is_what_is_there(void **state)
{
    struct fixture *f = *state;
    bool there[4][4] = {{false}};
    uint32_t seed = 7;

    rule(f, "/**", NULL);
    start(f, roomy);
    for (int step = 0; step < 4000; step++) {
        size_t wanted = 0;
        unsigned i = (seed = seed * 1664525 + 1013904223) >> 30;
        unsigned j = (seed = seed * 1664525 + 1013904223) >> 30;
        char path[16];

        (void)snprintf(path, sizeof(path), j ? "%u/%u" : "%u", i, j);
        if (there[i][j] && unlinkat(f->root_fd, path, AT_REMOVEDIR) == 0)
            there[i][j] = false;
        else if (!there[i][j] && mkdirat(f->root_fd, path, 0755) == 0)
            there[i][j] = true;
        if (seed >> 8 & 3)
            continue;
        f->set->rescan = (seed >> 12 & 7) == 0;
        update(f);
        while (f->changes.n_gone > 0)
            cgroup_targets_release(f->set, f->changes.gone[--f->changes.n_gone]);
        for (i = 0; i < 4; i++)
            for (j = 0; j < 4; j++)
                wanted += there[i][j];
        assert_int_equal(census(f)->standing, wanted);
        assert_int_equal(cgroup_targets_count(f->set), wanted);
    }
}

static void walk__a_rename_found_by_a_walk_keeps_its_watch(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/z");
    start(f, roomy);
    update(f);
    for (int i = 0; i < 20; i++) {
        char from[16], to[16];

        (void)snprintf(from, sizeof(from), i ? "n%d" : "z", i);
        (void)snprintf(to, sizeof(to), "n%d", i + 1);
        assert_int_equal(renameat(f->root_fd, from, f->root_fd, to), 0);
        f->set->rescan = true;
        update(f);
        assert_news(f, 1, 1);
    }
    make(f, "/n20/x");
    update(f);
    assert_non_null(born(f, "/n20/x"));
}

static void walk__files_and_links_are_no_cgroups(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/a");
    assert_int_equal(symlinkat("a", f->root_fd, "before"), 0);
    start(f, roomy);
    update(f);
    assert_news(f, 1, 0);
    assert_int_equal(symlinkat("a", f->root_fd, "link"), 0);
    assert_int_equal(symlinkat("/", f->root_fd, "a/out"), 0);
    (void)close(openat(f->root_fd, "file", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
    update(f);
    assert_news(f, 0, 0);
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
}

static void walk__only_what_a_rule_may_want_is_watched(void **state)
{
    struct fixture *f = *state;

    rule(f, "/a/*", NULL);
    make(f, "/a");
    make(f, "/a/b");
    make(f, "/c");
    start(f, roomy);
    update(f);
    assert_news(f, 1, 0);
    assert_int_equal(HASH_CNT(by_watch, f->set->tree.watches), 2);
    assert_int_equal(HASH_CNT(by_name, f->set->tree.names), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(walk__an_overflow_of_events_is_made_good_by_a_walk),
        TEST(walk__the_slow_walk_finds_what_no_event_told),
        TEST(walk__without_inotify_each_update_walks),
        TEST(walk__names_of_any_bytes_are_found),
        TEST(walk__paths_longer_than_path_max_are_found),
        TEST(walk__a_burst_of_three_thousand_is_complete_at_once),
        TEST(walk__between_updates_a_burst_is_taken_in_bounded_parts),
        TEST(walk__after_any_churn_the_set_is_what_is_there),
        TEST(walk__a_rename_found_by_a_walk_keeps_its_watch),
        TEST(walk__files_and_links_are_no_cgroups),
        TEST(walk__only_what_a_rule_may_want_is_watched),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_walk", tests, NULL, NULL);
}
