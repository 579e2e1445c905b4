/* SPDX-License-Identifier: Apache-2.0 */
#include "check/matches.h"

#include "support/capture.h"

#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>

#include "support/fixture_tree.h"

#define FILE_NAME "f.yml"

static const char *const directories[] = {
    "/system.slice",
    "/system.slice/nginx.service",
    "/system.slice/cron.service",
    "/system.slice/system-postgresql.slice",
    "/system.slice/system-postgresql.slice/postgresql@16.service",
    "/user.slice",
};

/* The tree stands for the mount of cgroups. */
struct fixture {
    struct fixture_tree tree;
    struct cgroup_root root;
};

static int set_up(void **state)
{
    static struct fixture fixture;

    fixture.tree = fixture_tree_open();
    for (size_t i = 0; i < ARRAY_SIZE(directories); i++)
        assert_int_equal(mkdirat(fixture.tree.fd, directories[i] + 1, 0755), 0);
    fixture.root.fd = fixture.tree.fd;
    fixture.root.path = fixture.tree.path;
    *state = &fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    fixture_tree_close(&fixture->tree);
    return 0;
}

/* Returns what is printed of a configuration; it holds until the next call. */
static const char *report(const struct cgroup_root *root, const char *yaml)
{
    static struct capture capture;
    AUTO(config) struct config *config = NULL;
    AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct config_error error = {0};
    struct check_output output = {.path = FILE_NAME, .prints = true};

    if (config_parse(yaml, strlen(yaml), &config, &error) < 0)
        fail_msg("%u:%u: %s", error.place.line, error.place.column, error.message);
    capture_begin(&capture, STDOUT_FILENO);
    check_print_matches(&output, config, root, procfs_fd);
    return capture_end(&capture);
}

static const char *report_cgroups(void **state, const char *include)
{
    const struct fixture *fixture = *state;
    char yaml[512];

    (void)snprintf(yaml, sizeof(yaml), "targets:\n cgroups:\n - {include: [%s], groups: [core]}\n",
                   include);
    return report(&fixture->root, yaml);
}

static void assert_has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("%s\nis not in\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("%s\nis in\n%s", part, text);
}

static void what_a_rule_takes__is_listed(void **state)
{
    const char *text = report_cgroups(state, "\"/system.slice/*.service\"");

    assert_has(text, "  cgroups, rule 1: 2 now, \"/system.slice/");
    assert_has(text, "\"/system.slice/nginx.service\"");
    assert_has_not(text, "warning");
    assert_has(report_cgroups(state, "\"/**\""), "cgroups, rule 1: 6 now");
    assert_has(report_cgroups(state, "\"/**\""), " and others\n");
}

static void what_matches_nothing_and_is_near_to_nothing__is_no_slip(void **state)
{
    const char *text = report_cgroups(state, "\"/kubepods.slice/**.scope\", \"/docker/*\"");

    assert_has(text, "  cgroups, rule 1: none now\n");
    assert_has_not(text, "warning");
}

static void a_pattern_that_begins_at_the_mount__is_warned_of(void **state)
{
    const struct fixture *fixture = *state;
    char pattern[128];

    assert_has(report_cgroups(state, "/sys/fs/cgroup/system.slice/nginx.service"),
               FILE_NAME ":3:15: warning: \"/sys/fs/cgroup/system.slice/nginx.service\" matches "
                         "nothing: patterns begin below the mount of cgroups; did you mean "
                         "\"/system.slice/nginx.service\"?\n");
    (void)snprintf(pattern, sizeof(pattern), "\"%s/*.slice\"", fixture->tree.path);
    assert_has(report_cgroups(state, pattern), "did you mean \"/*.slice\"?\n");
}

static void a_pattern_that_would_match_with_a_small_change__is_warned_of(void **state)
{
    static const struct {
        const char *pattern, *meant;
    } cases[] = {
        {"/sytem.slice/*.service", "/system.slice/*.service"},
        {"/system.slice/nginz.service", "/system.slice/nginx.service"},
        {"/system.slice/nginx", "/system.slice/nginx.service"},
        {"/nginx.service", "/system.slice/nginx.service"},
        {"/system.slice/postgresql@16.service",
         "/system.slice/system-postgresql.slice/postgresql@16.service"},
        {"/System.slice/cron.service", "/system.slice/cron.service"},
        {"/system.slice/*.servic", "/system.slice/*.service"},
        {"/*.slices", "/*.slice"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char expected[256];

        (void)snprintf(expected, sizeof(expected),
                       FILE_NAME ":3:15: warning: \"%s\" matches nothing now; did you mean \"%s\"?",
                       cases[i].pattern, cases[i].meant);
        assert_has(report_cgroups(state, cases[i].pattern), expected);
    }
}

static void wildcards_of_shells_and_regular_expressions__are_said_to_be_none(void **state)
{
    static const char *const patterns[] = {"/system.slice/{nginx,cron}.service", "/system.slice/.*",
                                           "/(system|user).slice/*", "/system.slice/[a-n]*"};

    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        char yaml[128];
        const char *text;

        (void)snprintf(yaml, sizeof(yaml), "\"%s\"", patterns[i]);
        text = report_cgroups(state, yaml);
        assert_has(text, "\" matches nothing now: the wildcards are *, ** and ?, all else stands ");
        assert_has(text, FILE_NAME ":3:15: warning: ");
    }
    assert_has_not(report_cgroups(state, "\"/lxc.payload.*\""), "warning");
}

