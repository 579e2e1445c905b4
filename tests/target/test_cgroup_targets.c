/* SPDX-License-Identifier: Apache-2.0 */
#include "target/cgroup_fixture.h"

static void targets__those_that_stand_at_the_start_are_born_in_the_first_update(void **state)
{
    struct fixture *f = *state;

    rule(f, "/system.slice/*.service", "/system.slice/b.service");
    make(f, "/system.slice");
    make(f, "/system.slice/a.service");
    make(f, "/system.slice/b.service");
    make(f, "/user.slice");
    start(f, roomy);
    assert_int_equal(cgroup_targets_count(f->set), 0);
    update(f);
    assert_news(f, 1, 0);
    assert_true(f->changes.identities_changed);
    assert_non_null(born(f, "/system.slice/a.service"));
    assert_int_equal(cgroup_targets_count(f->set), 1);
    assert_int_equal(census(f)->standing, 1);
    assert_int_equal(census(f)->rescans, 1);
    assert_true(census(f)->watching);
    update(f);
    assert_news(f, 0, 0);
    assert_false(f->changes.identities_changed);
    assert_int_equal(census(f)->rescans, 1);
}

static void targets__a_target_has_the_directory_and_its_inode(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;
    struct stat by_path, by_fd;

    rule(f, "/*", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    target = born(f, "/a");
    assert_non_null(target);
    assert_int_equal(fstatat(f->root_fd, "a", &by_path, 0), 0);
    assert_int_equal(fstat(target->fd, &by_fd), 0);
    assert_int_equal(by_fd.st_ino, by_path.st_ino);
    assert_int_equal(target->inode, by_path.st_ino);
    assert_int_equal(target->rule, 0);
    assert_true(target->start_realtime_ns > 0);
    assert_false(target->gone);
}

static void targets__births_and_deaths_are_told_by_inotify(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;

    rule(f, "/a/**", NULL);
    start(f, roomy);
    update(f);
    make(f, "/a");
    make(f, "/a/b");
    make(f, "/a/b/c");
    update(f);
    assert_news(f, 2, 0);
    target = born(f, "/a/b/c");
    assert_non_null(target);
    destroy(f, "/a/b/c");
    update(f);
    assert_news(f, 0, 1);
    assert_ptr_equal(gone(f, "/a/b/c"), target);
    assert_true(target->gone);
    assert_true(target->fd >= 0);
    assert_int_equal(cgroup_targets_count(f->set), 2);
    assert_int_equal(census(f)->standing, 1);
    cgroup_target_close_fd(target);
    assert_int_equal(target->fd, -1);
    cgroup_targets_release(f->set, target);
    assert_int_equal(cgroup_targets_count(f->set), 1);
    assert_int_equal(census(f)->rescans, 1);
}

static void targets__a_birth_that_is_given_back_is_told_again(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;

    rule(f, "/*", NULL);
    make(f, "/a");
    make(f, "/b");
    start(f, roomy);
    update(f);
    target = born(f, "/b");
    cgroup_targets_give_back(f->set, target);
    cgroup_targets_give_back(f->set, target); /* saying so twice changes nothing */
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 1);
    update(f);
    assert_news(f, 1, 0);
    assert_ptr_equal(born(f, "/b"), target);
    assert_true(f->changes.identities_changed);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
    update(f);
    assert_news(f, 0, 0);
}

static void targets__a_birth_that_is_given_back_and_ends_is_told_no_more(void **state)
{
    struct fixture *f = *state;

    rule(f, "/*", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    cgroup_targets_give_back(f->set, born(f, "/a"));
    destroy(f, "/a");
    update(f);
    assert_news(f, 0, 0);
    assert_int_equal(cgroup_targets_count(f->set), 0);
    assert_int_equal(census(f)->standing, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_NO_DESCRIPTORS], 0);
}

