/* SPDX-License-Identifier: Apache-2.0 */

/* These decisions need no try of bpf. That it is tried and tested is in live/mechanism_choice. */
#include "resolve/mechanism_choice.h"

#include "support/check.h"

#include <string.h>

#include "resolve/mechanism_size.h"
#include "support/fixture_tree.h"

struct fixture {
    struct fixture_tree sysfs;
    struct cgroup_root root;
    struct config config;
    struct mechanism running;
    struct mechanism_question question;
    struct mechanism_verdict verdict;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->sysfs = fixture_tree_open();
    fixture_tree_write(&f->sysfs, "devices/system/cpu/online", "0-1\n");
    fixture_tree_write(&f->sysfs, "devices/system/cpu/possible", "0-1\n");
    f->root = (struct cgroup_root){.fd = f->sysfs.fd, .v2 = true};
    f->config = (struct config){.n_cgroups = 1, .limits.cgroups = 100};
    f->config.cgroups = calloc(1, sizeof(*f->config.cgroups));
    f->question = (struct mechanism_question){
        .config = &f->config, .sysfs_fd = f->sysfs.fd, .procfs_fd = -1, .root = &f->root};
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    free(f->config.cgroups);
    fixture_tree_close(&f->sysfs);
    free(f);
    return 0;
}

static struct mechanism_choice choose(struct fixture *f)
{
    return mechanism_choose(&f->question, &f->verdict);
}

/* Has a mechanism count already, of exactly the size that the configuration wants. */
static void let_bpf_run(struct fixture *f)
{
    assert_int_equal(
        mechanism_size_for(&f->config, f->sysfs.fd, -1, false, &f->question.running_size), 0);
    f->question.running = &f->running;
}

static void the_configuration__decides_alone_where_it_can(void **state)
{
    struct fixture *f = *state;
    struct mechanism_choice choice;

    f->config.counting = CONFIG_COUNTING_DIRECT;
    choice = choose(f);
    assert_null(choice.bpf);
    assert_string_equal(choice.reason, "configured");
    assert_false(choice.is_left_to_machine || choice.is_tested);
    f->config.counting = CONFIG_COUNTING_BPF;
    f->root.fd = -1;
    choice = choose(f);
    assert_null(choice.bpf);
    assert_string_equal(choice.reason, "no cgroup or process is counted");
}

static void a_machine_on_which_bpf_was_refused_for_good__is_not_asked_again(void **state)
{
    struct fixture *f = *state;
    struct mechanism_choice choice;

    f->verdict = (struct mechanism_verdict){.is_final = true, .distrust = "as a test wants it"};
    choice = choose(f);
    assert_null(choice.bpf);
    assert_string_equal(choice.reason, "as a test wants it");
    assert_true(choice.is_left_to_machine);
    assert_false(choice.is_tested);
}

static void what_runs_and_is_large_enough__is_kept(void **state)
{
    struct fixture *f = *state;
    struct mechanism_choice choice;

    let_bpf_run(f);
    f->verdict =
        (struct mechanism_verdict){.is_final = true, .test = {.outcome = SELF_TEST_PASSED}};
    choice = choose(f);
    assert_ptr_equal(choice.bpf, &f->running);
    assert_string_equal(choice.reason, "the self-test has passed");
    assert_false(choice.is_tested);
}

/* Its self-test could not run. It counts all the same, since it was asked for. */
static void what_was_asked_for_by_name_and_runs__is_kept_untested(void **state)
{
    struct fixture *f = *state;

    f->config.counting = CONFIG_COUNTING_BPF;
    let_bpf_run(f);
    f->verdict = (struct mechanism_verdict){.is_open = true, .distrust = "no process was started"};
    assert_ptr_equal(choose(f).bpf, &f->running);
    assert_false(choose(f).is_tested);
    assert_string_equal(choose(f).reason, "configured");
}

static void too_much_in_doubt__is_a_reason_unless_bpf_was_asked_for_by_name(void **state)
{
    struct fixture *f = *state;

    let_bpf_run(f);
    f->verdict = mechanism_verdict_of_doubt();
    assert_null(choose(f).bpf);
    assert_string_equal(choose(f).reason, f->verdict.distrust);
    f->config.counting = CONFIG_COUNTING_BPF;
    assert_ptr_equal(choose(f).bpf, &f->running);
}

static void a_shared_mechanism__serves_processes_where_it_knows_their_numbers(void **state)
{
    const struct mechanism with = {.counts_processes = true}, without = {0};

    (void)state;
    assert_false(mechanism_is_shared(NULL, SCOPE_CGROUP));
    assert_true(mechanism_is_shared(&without, SCOPE_CGROUP));
    assert_false(mechanism_is_shared(&without, SCOPE_PROCESS));
    assert_true(mechanism_is_shared(&with, SCOPE_PROCESS));
}

#define CHOICE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHOICE_TEST(the_configuration__decides_alone_where_it_can),
        CHOICE_TEST(a_machine_on_which_bpf_was_refused_for_good__is_not_asked_again),
        CHOICE_TEST(what_runs_and_is_large_enough__is_kept),
        CHOICE_TEST(what_was_asked_for_by_name_and_runs__is_kept_untested),
        CHOICE_TEST(too_much_in_doubt__is_a_reason_unless_bpf_was_asked_for_by_name),
        cmocka_unit_test(a_shared_mechanism__serves_processes_where_it_knows_their_numbers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
