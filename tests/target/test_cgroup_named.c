/* SPDX-License-Identifier: Apache-2.0 */

/* A set of cgroups whose targets are named, some time after their birth. */
#include "target/cgroup_fixture.h"

#include <time.h>

#include "support/patience.h"
#include "target/target_names.h"

struct named_fixture {
    struct fixture *cgroups;
    struct fixture_tree root;
    struct target_names *names;
    char csv[128];
};

static void write_csv(struct named_fixture *f, const char *text)
{
    fixture_tree_write(&f->root, "names.csv", text);
}

static int named_setup(void **state)
{
    struct named_fixture *f = calloc(1, sizeof(*f));
    struct target_names_settings settings = {.file = f->csv};
    void *cgroups;

    assert_int_equal(fixture_setup(&cgroups), 0);
    f->cgroups = cgroups;
    f->root = fixture_tree_open();
    (void)snprintf(f->csv, sizeof(f->csv), "%s/names.csv", f->root.path);
    write_csv(f, "/**,one,g,r\n");
    assert_int_equal(target_names_new(f->root.fd, -1, NULL, &f->names), 0);
    assert_int_equal(target_names_configure(f->names, &settings), 0);
    rule(f->cgroups, "/**", NULL);
    start(f->cgroups, roomy);
    cgroup_targets_set_names(f->cgroups->set, f->names);
    *state = f;
    return 0;
}

static int named_teardown(void **state)
{
    struct named_fixture *f = *state;
    void *cgroups = f->cgroups;

    assert_int_equal(fixture_teardown(&cgroups), 0);
    f->names = target_names_free(f->names);
    fixture_tree_close(&f->root);
    free(f);
    return 0;
}

/* Updates until the target has this name; then that update has said that identities changed. */
static void update_until_named(struct named_fixture *f, const struct cgroup_target *target,
                               const char *wanted)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    const char *name = info(target, "name");

    while (!name || strcmp(name, wanted) != 0) {
        assert_true(clock_monotonic_ns() < end_ns);
        (void)nanosleep(&(struct timespec){0, 2 * 1000 * 1000}, NULL);
        update(f->cgroups);
        name = info(target, "name");
        assert_true(!name || strcmp(name, wanted) != 0 || f->cgroups->changes.identities_changed);
    }
}

static void names__stand_behind_what_the_path_tells(void **state)
{
    struct named_fixture *f = *state;
    const struct label *labels;
    struct cgroup_target *target;
    size_t n;

    make(f->cgroups, "/a.service");
    update(f->cgroups);
    target = only_born(f->cgroups);
    update_until_named(f, target, "one");
    labels = identity_info(target->identity, &n);
    assert_int_equal(n, 8);
    assert_string_equal(labels[0].name, "parent");
    assert_string_equal(info(target, "unit"), "a.service");
    assert_string_equal(labels[5].name, "name");
    assert_string_equal(labels[6].name, "group");
    assert_string_equal(labels[6].value, "g");
    assert_string_equal(labels[7].name, "role");
}

static void names__that_have_not_changed_change_no_identity(void **state)
{
    struct named_fixture *f = *state;
    struct cgroup_target *target;
    const struct identity *identity;

    make(f->cgroups, "/a");
    update(f->cgroups);
    target = only_born(f->cgroups);
    update_until_named(f, target, "one");
    update(f->cgroups);
    update(f->cgroups);
    identity = target->identity;
    for (size_t i = 0; i < 100; i++) {
        update(f->cgroups);
        assert_false(f->cgroups->changes.identities_changed);
    }
    assert_ptr_equal(target->identity, identity);
}

static void names__change_with_the_file_and_leave_the_parent(void **state)
{
    struct named_fixture *f = *state;
    struct cgroup_target *inner;

    make(f->cgroups, "/a");
    make(f->cgroups, "/a/b");
    update(f->cgroups);
    inner = born(f->cgroups, "/a/b");
    assert_non_null(inner);
    update_until_named(f, inner, "one");
    assert_string_equal(info(inner, "parent"), "/a");
    write_csv(f, "/a/b,two\n");
    update_until_named(f, inner, "two");
    assert_string_equal(info(inner, "parent"), "/a");
    assert_null(info(inner, "role"));
}

