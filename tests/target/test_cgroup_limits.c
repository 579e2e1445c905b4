/* SPDX-License-Identifier: Apache-2.0 */
#include <sched.h>
#include <sys/wait.h>

#include "target/cgroup_fixture.h"

/* Makes n directories; their names are `path` with a number behind it. */
static void make_many(struct fixture *f, const char *path, int n)
{
    for (int i = 0; i < n; i++) {
        char name[128];

        (void)snprintf(name, sizeof(name), "%s%d", path, i);
        make(f, name);
    }
}

static void destroy_many(struct fixture *f, const char *path, int n)
{
    for (int i = 0; i < n; i++) {
        char name[128];

        (void)snprintf(name, sizeof(name), "%s%d", path, i);
        destroy(f, name);
    }
}

static struct cgroup_limits limits_of(size_t targets, size_t per_subtree)
{
    return (struct cgroup_limits){targets, per_subtree, ABSENCE_OVER_LIMIT};
}

static void assert_refused(const struct fixture *f, size_t now, uint64_t ever)
{
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], now);
    assert_int_equal(census(f)->dropped[ABSENCE_OVER_LIMIT], ever);
}

static void limits__those_that_stand_stay_and_newcomers_are_refused(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*", NULL);
    start(f, limits_of(3, 3));
    update(f);
    make_many(f, "/a", 3);
    update(f);
    assert_news(f, 3, 0);
    make_many(f, "/b", 2);
    update(f);
    assert_news(f, 0, 0);
    assert_refused(f, 2, 2);
    update(f);
    assert_refused(f, 2, 2);
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
    assert_refused(f, 2, 2);
    assert_int_equal(census(f)->standing, 3);
}

/* A user makes as many services below user@1.service as it likes. */
static void limits__one_user_leaves_room_to_the_others(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*/*/*", NULL);
    start(f, limits_of(16, 12));
    update(f);
    make(f, "/user.slice");
    make(f, "/user.slice/user-1.slice");
    make_many(f, "/user.slice/user-1.slice/a", 20);
    update(f);
    assert_news(f, 9, 0);
    make(f, "/user.slice/user-2.slice");
    make_many(f, "/user.slice/user-2.slice/b", 5);
    update(f);
    assert_news(f, 3, 0);
    make(f, "/system.slice");
    make(f, "/system.slice/x.slice");
    make_many(f, "/system.slice/x.slice/c", 5);
    update(f);
    assert_news(f, 3, 0); /* the last place is for who comes next */
    assert_refused(f, 11 + 2 + 2, 11 + 2 + 2);
    destroy_many(f, "/user.slice/user-1.slice/a", 20);
    destroy(f, "/user.slice/user-1.slice");
    update(f);
    assert_news(f, 4, 9); /* of the other user, and of the system */
    assert_refused(f, 0, 15);
    destroy_many(f, "/user.slice/user-2.slice/b", 5);
    destroy(f, "/user.slice/user-2.slice");
    destroy(f, "/user.slice");
    update(f);
    assert_news(f, 0, 5);
}

static void limits__a_refused_one_comes_in_when_there_is_room(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*", NULL);
    start(f, limits_of(2, 2));
    update(f);
    make_many(f, "/a", 2);
    update(f);
    make_many(f, "/b", 3);
    update(f);
    assert_refused(f, 3, 3);
    destroy(f, "/a0");
    update(f);
    assert_news(f, 1, 1);
    assert_refused(f, 2, 3);
    /* a cgroup that ended while it waited is no candidate any more */
    destroy_many(f, "/b", 3);
    update(f);
    destroy(f, "/a1");
    make(f, "/c");
    update(f);
    assert_int_equal(f->changes.n_born, 1);
    assert_refused(f, 0, 3);
}

static void limits__the_reason_is_what_the_caller_says(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*", NULL);
    make_many(f, "/a", 5);
    start(f, (struct cgroup_limits){2, 4, ABSENCE_NO_DESCRIPTORS});
    update(f);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 3);
    assert_int_equal(census(f)->dropped[ABSENCE_NO_DESCRIPTORS], 3);
    assert_refused(f, 0, 0);
}

