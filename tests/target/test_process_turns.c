/* SPDX-License-Identifier: Apache-2.0 */
#include "target/process_files.h"

#include <pwd.h>

#include "support/patience.h"
#include "support/slow_names.h"
#include "sys/user_names.h"

/* Tests of what strangers' processes may cost, and of which tenant they belong to. */

#define HOSTILE_ARGUMENTS 4000
#define HOSTILE           1000 /* users */
#define VICTIM            1001
#define LATE              1002
#define HOSTILE_PATTERN   "(x*)\\1z|^web (?P<name>\\w+)"

static int setup_patterns(void **state)
{
    static struct fixture fixture;
    static const char *const patterns[] = {HOSTILE_PATTERN};
    const struct process_rule_spec spec = {
        .name = "{{.Matches.name}}", .cmdline = patterns, .n_cmdline = 1};
    struct process_rule_error error;

    if (geteuid() != 0) {
        print_message("skipped: only root can make files of others\n");
        *state = NULL;
        return 0;
    }
    fixture = (struct fixture){.tree = fixture_tree_open()};
    fixture_begin(&fixture, fixture.tree.fd, &roomy);
    assert_int_equal(process_rules_add(fixture.rules, &spec, &error), 0);
    *state = &fixture;
    return 0;
}

static int setup_one_each(void **state)
{
    return setup_limited(state, &(struct process_limits){10, 1});
}

static int setup_roomy(void **state)
{
    return setup_limited(state, &roomy);
}

static int teardown_if_made(void **state)
{
    return *state ? teardown(state) : 0;
}

static void belongs_to(const struct fixture *fixture, pid_t pid, uid_t uid)
{
    char path[16];

    (void)snprintf(path, sizeof(path), "%d", pid);
    assert_int_equal(fchownat(fixture->tree.fd, path, uid, 0, 0), 0);
}

static void write_file(const struct fixture *fixture, pid_t pid, const char *name, const char *text)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "%d/%s", pid, name);
    fixture_tree_write(&fixture->tree, path, text);
}

/* Makes n processes with arguments over which the pattern takes as long as it may. */
static void make_hostile(const struct fixture *fixture, pid_t first, int n, const char *comm)
{
    char arguments[HOSTILE_ARGUMENTS + 1];

    memset(arguments, 'x', HOSTILE_ARGUMENTS);
    arguments[HOSTILE_ARGUMENTS] = '\0';
    for (pid_t pid = first; pid < first + n; pid++) {
        PROCESS(pid, comm, 1, 500);
        write_file(fixture, pid, "cmdline", arguments);
        belongs_to(fixture, pid, HOSTILE);
    }
}

static uint64_t put_off(const struct fixture *fixture)
{
    return process_targets_census(fixture->set)->put_off;
}

static uint64_t undecided(const struct fixture *fixture)
{
    return process_targets_census(fixture->set)->undecided;
}

#define NEED(fixture)                                                                              \
    if (!(fixture))                                                                                \
    skip()

static void turns__one_user_does_not_use_up_those_of_another(void **state)
{
    struct fixture *fixture = *state;

    NEED(fixture);
    make_hostile(fixture, 100, 200, "hostile");
    PROCESS(900, "web", 1, 501);
    write_file(fixture, 900, "cmdline", "web shop");
    belongs_to(fixture, 900, VICTIM);
    fixture_update(fixture);
    assert_in_range(fixture->set->work, 1, 6000000); /* 200 would be 50,000,000 */
    assert_changes(fixture, 1, 0);
    assert_string_equal(born(fixture, 900)->group, "shop");
    assert_in_range(put_off(fixture), 1, 199);
}

static void turns__everyone_is_looked_at_in_the_end(void **state)
{
    struct fixture *fixture = *state;
    uint64_t before = 61;

    NEED(fixture);
    make_hostile(fixture, 100, 60, "hostile");
    do {
        fixture_update(fixture);
        assert_true(put_off(fixture) < before);
        assert_int_equal(undecided(fixture) + put_off(fixture), 60);
        before = put_off(fixture);
    } while (before > 0);
    for (pid_t pid = 100; pid < 160; pid++)
        end(fixture, pid);
    fixture_update(fixture);
    assert_int_equal(undecided(fixture), 0);
}

