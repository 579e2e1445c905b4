/* SPDX-License-Identifier: Apache-2.0 */
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "sys/cgroup_root.h"
#include "target/cgroup_fixture.h"
#include "target/cgroup_path.h"

/*
 * Tests of the set with real cgroups, below one that is made for it. The tests run in a child, so
 * that the parent removes the cgroups whatever happens to the child.
 */

static struct cgroup_root root;
static char top[64]; /* "/pmu_test_<pid>" */

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    fixture_raise_descriptors();
    f->root_fd = root.fd;
    *state = f;
    return cgroup_rules_new(&f->rules);
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    (void)cgroup_targets_free(f->set);
    (void)cgroup_rules_free(f->rules);
    free(f);
    return 0;
}

static const char *below(const char *name)
{
    static char paths[4][4200];
    static unsigned next;
    char *path = paths[next++ % 4];

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
    return path;
}

static void start_below_top(struct fixture *f, struct cgroup_limits limits)
{
    rule(f, below("**"), NULL);
    start(f, limits);
    update(f);
    assert_news(f, 0, 0);
    assert_true(census(f)->watching);
}

static unsigned long dying(void)
{
    AUTO_FREE char *path = NULL;
    unsigned long n = 0;
    char line[128];
    FILE *file;

    assert_true(asprintf(&path, "%s%s/cgroup.stat", root.path, top) > 0);
    file = fopen(path, "re");
    while (file && fgets(line, sizeof(line), file))
        (void)sscanf(line, "nr_dying_descendants %lu", &n);
    if (file)
        (void)fclose(file);
    return n;
}

static void live__births_deaths_and_rebirths_are_told(void **state)
{
    struct fixture *f = *state;
    struct cgroup_target *first;

    start_below_top(f, roomy);
    make(f, below("a"));
    make(f, below("a/b"));
    update(f);
    assert_news(f, 2, 0);
    first = born(f, below("a/b"));
    assert_non_null(first);
    destroy(f, below("a/b"));
    make(f, below("a/b"));
    update(f);
    assert_news(f, 1, 1);
    assert_ptr_equal(gone(f, below("a/b")), first);
    destroy(f, below("a/b"));
    destroy(f, below("a"));
    update(f);
    assert_news(f, 0, 2);
    assert_int_equal(census(f)->rescans, 1);
}

static void live__a_walk_of_what_is_known_changes_nothing(void **state)
{
    struct fixture *f = *state;

    start_below_top(f, roomy);
    make(f, below("a"));
    make(f, below("a/b"));
    update(f);
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
    assert_int_equal(census(f)->rescans, 2);
    destroy(f, below("a/b"));
    destroy(f, below("a"));
}

static void live__a_name_of_4072_bytes_is_counted(void **state)
{
    struct fixture *f = *state;
    char name[4073];
    const char *path;
    size_t n;

    memset(name, '\xff', sizeof(name) - 1);
    name[4072] = '\0';
    path = below(name);
    start_below_top(f, roomy);
    make(f, path);
    update(f);
    assert_news(f, 1, 0);
    assert_string_equal(only_born(f)->path, path);
    assert_true(cgroup_label_is_cut(identity_labels(only_born(f)->identity, &n)[0].value));
    f->set->rescan = true;
    update(f);
    assert_news(f, 0, 0);
    destroy(f, path);
    update(f);
    assert_news(f, 0, 1);
}

static void live__what_has_gone_is_not_held(void **state)
{
    struct fixture *f = *state;
    unsigned long before = dying(), after = 0;

    start_below_top(f, roomy);
    for (int i = 0; i < 200; i++) {
        make(f, below("a"));
        make(f, below("a/b"));
        update(f);
        destroy(f, below("a/b"));
        destroy(f, below("a"));
        update(f);
        for (size_t j = 0; j < f->changes.n_gone; j++)
            cgroup_target_close_fd(f->changes.gone[j]);
    }
    assert_int_equal(cgroup_targets_count(f->set), 400);
    for (int i = 0; i < 3000; i++) { /* the kernel frees them in its own time */
        after = dying();
        if (after <= before + 10)
            break;
        (void)usleep(10000);
    }
    print_message("dying cgroups: %lu before, %lu after\n", before, after);
    assert_in_range(after, 0, before + 10);
    assert_int_equal(HASH_CNT(by_watch, f->set->tree.watches), 2);
}

static void live__a_burst_of_three_thousand_is_consistent(void **state)
{
    struct fixture *f = *state;
    char name[16];

    start_below_top(f, (struct cgroup_limits){1000, 500, ABSENCE_OVER_LIMIT});
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof(name), "b%d", i);
        make(f, below(name));
    }
    update(f);
    assert_news(f, 500, 0);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 2500);
    for (int i = 0; i < 3000; i++) {
        (void)snprintf(name, sizeof(name), "b%d", i);
        destroy(f, below(name));
    }
    update(f);
    assert_news(f, 0, 500);
    assert_int_equal(census(f)->uncounted[ABSENCE_OVER_LIMIT], 0);
}