static void targets__a_rebirth_is_another_target_in_the_same_update(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *first, *second;

    rule(f, "/*", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    first = born(f, "/a");
    destroy(f, "/a");
    make(f, "/a");
    update(f);
    assert_news(f, 1, 1);
    assert_ptr_equal(gone(f, "/a"), first);
    second = born(f, "/a");
    assert_ptr_not_equal(first, second);
    assert_true(first->inode != second->inode);
    assert_int_equal(cgroup_targets_count(f->set), 2);
    assert_int_equal(census(f)->standing, 1);
    /* the old target is not released yet; events find the living one */
    destroy(f, "/a");
    update(f);
    assert_news(f, 0, 1);
    assert_ptr_equal(gone(f, "/a"), second);
    cgroup_targets_release(f->set, second);
    cgroup_targets_release(f->set, first);
    assert_int_equal(cgroup_targets_count(f->set), 0);
}

static void targets__one_that_lives_between_two_updates_never_appears(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    start(f, roomy);
    update(f);
    make(f, "/a");
    make(f, "/a/b");
    destroy(f, "/a/b");
    destroy(f, "/a");
    update(f);
    assert_news(f, 0, 0);
    assert_int_equal(cgroup_targets_count(f->set), 0);
    assert_int_equal(census(f)->dropped[ABSENCE_OVER_LIMIT], 0);
}

static void targets__a_rename_is_a_death_and_a_birth(void **state)
{
    struct fixture *f = *state;

    rule(f, "/**", NULL);
    make(f, "/a");
    make(f, "/a/b");
    start(f, roomy);
    update(f);
    assert_int_equal(renameat(f->root_fd, "a", f->root_fd, "c"), 0);
    update(f);
    assert_news(f, 2, 2);
    assert_non_null(born(f, "/c"));
    assert_non_null(born(f, "/c/b"));
    assert_non_null(gone(f, "/a"));
    assert_non_null(gone(f, "/a/b"));
    /* the cgroup is watched under its new name */
    make(f, "/c/d");
    update(f);
    assert_news(f, 1, 0);
    assert_non_null(born(f, "/c/d"));
    assert_int_equal(census(f)->rescans, 1);
}

static void targets__the_root_is_one_where_a_rule_names_it(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *root, *child;

    rule(f, "/", NULL);
    rule(f, "/*", NULL);
    make(f, "/a");
    start(f, roomy);
    update(f);
    assert_news(f, 2, 0);
    root = born(f, "/");
    child = born(f, "/a");
    assert_int_equal(root->rule, 0);
    assert_int_equal(child->rule, 1);
    assert_string_equal(info(root, "parent"), "");
    assert_string_equal(info(child, "parent"), "/");
}

static void targets__labels_tell_who_they_are(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *target;
    size_t n;

    rule(f, "/system.slice/*", NULL);
    make(f, "/system.slice");
    make(f, "/system.slice/a\xff.service");
    make(f, "/system.slice/b.service");
    start(f, roomy);
    update(f);
    target = born(f, "/system.slice/b.service");
    assert_string_equal(identity_labels(target->identity, &n)[0].name, "cgroup");
    assert_int_equal(n, 1);
    assert_string_equal(identity_labels(target->identity, &n)[0].value, "/system.slice/b.service");
    assert_string_equal(info(target, "unit"), "b.service");
    assert_string_equal(info(target, "slice"), "system.slice");
    assert_string_equal(info(target, "container_id"), "");
    assert_string_equal(info(target, "pod_uid"), "");
    target = born(f, "/system.slice/a\xff.service");
    assert_string_equal(identity_labels(target->identity, &n)[0].value,
                        "%/system.slice/a%FF.service");
    assert_string_equal(info(target, "unit"), "");
}

static void targets__the_parent_is_the_nearest_that_is_exported(void **state)
{
    struct fixture *f = *state;

    rule(f, "/a", NULL);
    rule(f, "/a/b/**", NULL);
    make(f, "/a");
    make(f, "/a/b");
    make(f, "/a/b/c\xff");
    make(f, "/a/b/c\xff/d");
    start(f, roomy);
    update(f);
    assert_news(f, 3, 0);
    assert_string_equal(info(born(f, "/a"), "parent"), "");
    assert_string_equal(info(born(f, "/a/b/c\xff"), "parent"), "/a");
    assert_string_equal(info(born(f, "/a/b/c\xff/d"), "parent"), "%/a/b/c%FF");
}

static void targets__a_parent_that_is_let_in_late_changes_the_identity(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *child;
    struct identity *before;

    rule(f, "/a/x*", NULL);
    rule(f, "/a/b/c", NULL);
    rule(f, "/a/b", NULL);
    make(f, "/a");
    make(f, "/a/x");
    start(f, (struct cgroup_limits){2, 2, ABSENCE_OVER_LIMIT});
    update(f);
    make(f, "/a/x2");
    update(f);
    make(f, "/a/b");
    make(f, "/a/b/c");
    update(f);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 2);
    /* the child becomes a target before its parent */
    TAILQ_REMOVE(
        &f->set->tree.root->children.lh_first->subtree->waiting[WAITING_FOR_ROOM],
        TAILQ_FIRST(&f->set->tree.root->children.lh_first->subtree->waiting[WAITING_FOR_ROOM]),
        waiting_entry);
    f->set->tree.root->children.lh_first->children.lh_first->waiting = WAITING_NOWHERE;
    destroy(f, "/a/x");
    update(f);
    child = born(f, "/a/b/c");
    assert_non_null(child);
    assert_string_equal(info(child, "parent"), "");
    before = identity_ref(child->identity);
    destroy(f, "/a/x2");
    f->set->rescan = true;
    update(f);
    assert_non_null(born(f, "/a/b"));
    assert_true(f->changes.identities_changed);
    assert_string_equal(info(child, "parent"), "/a/b");
    assert_ptr_not_equal(child->identity, before);
    (void)identity_unref(before);
}