/* Adds n rules over which a hostile process takes 250,000 steps each, and one that takes it. */
static void add_costly_rules(const struct fixture *fixture, int n)
{
    static const char *const costly[] = {"^x", "(x*)\\1z|x$"};
    struct process_rule_error error;
    struct process_rule_spec spec = {.name = "costly", .cmdline = costly, .n_cmdline = 2};

    for (int i = 0; i < n; i++)
        assert_int_equal(process_rules_add(fixture->rules, &spec, &error), 0);
    spec = (struct process_rule_spec){.name = "last"};
    assert_int_equal(process_rules_add(fixture->rules, &spec, &error), 0);
}

/* Makes a successor that has no time left for what is looked at in turns. */
static struct process_targets *look_without_time(const struct fixture *fixture)
{
    struct process_targets *successor;

    assert_int_equal(process_targets_new(fixture->procfs_fd, fixture->rules, &roomy, &successor),
                     0);
    process_targets_succeed(successor, fixture->set);
    assert_int_equal(process_scan(successor), 0);
    process_begin_turns(successor);
    successor->work_end_ns = 0;
    assert_int_equal(process_look_at_queued(successor), 0);
    return successor;
}

/* Nobody else is looked at, and not its ancestors, of which there may be very many. */
static void turns__who_is_counted_by_the_predecessor_needs_none(void **state)
{
    struct fixture *fixture = *state;
    AUTO(process_targets) struct process_targets *successor = NULL;

    PROCESS(90, "shell", 1, 499);
    PROCESS(100, "web", 90, 500);
    fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    PROCESS(200, "web", 90, 501);
    successor = look_without_time(fixture);
    assert_non_null(process_find(successor, 100)->counted);
    assert_ptr_equal(process_find(successor, 100)->parent, process_find(successor, 90));
    assert_null(process_find(successor, 200)->counted);
    assert_int_equal(process_targets_census(successor)->put_off, 2);
}

/* Whoever chooses its arguments could delay all others without end. */
static void turns__who_is_counted_by_the_predecessor_goes_first_once(void **state)
{
    struct fixture *fixture = *state;
    AUTO(process_targets) struct process_targets *successor = NULL;

    NEED(fixture);
    add_costly_rules(fixture, 10);
    make_hostile(fixture, 100, 1, "hostile");
    for (int i = 0; i < 10 && fixture->changes.n_born == 0; i++)
        fixture_update(fixture);
    assert_changes(fixture, 1, 0);
    successor = look_without_time(fixture);
    assert_null(process_find(successor, 100)->counted);
    assert_in_range(successor->work, 64000, 1000000); /* all of it would be 2,500,000 */
}

static void matching__a_new_name_costs_no_pattern_anew(void **state)
{
    struct fixture *fixture = *state;

    NEED(fixture);
    make_hostile(fixture, 100, 8, "hostile");
    PROCESS(900, "web", 1, 501);
    write_file(fixture, 900, "cmdline", "web shop");
    fixture_update(fixture);
    assert_int_equal(undecided(fixture), 8);
    assert_true(fixture->set->work > 8 * 200000);
    make_hostile(fixture, 100, 8, "renamed");
    PROCESS(900, "renamed", 1, 501);
    fixture_update(fixture);
    assert_string_equal(process_find(fixture->set, 100)->comm, "renamed");
    assert_in_range(fixture->set->work, 9 * 300, 9 * 1000);
    assert_changes(fixture, 0, 0); /* the name is made of the arguments, and these are the same */
    assert_int_equal(undecided(fixture), 8);
    PROCESS(900, "again", 1, 501);
    write_file(fixture, 900, "cmdline", "web cart");
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(born(fixture, 900)->group, "cart");
    process_targets_release(fixture->set, gone(fixture, 900));
}

static void matching__a_rule_of_many_patterns_goes_on_where_it_was(void **state)
{
    struct fixture *fixture = *state;

    NEED(fixture);
    add_costly_rules(fixture, 40); /* 10,000,000 steps for one process */
    make_hostile(fixture, 100, 1, "hostile");
    for (int i = 0; i < 40 && fixture->changes.n_born == 0; i++) {
        fixture_update(fixture);
        assert_in_range(fixture->set->work, 1, 6000000);
    }
    assert_changes(fixture, 1, 0);
    assert_string_equal(born(fixture, 100)->group, "last");
    assert_int_equal(undecided(fixture), 0);
}