static uint64_t cpu_ns(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* Prints what an update costs. The bound is far above, for busy machines and sanitizers. */
static void live__five_hundred_births_and_deaths_an_update_are_cheap(void **state)
{
    struct fixture *f = *state;
    uint64_t began, churn = 0, idle;
    char name[16];

    start_below_top(f, roomy);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 500; i++) { /* half live over the update */
            (void)snprintf(name, sizeof(name), "c%d", i);
            make(f, below(name));
            if (i % 2)
                destroy(f, below(name));
        }
        began = cpu_ns();
        update(f);
        churn += cpu_ns() - began;
        assert_news(f, 250, 0);
        for (int i = 0; i < 500; i += 2) {
            (void)snprintf(name, sizeof(name), "c%d", i);
            destroy(f, below(name));
        }
        began = cpu_ns();
        update(f);
        churn += cpu_ns() - began;
        assert_news(f, 0, 250);
        while (f->changes.n_gone > 0)
            cgroup_targets_release(f->set, f->changes.gone[--f->changes.n_gone]);
    }
    began = cpu_ns();
    for (int i = 0; i < 1000; i++)
        update(f);
    idle = cpu_ns() - began;
    print_message("500 births and deaths: %.2f ms; nothing: %.2f us\n", (double)churn / 3e6,
                  (double)idle / 1e6);
    assert_in_range(churn / 3, 0, NS_PER_SECOND / 5);
}

static void live__the_root_of_a_hierarchy_is_the_machine_and_no_target(void **state)
{
    struct fixture *f = *state;

    if (!cgroup_is_machine(root.fd)) {
        print_message("skipped: the root here is that of a cgroup namespace\n");
        skip();
    }
    rule(f, "/", NULL);
    rule(f, below("*"), NULL);
    make(f, below("a"));
    start(f, roomy);
    update(f);
    assert_news(f, 1, 0);
    assert_string_equal(info(only_born(f), "parent"), "");
    assert_int_equal(census(f)->uncounted[ABSENCE_NOT_SUPPORTED], 1);
    assert_true(census(f)->root_refused);
    destroy(f, below("a"));
}

/* In a container the namespace begins at a cgroup of its own, as here. */
static void live__the_root_of_a_part_of_the_tree_is_a_target(void **state)
{
    struct fixture *f = *state;
    AUTO_CLOSE int part = cgroup_open_below(root.fd, top + 1);

    assert_true(part >= 0);
    assert_false(cgroup_is_machine(part));
    rule(f, "/", NULL);
    f->root_fd = part;
    start(f, roomy);
    update(f);
    assert_news(f, 1, 0);
    assert_string_equal(only_born(f)->path, "/");
    assert_int_equal(census(f)->uncounted[ABSENCE_NOT_SUPPORTED], 0);
    f->root_fd = root.fd;
}

static int live_tests(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(live__births_deaths_and_rebirths_are_told),
        TEST(live__the_root_of_a_hierarchy_is_the_machine_and_no_target),
        TEST(live__the_root_of_a_part_of_the_tree_is_a_target),
        TEST(live__a_walk_of_what_is_known_changes_nothing),
        TEST(live__a_name_of_4072_bytes_is_counted),
        TEST(live__what_has_gone_is_not_held),
        TEST(live__a_burst_of_three_thousand_is_consistent),
        TEST(live__five_hundred_births_and_deaths_an_update_are_cheap),
    };

    return cmocka_run_group_tests_name("cgroup_live", tests, NULL, NULL);
}

/* Removes the cgroup and all below it. Its files belong to the kernel and need no removal. */
static void remove_cgroups(int parent_fd, const char *name)
{
    int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") != 0 &&
            strcmp(entry->d_name, "..") != 0)
            remove_cgroups(fd, entry->d_name);
    if (directory)
        (void)closedir(directory);
    (void)unlinkat(parent_fd, name, AT_REMOVEDIR);
}

int main(void)
{
    pid_t child;
    int status = 1;

    (void)snprintf(top, sizeof(top), "/pmu_test_%d", (int)getpid());
    if (cgroup_root_open(NULL, &root) < 0 || mkdirat(root.fd, top + 1, 0755) < 0) {
        print_message("skipped: no cgroup can be made here (root is needed)\n");
        return 77;
    }
    child = fork();
    if (child == 0)
        exit(live_tests());
    if (child > 0)
        (void)waitpid(child, &status, 0);
    remove_cgroups(root.fd, top + 1);
    cgroup_root_done(&root);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
