/* SPDX-License-Identifier: Apache-2.0 */

/* Names that were found a moment ago, which cgroups within the same container take over. */
#include "support/check.h"

#include <stdio.h>

#include "base/clock.h"
#include "target/names_check.h"
#include "target/names_recent.h"

#define ID      "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"
#define PATH    "/system.slice/docker-" ID ".scope"
#define NOW_NS  (1000 * NS_PER_SECOND)
#define SOURCES 7

static int setup(void **state)
{
    struct names_recent *recent = calloc(1, sizeof(*recent));

    *state = recent;
    return recent ? 0 : -1;
}

static int teardown(void **state)
{
    struct names_recent *recent = *state;

    names_recent_done(recent);
    free(recent);
    return 0;
}

static void keep(struct names_recent *recent, const char *path, const char *container)
{
    AUTO_NAMES struct names names = {0};

    names_add_string(&names, NAME_CONTAINER, container);
    names_recent_keep(recent, path, SOURCES, NOW_NS, &names, true);
}

static const struct recent_names *find(const struct names_recent *recent, const char *path)
{
    return names_recent_find(recent, path, SOURCES, NOW_NS + 1);
}

static void a_cgroup_in_a_container__takes_what_was_found_for_the_container(void **state)
{
    struct names_recent *recent = *state;
    const struct recent_names *found;

    assert_null(find(recent, PATH "/a"));
    keep(recent, PATH "/b", "web");
    found = find(recent, PATH "/a/c");
    assert_non_null(found);
    assert_name(&found->names, NAME_CONTAINER, "web");
    assert_true(found->is_missing);
    keep(recent, PATH, "again");
    assert_name(&find(recent, PATH "/a")->names, NAME_CONTAINER, "again");
}

static void what_was_found_for_others_or_before__is_taken_by_nobody(void **state)
{
    struct names_recent *recent = *state;

    keep(recent, PATH, "web");
    assert_null(find(recent, PATH)); /* it may be another one by now */
    assert_null(find(recent, "/system.slice/docker-" ID "a.scope/a"));
    assert_null(find(recent, "/other.slice/docker-" ID ".scope/a"));
    assert_null(names_recent_find(recent, PATH "/a", SOURCES + 1, NOW_NS));
    assert_null(names_recent_find(recent, PATH "/a", SOURCES, NOW_NS + NAMES_RECENT_NS));
    assert_non_null(find(recent, PATH "/a"));
}

/* All are below one unit, and each has its own number and user. */
static void jobs_of_slurm__take_nothing_from_each_other(void **state)
{
    struct names_recent *recent = *state;

    keep(recent, "/system.slice/slurmstepd.scope/job_1", "no");
    assert_null(find(recent, "/system.slice/slurmstepd.scope/job_2"));
    keep(recent, "/system.slice/slurmstepd.scope", "no");
    assert_null(find(recent, "/system.slice/slurmstepd.scope/job_2"));
}

static void what_is_kept__is_bounded(void **state)
{
    struct names_recent *recent = *state;
    char path[64];

    for (unsigned i = 0; i <= NAMES_RECENT; i++) {
        (void)snprintf(path, sizeof(path), "/system.slice/%u.service", i);
        keep(recent, path, path);
    }
    assert_null(find(recent, "/system.slice/0.service/a"));
    assert_non_null(find(recent, "/system.slice/1.service/a"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_cgroup_in_a_container__takes_what_was_found_for_the_container),
        TEST(what_was_found_for_others_or_before__is_taken_by_nobody),
        TEST(jobs_of_slurm__take_nothing_from_each_other),
        TEST(what_is_kept__is_bounded),
    };

    return cmocka_run_group_tests_name("names_recent", tests, NULL, NULL);
}