static void a_rule_that_others_leave_nothing__is_warned_of(void **state)
{
    const struct fixture *fixture = *state;
    const char *text = report(&fixture->root, "targets:\n"
                                              " cgroups:\n"
                                              " - {include: [/**], groups: [core]}\n"
                                              " - {include: [/user.slice], groups: [core]}\n"
                                              " - include: [/system.slice/*.service]\n"
                                              "   exclude: [/**]\n"
                                              "   groups: [core]\n");

    assert_has(text, FILE_NAME ":4:15: warning: rule 2 of targets.cgroups takes nothing now: rules "
                               "before it take all 1 that it matches\n");
    assert_has(text, FILE_NAME ":5:14: warning: rule 3 of targets.cgroups takes nothing now: it "
                               "excludes all 2 that it includes\n");
}

static void what_is_not_counted_at_all__is_said(void **state)
{
    const struct fixture *fixture = *state;
    const struct cgroup_root none = {.fd = -1};
    const char *text = report(&fixture->root, "targets: {processes: [{pid: [1], groups: [core]}]}");

    assert_has(text, "  the machine: not counted, targets has no system\n");
    assert_has(text, "  cgroups: not counted, targets has no cgroups\n");
    assert_has(report(&none, "targets: {cgroups: [{include: [/a], groups: [core]}]}"),
               "no cgroup file system is found here");
}

static const char *report_processes(const char *rules)
{
    const struct cgroup_root none = {.fd = -1};
    char yaml[512];

    (void)snprintf(yaml, sizeof(yaml), "targets:\n processes:\n%s", rules);
    return report(&none, yaml);
}

static void processes__are_listed_by_their_groups(void **state)
{
    const char *text =
        report_processes(" - {name: mine, comm: [config-matchee], groups: [core]}\n"
                         " - {comm: [config-matchee], name: other, groups: [core]}\n");

    (void)state;
    assert_has(text, "  processes, rule 1: 1 now, \"mine\"\n");
    assert_has(text,
               "  processes, rule 2: none now; 1 that it matches belong to rules before it\n");
    assert_has(text, FILE_NAME ":4:51: warning: rule 2 of targets.processes takes nothing now");
    assert_has_not(text, "no process has");
}

static void names_that_are_nearly_of_somebody_or_are_patterns__are_warned_of(void **state)
{
    const char *text =
        report_processes(" - {comm: [config-matchea, 'no-such-one.*'], groups: [core]}\n"
                         " - {comm: [zzyzx], exe: [/usr/bin/zzyzx], groups: [core]}\n");

    (void)state;
    assert_has(text,
               FILE_NAME ":3:12: warning: no process has comm \"config-matchea\" now; did you "
                         "mean \"config-matchee\"?\n");
    assert_has(text, FILE_NAME ":3:28: warning: no process has comm \"no-such-one.*\" now: it is "
                               "no pattern here; expected a name, or the pattern under cmdline\n");
    assert_has_not(text, "zzyzx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_rule_takes__is_listed),
        cmocka_unit_test(what_matches_nothing_and_is_near_to_nothing__is_no_slip),
        cmocka_unit_test(a_pattern_that_begins_at_the_mount__is_warned_of),
        cmocka_unit_test(a_pattern_that_would_match_with_a_small_change__is_warned_of),
        cmocka_unit_test(wildcards_of_shells_and_regular_expressions__are_said_to_be_none),
        cmocka_unit_test(a_rule_that_others_leave_nothing__is_warned_of),
        cmocka_unit_test(what_is_not_counted_at_all__is_said),
        cmocka_unit_test(processes__are_listed_by_their_groups),
        cmocka_unit_test(names_that_are_nearly_of_somebody_or_are_patterns__are_warned_of),
    };

    (void)prctl(PR_SET_NAME, "config-matchee");
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