/* The shares of its users end with user.slice, also those that would have come next. */
static void waiting__users_that_go_with_their_slice_are_asked_no_more(void **state)
{
    struct fixture *f = *state;
    struct cgroup_subtrees *waiting;
    struct cgroup_node *slice;

    rule(f, "/*", NULL);
    rule(f, "/*/*", NULL);
    start(f, (struct cgroup_limits){1, 1, ABSENCE_OVER_LIMIT});
    make(f, "/a");
    update(f);
    make(f, "/user.slice");
    make(f, "/user.slice/user-0.slice");
    make(f, "/user.slice/user-1.slice");
    update(f);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 3);
    assert_int_equal(cgroup_tree_find(&f->set->tree, f->set->tree.root, "user.slice", &slice), 0);
    waiting = &f->set->with_waiting[WAITING_FOR_ROOM];
    TAILQ_REMOVE(waiting, slice->subtree, with_waiting[WAITING_FOR_ROOM]);
    TAILQ_INSERT_HEAD(waiting, slice->subtree, with_waiting[WAITING_FOR_ROOM]);
    destroy(f, "/user.slice/user-0.slice");
    destroy(f, "/user.slice/user-1.slice");
    destroy(f, "/user.slice");
    f->set->limits = (struct cgroup_limits){10, 10, ABSENCE_OVER_LIMIT};
    f->set->room = true;
    assert_int_equal(cgroup_admit_waiting(f->set), 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 0);
}

static void targets__two_labels_that_were_cut_never_meet(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *standing, imitation;
    char path[1400] = "/a", name[256];

    /* nobody knows a collision of the hash, so the test gives the same label to another path */
    rule(f, "/a/**", NULL);
    make(f, path);
    memset(name, 'n', sizeof(name) - 1);
    name[255] = '\0';
    name[0] = '/';
    for (int i = 0; i < 5; i++)
        make(f, strcat(path, name));
    start(f, roomy);
    update(f);
    standing = born(f, path);
    assert_non_null(standing);
    assert_false(cgroup_label_is_taken(f->set, standing));
    imitation = *standing;
    imitation.path = name;
    assert_true(cgroup_label_is_taken(f->set, &imitation));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
        TEST(waiting__users_that_go_with_their_slice_are_asked_no_more),
        TEST(targets__those_that_stand_at_the_start_are_born_in_the_first_update),
        TEST(targets__a_target_has_the_directory_and_its_inode),
        TEST(targets__births_and_deaths_are_told_by_inotify),
        TEST(targets__a_birth_that_is_given_back_is_told_again),
        TEST(targets__a_birth_that_is_given_back_and_ends_is_told_no_more),
        TEST(targets__a_rebirth_is_another_target_in_the_same_update),
        TEST(targets__one_that_lives_between_two_updates_never_appears),
        TEST(targets__a_rename_is_a_death_and_a_birth),
        TEST(targets__the_root_is_one_where_a_rule_names_it),
        TEST(targets__labels_tell_who_they_are),
        TEST(targets__the_parent_is_the_nearest_that_is_exported),
        TEST(targets__a_parent_that_is_let_in_late_changes_the_identity),
        TEST(targets__two_labels_that_were_cut_never_meet),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_targets", tests, NULL, NULL);
}