static void limits__a_top_level_cgroup_has_its_share(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*/**", NULL);
    make(f, "/hostile");
    make_many(f, "/hostile/x", 50);
    make(f, "/other");
    make_many(f, "/other/x", 4);
    start(f, limits_of(20, 5));
    update(f);
    assert_news(f, 9, 0);
    assert_refused(f, 45, 45);
    for (int i = 0; i < 4; i++) {
        char path[32];

        (void)snprintf(path, sizeof(path), "/other/x%d", i);
        assert_non_null(born(f, path));
    }
    destroy(f, "/other/x0");
    update(f);
    assert_news(f, 0, 1); /* the room that this leaves is not for the hostile one */
    make(f, "/third");
    make(f, "/third/x");
    update(f);
    assert_news(f, 1, 0);
}

static void limits__however_many_take_their_share_there_is_one_for_the_next(void **state)
{
    static const size_t shares[] = {75, 19, 5, 1};
    struct fixture *f = *state;

    rule(f, "/*/*", NULL);
    start(f, limits_of(100, 75));
    update(f);
    for (int i = 0; i < 4; i++) {
        char path[32];

        (void)snprintf(path, sizeof(path), "/tenant%d", i);
        make(f, path);
        (void)strcat(path, "/x");
        make_many(f, path, 100);
        update(f);
        assert_news(f, shares[i], 0);
    }
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
    assert_int_equal(census(f)->standing, 100);
    assert_refused(f, 300, 300);
}

static void limits__thousands_of_one_user_cost_bounded_memory(void **state)
{
    struct fixture *f = *state;
    struct cgroup_subtree *subtree;

    rule(f, "/**", NULL);
    make(f, "/hostile");
    start(f, limits_of(1000, 250));
    update(f);
    make_many(f, "/hostile/a-name-of-some-length-that-nobody-needs-", 20000);
    make(f, "/victim");
    make(f, "/victim/x");
    update(f);
    assert_int_equal(census(f)->standing, 252);
    assert_non_null(born(f, "/victim/x"));
    assert_refused(f, 20001 - 250, 20001 - 250);
    subtree = f->set->tree.root->children.lh_first->subtree;
    if (subtree->bytes < 10000) /* the other one */
        subtree = f->set->tree.root->children.lh_first->sibling.le_next->subtree;
    assert_in_range(subtree->bytes, (1 << 20), (2 << 20) + 250 * 512);
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
    assert_refused(f, 20001 - 250, 20001 - 250);
    destroy_many(f, "/hostile/a-name-of-some-length-that-nobody-needs-", 20000);
    update(f);
    assert_refused(f, 0, 20001 - 250);
    assert_int_equal(census(f)->standing, 3);
    assert_int_equal(subtree->targets, 1);
}

static void limits__one_that_memory_had_no_room_for_comes_in_by_a_walk(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/a");
    start(f, roomy);
    f->set->tree.subtree_bytes_max = sizeof(struct cgroup_node) * 3 + 10;
    update(f);
    make_many(f, "/a/x", 4);
    update(f);
    assert_int_equal(census(f)->standing, 3);
    assert_refused(f, 2, 2);
    destroy(f, "/a/x0");
    destroy(f, "/a/x3"); /* one that was left out */
    update(f);
    assert_news(f, 0, 1);
    assert_refused(f, 1, 2);
    f->set->rescan = true;
    update(f);
    assert_news(f, 1, 0);
    assert_refused(f, 0, 2);
}

static void limits__short_lives_beyond_memory_leave_no_trace(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/a");
    start(f, roomy);
    f->set->tree.subtree_bytes_max = sizeof(struct cgroup_node) + 10;
    update(f);
    make(f, "/a/stays");
    for (int i = 0; i < 10; i++) {
        make(f, "/a/churn");
        destroy(f, "/a/churn");
    }
    update(f);
    assert_refused(f, 1, 11);
    f->set->rescan = true;
    update(f);
    assert_refused(f, 1, 11);
}

static void limits__churn_among_the_refused_opens_nothing_for_good(void **state)
{
    struct fixture *f = *state;

    rule(f, "/a/**", NULL);
    make(f, "/a");
    make(f, "/a/stands");
    start(f, limits_of(1, 1));
    update(f);
    for (int i = 0; i < 500; i++) {
        make(f, "/a/churn");
        make(f, "/a/churn/below");
        update(f);
        assert_news(f, 0, 0);
        destroy(f, "/a/churn/below");
        destroy(f, "/a/churn");
    }
    update(f);
    /* a cgroup may be reborn below a parent that is reborn, and be found under both parents */
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 0);
    assert_in_range(census(f)->dropped[ABSENCE_OVER_LIMIT], 1000, 1500);
    assert_int_equal(HASH_CNT(by_watch, f->set->tree.watches), 3); /* root, a, stands */
    assert_int_equal(HASH_CNT(by_name, f->set->tree.names), 2);
}