/* Replaces the machine's name service in this program. It hangs when the test wants that. */
int getpwuid_r(uid_t uid, struct passwd *entry, char *buffer, size_t size,
               struct passwd **ret_entry)
{
    slow_names_pass();
    (void)snprintf(buffer, size, "user%u", uid);
    *entry = (struct passwd){.pw_name = buffer, .pw_uid = uid};
    *ret_entry = entry;
    return 0;
}

static void learn_name(uid_t uid)
{
    const char *name;

    while (user_names_find(user_names_of_machine(), uid, &name) == NAME_LATE)
        ; /* on a busy machine it takes a while */
}

/* Until then it is counted under the number, and while nobody answers it costs nothing. */
static void name__of_a_user_that_was_late_comes_with_the_answer(void **state)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    const struct process_rule_spec spec = {.name = "{{.Username}}: {{.Comm}}"};
    struct fixture *fixture = *state;
    struct process_rule_error error;

    NEED(fixture);
    assert_int_equal(process_rules_add(fixture->rules, &spec, &error), 0);
    PROCESS(900, "first", 1, 0);
    belongs_to(fixture, 900, LATE);
    slow_names_hang(true);
    fixture_update(fixture);
    assert_string_equal(born(fixture, 900)->group, "1002: first");
    assert_int_equal(fixture->set->n_late, 1);
    fixture_update(fixture); /* asks once more, since it has never asked all */
    process_enqueue_late(fixture->set, clock_monotonic_ns());
    assert_null(process_find(fixture->set, 900)->looked_at_with);
    PROCESS(900, "again", 1, 0);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(born(fixture, 900)->group, "1002: again");
    process_targets_release(fixture->set, gone(fixture, 900));
    slow_names_hang(false);
    do {
        assert_true(clock_monotonic_ns() < end_ns);
        fixture_update(fixture);
    } while (fixture->changes.n_born == 0);
    assert_changes(fixture, 1, 1);
    assert_string_equal(born(fixture, 900)->group, "user1002: again");
    assert_string_equal(gone(fixture, 900)->group, "1002: again");
    assert_int_equal(fixture->set->n_late, 0);
    process_targets_release(fixture->set, gone(fixture, 900));
}

/*
 * A process is counted under its user's name. Then there are so many users that the name is
 * forgotten, and no name service answers.
 */
static void begin_with_a_forgotten_name(struct fixture *fixture)
{
    const struct process_rule_spec spec = {.name = "{{.Comm}} of {{.Username}}"};
    struct process_rule_error error;

    assert_int_equal(process_rules_add(fixture->rules, &spec, &error), 0);
    learn_name(VICTIM);
    PROCESS(900, "first", 1, 0);
    belongs_to(fixture, 900, VICTIM);
    fixture_update(fixture);
    assert_string_equal(born(fixture, 900)->group, "first of user1001");
    for (uid_t uid = 5000; uid < 6100; uid++)
        learn_name(uid);
    slow_names_hang(true);
}

static void name__that_a_process_has_stays_until_there_is_an_answer(void **state)
{
    struct fixture *fixture = *state;

    NEED(fixture);
    begin_with_a_forgotten_name(fixture);
    PROCESS(900, "again", 1, 0);
    fixture_update(fixture);
    assert_changes(fixture, 0, 0);
    slow_names_hang(false);
    learn_name(VICTIM);
    fixture_update(fixture);
    assert_changes(fixture, 1, 1);
    assert_string_equal(born(fixture, 900)->group, "again of user1001");
    process_targets_release(fixture->set, gone(fixture, 900));
}

static void name__that_the_predecessor_knows_stays_until_there_is_an_answer(void **state)
{
    AUTO(process_targets) struct process_targets *successor = NULL;
    struct fixture *fixture = *state;
    struct process_changes changes;

    NEED(fixture);
    begin_with_a_forgotten_name(fixture);
    assert_int_equal(process_targets_new(fixture->procfs_fd, fixture->rules, &roomy, &successor),
                     0);
    process_targets_succeed(successor, fixture->set);
    assert_int_equal(process_targets_update(successor, &changes), 0);
    assert_int_equal(changes.n_born, 1);
    assert_string_equal(find_target(changes.born, changes.n_born, 900)->group, "first of user1001");
    assert_int_equal(successor->n_late, 1);
    slow_names_hang(false);
    learn_name(VICTIM);
    assert_int_equal(process_targets_update(successor, &changes), 0);
    assert_int_equal(changes.n_born, 0);
    assert_int_equal(successor->n_late, 0);
}