/* A parent that had no room becomes a target after its child. */
static void names__stay_when_the_parent_changes(void **state)
{
    struct named_fixture *f = *state;
    struct cgroup_targets *set;
    struct cgroup_node *parent;
    struct cgroup_target *child;

    f->cgroups->set = cgroup_targets_free(f->cgroups->set);
    start(f->cgroups, (struct cgroup_limits){2, 2, ABSENCE_OVER_LIMIT});
    set = f->cgroups->set;
    cgroup_targets_set_names(set, f->names);
    make(f->cgroups, "/a");
    make(f->cgroups, "/a/x");
    update(f->cgroups);
    make(f->cgroups, "/a/b");
    make(f->cgroups, "/a/b/c");
    update(f->cgroups);
    parent =
        TAILQ_FIRST(&LIST_FIRST(&set->tree.root->children)->subtree->waiting[WAITING_FOR_ROOM]);
    TAILQ_REMOVE(&parent->subtree->waiting[WAITING_FOR_ROOM], parent, waiting_entry);
    parent->waiting = WAITING_NOWHERE;
    destroy(f->cgroups, "/a/x");
    update(f->cgroups);
    child = born(f->cgroups, "/a/b/c");
    assert_non_null(child);
    update_until_named(f, child, "one");
    assert_string_equal(info(child, "parent"), "/a");
    f->cgroups->set->limits.targets = f->cgroups->set->limits.per_subtree = 10;
    f->cgroups->set->rescan = f->cgroups->set->room = true;
    update(f->cgroups);
    assert_non_null(born(f->cgroups, "/a/b"));
    assert_string_equal(info(child, "parent"), "/a/b");
    assert_string_equal(info(child, "name"), "one");
}

static void a_second_set__has_the_names_of_the_first_at_once(void **state)
{
    struct named_fixture *f = *state;
    struct cgroup_targets *first = f->cgroups->set;

    make(f->cgroups, "/a");
    update(f->cgroups);
    update_until_named(f, only_born(f->cgroups), "one");
    start(f->cgroups, roomy);
    cgroup_targets_set_names(f->cgroups->set, f->names);
    update(f->cgroups);
    assert_string_equal(info(only_born(f->cgroups), "name"), "one");
    (void)cgroup_targets_free(first);
    update(f->cgroups);
}

/* It is asked for after the last change, so no change will tell of it. */
static void a_birth__has_names_that_are_known_already(void **state)
{
    struct named_fixture *f = *state;
    struct cgroup_targets *first = f->cgroups->set, *second;

    update(f->cgroups);
    start(f->cgroups, roomy);
    second = f->cgroups->set;
    cgroup_targets_set_names(second, f->names);
    update(f->cgroups);
    make(f->cgroups, "/a");
    f->cgroups->set = first;
    update(f->cgroups);
    update_until_named(f, only_born(f->cgroups), "one");
    f->cgroups->set = second;
    assert_int_equal(cgroup_targets_update(second, false, &f->cgroups->changes), 0);
    assert_int_equal(f->cgroups->changes.n_born, 0);
    update(f->cgroups);
    assert_string_equal(info(only_born(f->cgroups), "name"), "one");
    (void)cgroup_targets_free(first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, named_setup, named_teardown)
        TEST(names__stand_behind_what_the_path_tells),
        TEST(names__that_have_not_changed_change_no_identity),
        TEST(names__change_with_the_file_and_leave_the_parent),
        TEST(names__stay_when_the_parent_changes),
        TEST(a_second_set__has_the_names_of_the_first_at_once),
        TEST(a_birth__has_names_that_are_known_already),
    };

    if (fixture_is_missing())
        return 77;
    return cmocka_run_group_tests_name("cgroup_named", tests, NULL, NULL);
}