static void limits__without_descriptors_one_waits_and_comes_in_later(void **state)
{
    struct fixture *f = *state;
    struct rlimit before, low;
    int highest;

    rule(f, "/*", NULL);
    start(f, roomy);
    update(f);
    make_many(f, "/a", 5);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    highest = dup(f->root_fd);
    low = before;
    low.rlim_cur = (rlim_t)highest + 2;
    (void)close(highest);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    update(f);
    assert_news(f, 2, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 3);
    assert_int_equal(census(f)->dropped[ABSENCE_NO_DESCRIPTORS], 3);
    update(f);
    assert_news(f, 0, 0);
    assert_int_equal(census(f)->dropped[ABSENCE_NO_DESCRIPTORS], 3);
    destroy(f, "/a0"); /* an end is seen all the same */
    destroy(f, "/a4");
    update(f);
    assert_int_equal(f->changes.n_gone, 1);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    update(f);
    assert_int_equal(census(f)->standing, 3);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
}

static void limits__a_walk_without_descriptors_goes_on_later(void **state)
{
    struct fixture *f = *state;
    struct rlimit before, low;

    rule(f, "/*/*", NULL);
    make_many(f, "/a", 3);
    make_many(f, "/a1/b", 3);
    start(f, roomy);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    low = before;
    low.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
    update(f);
    assert_news(f, 0, 0);
    assert_false(census(f)->watching);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    update(f);
    assert_news(f, 3, 0);
    assert_true(census(f)->watching);
}

static void limits__no_target_is_counted_at_limit_zero(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/a");
    start(f, limits_of(0, 0));
    update(f);
    assert_news(f, 0, 0);
    assert_refused(f, 1, 1);
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    (void)close(fd);
    return written;
}

/* Runs in a user namespace of its own, whose limit of watches is 3. Returns 0, 77, or the line that
 * failed. */
static int live_with_three_watches(struct fixture *f)
{
    if (unshare(CLONE_NEWUSER) < 0 || !write_file("/proc/sys/user/max_inotify_watches", "3"))
        return 77;
    update(f);
    if (census(f)->watching || f->changes.n_born != 5)
        return 1;
    if (mkdirat(f->root_fd, "a4/b", 0755) < 0 || mkdirat(f->root_fd, "a0/b", 0755) < 0)
        return 77;
    update(f);
    if (census(f)->watching || f->changes.n_born != 2 || census(f)->rescans != 2)
        return 2;
    if (!write_file("/proc/sys/user/max_inotify_watches", "100"))
        return 77;
    update(f);
    return census(f)->watching && f->changes.n_born == 0 ? 0 : 3;
}

static void limits__without_watches_each_update_walks(void **state)
{
    struct fixture *f = *state;
    int status;
    pid_t child;

    rule(f, "/**", NULL);
    make_many(f, "/a", 5);
    assert_int_equal(fchmod(f->root_fd, 0777), 0);
    for (int i = 0; i < 5; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "a%d", i);
        assert_int_equal(fchmodat(f->root_fd, name, 0777, 0), 0);
    }
    start(f, roomy);
    child = fork();
    if (child == 0)
        _exit(live_with_three_watches(f));
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77) {
        print_message("skipped: no user namespace with a limit of inotify watches here\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(limits__those_that_stand_stay_and_newcomers_are_refused),
        TEST(limits__one_user_leaves_room_to_the_others),
        TEST(limits__a_refused_one_comes_in_when_there_is_room),
        TEST(limits__the_reason_is_what_the_caller_says),
        TEST(limits__a_top_level_cgroup_has_its_share),
        TEST(limits__however_many_take_their_share_there_is_one_for_the_next),
        TEST(limits__thousands_of_one_user_cost_bounded_memory),
        TEST(limits__one_that_memory_had_no_room_for_comes_in_by_a_walk),
        TEST(limits__short_lives_beyond_memory_leave_no_trace),
        TEST(limits__churn_among_the_refused_opens_nothing_for_good),
        TEST(limits__without_descriptors_one_waits_and_comes_in_later),
        TEST(limits__a_walk_without_descriptors_goes_on_later),
        TEST(limits__no_target_is_counted_at_limit_zero),
        TEST(limits__without_watches_each_update_walks),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_limits", tests, NULL, NULL);
}