static void write_ranges(const struct fixture *fixture, const char *text)
{
    AUTO_FREE char *path = NULL;

    fixture_tree_write(&fixture->tree, "subuid", text);
    assert_true(asprintf(&path, "%s/subuid", fixture->tree.path) > 0);
    (void)subordinate_ids_free(fixture->set->owners);
    assert_int_equal(subordinate_ids_new(path, name_service_of_machine(), &fixture->set->owners),
                     0);
}

/* The name service may tell accounts late, and their ranges are users of their own until then. */
static void await_owner(const struct fixture *fixture, uid_t uid, uid_t owner)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;

    while (subordinate_ids_owner(fixture->set->owners, uid) != owner)
        assert_true(clock_monotonic_ns() < end_ns);
}

static void owner__of_subordinate_ids_is_the_tenant_that_has_them(void **state)
{
    struct fixture *fixture = *state;

    NEED(geteuid() == 0 ? fixture : NULL);
    write_ranges(fixture, "1000:100000:65536\n1001:165536:65536\n");
    for (pid_t pid = 100; pid < 104; pid++)
        PROCESS(pid, "web", 1, 500);
    belongs_to(fixture, 100, 1000);
    belongs_to(fixture, 101, 100000);
    belongs_to(fixture, 102, 165535);
    belongs_to(fixture, 103, 165536);
    await_owner(fixture, 100000, 1000);
    await_owner(fixture, 165536, 1001);
    fixture_update(fixture);
    assert_changes(fixture, 2, 0); /* one for each tenant */
    assert_non_null(born(fixture, 103));
    assert_int_equal(born(fixture, 103)->uid, 1001);
    assert_int_equal(over_limit(fixture), 2);
}

static void owner__in_a_user_namespace_is_who_is_root_there(void **state)
{
    struct fixture *fixture = *state;

    NEED(geteuid() == 0 ? fixture : NULL);
    write_ranges(fixture, "");
    for (pid_t pid = 100; pid < 105; pid++) {
        PROCESS(pid, "web", 1, 500);
        write_file(fixture, pid, "uid_map",
                   "         0       1000          1\n"
                   "         1     100000      65536\n");
        belongs_to(fixture, pid, pid == 100 ? 1000 : 100000 + (uid_t)pid);
    }
    PROCESS(200, "web", 1, 500);
    write_file(fixture, 200, "uid_map", "rubbish");
    belongs_to(fixture, 200, 1001);
    fixture_update(fixture);
    assert_changes(fixture, 2, 0);
    assert_non_null(born(fixture, 200));
    assert_int_equal(over_limit(fixture), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name, setup) cmocka_unit_test_setup_teardown(name, setup, teardown_if_made)
        TEST(turns__one_user_does_not_use_up_those_of_another, setup_patterns),
        TEST(turns__everyone_is_looked_at_in_the_end, setup_patterns),
        TEST(turns__who_is_counted_by_the_predecessor_needs_none, setup_roomy),
        TEST(turns__who_is_counted_by_the_predecessor_goes_first_once, setup_patterns),
        TEST(matching__a_new_name_costs_no_pattern_anew, setup_patterns),
        TEST(matching__a_rule_of_many_patterns_goes_on_where_it_was, setup_patterns),
        TEST(name__of_a_user_that_was_late_comes_with_the_answer, setup_one_each),
        TEST(name__that_a_process_has_stays_until_there_is_an_answer, setup_one_each),
        TEST(name__that_the_predecessor_knows_stays_until_there_is_an_answer, setup_one_each),
        TEST(owner__of_subordinate_ids_is_the_tenant_that_has_them, setup_one_each),
        TEST(owner__in_a_user_namespace_is_who_is_root_there, setup_one_each),
    };

    return cmocka_run_group_tests_name("process_turns", tests, NULL, NULL);
}
