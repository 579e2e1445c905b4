/* SPDX-License-Identifier: Apache-2.0 */

/* The thread that names targets: what it answers, when it looks again, and how it ends. */
#include "support/check.h"

#include <stdio.h>
#include <time.h>

#include "support/fixture_tree.h"
#include "support/patience.h"
#include "target/known_names.h"
#include "target/names_check.h"
#include "target/state_reader.h"
#include "target/target_names.h"

#define ID     "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"
#define PATH   "/system.slice/docker-" ID ".scope"
#define DOCKER "var/lib/docker/containers/" ID "/config.v2.json"

struct fixture {
    struct fixture_tree root;
    struct object_reader *reader;
    struct target_names *names;
    char csv[128];
};

static const struct target_names_settings all = {true, true, true, true, NULL};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->root = fixture_tree_open();
    (void)snprintf(f->csv, sizeof(f->csv), "%s/names.csv", f->root.path);
    assert_int_equal(state_reader_new(&f->reader), 0);
    assert_int_equal(target_names_new(f->root.fd, -1, f->reader, &f->names), 0);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    f->names = target_names_free(f->names);
    f->reader = object_reader_free(f->reader);
    fixture_tree_close(&f->root);
    free(f);
    return 0;
}

static void configure(struct fixture *f, bool with_file)
{
    struct target_names_settings settings = all;

    settings.file = with_file ? f->csv : NULL;
    assert_int_equal(target_names_configure(f->names, &settings), 0);
}

static void rest(void)
{
    (void)nanosleep(&(struct timespec){0, 5 * 1000 * 1000}, NULL);
}

/* Waits until the target has this name of a kind, or none (NULL) though it was looked for. */
static void await_name(struct named_target *target, enum name_kind kind, const char *wanted)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    bool is_there = false;

    while (!is_there) {
        AUTO(known_names) struct known_names *known = named_target_names(target);
        const char *value = known ? known->names.values[kind] : NULL;

        is_there = known && (wanted ? value && strcmp(value, wanted) == 0 : !value);
        assert_true(is_there || clock_monotonic_ns() < end_ns);
        if (!is_there)
            rest();
    }
}

static struct names_file_news await_news(struct fixture *f)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    struct names_file_news news;

    while (!target_names_take_news(f->names, &news)) {
        assert_true(clock_monotonic_ns() < end_ns);
        rest();
    }
    return news;
}

static void write_docker(struct fixture *f, const char *name)
{
    char text[100];

    (void)snprintf(text, sizeof(text), "{\"Name\":\"/%s\"}", name);
    fixture_tree_write(&f->root, DOCKER, text);
}

static void a_target__is_named_some_time_after_it_was_asked_for(void **state)
{
    struct fixture *f = *state;
    struct named_target *target;
    uint64_t changes;

    write_docker(f, "web");
    configure(f, false);
    changes = target_names_changes(f->names);
    target = target_names_ask(f->names, PATH, 1, -1);
    await_name(target, NAME_CONTAINER, "web");
    assert_true(target_names_changes(f->names) > changes);
    (void)named_target_release(target);
}

static void a_file_that_comes_late__is_found_and_then_no_more_looked_for(void **state)
{
    struct fixture *f = *state;
    struct named_target *target;
    uint64_t changes;

    configure(f, false);
    target = target_names_ask(f->names, PATH, 1, -1);
    await_name(target, NAME_CONTAINER, NULL);
    write_docker(f, "late");
    await_name(target, NAME_CONTAINER, "late");
    changes = target_names_changes(f->names);
    write_docker(f, "other"); /* nobody looks any more: what was found once, stands */
    (void)nanosleep(&(struct timespec){2, 500 * 1000 * 1000}, NULL);
    await_name(target, NAME_CONTAINER, "late");
    assert_int_equal(target_names_changes(f->names), changes);
    (void)named_target_release(target);
}

static void who_asks_for_the_same_cgroup__has_the_answer_at_once(void **state)
{
    struct fixture *f = *state;
    struct named_target *first, *second, *reborn;

    write_docker(f, "web");
    configure(f, false);
    first = target_names_ask(f->names, PATH, 1, -1);
    await_name(first, NAME_CONTAINER, "web");
    second = target_names_ask(f->names, PATH, 1, -1);
    assert_ptr_equal(first, second);
    (void)named_target_release(first);
    await_name(second, NAME_CONTAINER, "web");
    write_docker(f, "reborn");
    reborn = target_names_ask(f->names, PATH, 2, -1); /* another birth of the same path */
    await_name(reborn, NAME_CONTAINER, "reborn");
    await_name(second, NAME_CONTAINER, "web");
    (void)named_target_release(second);
    (void)named_target_release(reborn);
}

static void the_users_file__names_all_again_when_it_changes(void **state)
{
    struct fixture *f = *state;
    struct named_target *container, *service;
    struct names_file_news news;

    write_docker(f, "web");
    fixture_tree_write(&f->root, "names.csv", "/system.slice/*,one,g,front\nwrong line\n");
    configure(f, true);
    container = target_names_ask(f->names, PATH, 1, -1);
    service = target_names_ask(f->names, "/system.slice/a.service", 2, -1);
    await_name(container, NAME_NAME, "one");
    await_name(container, NAME_CONTAINER, "web");
    await_name(service, NAME_ROLE, "front");
    news = await_news(f);
    assert_int_equal(news.n_wrong, 1);
    assert_false(news.unreadable);
    assert_string_equal(news.message, "2: one field alone; expected match,name,group,role");
    assert_string_equal(news.file, f->csv);
    fixture_tree_write(&f->root, "names.csv", "/system.slice/*,two\n");
    await_name(container, NAME_NAME, "two");
    await_name(container, NAME_CONTAINER, "web"); /* what the host tells stays */
    await_name(service, NAME_NAME, "two");
    await_name(service, NAME_ROLE, NULL);
    (void)named_target_release(container);
    (void)named_target_release(service);
}

static void a_file_that_goes__is_told_once_and_its_names_stand(void **state)
{
    struct fixture *f = *state;
    struct named_target *target;
    struct names_file_news news;

    fixture_tree_write(&f->root, "names.csv", "/a,one\n");
    configure(f, true);
    target = target_names_ask(f->names, "/a", 1, -1);
    await_name(target, NAME_NAME, "one");
    (void)await_news(f);
    assert_int_equal(unlinkat(f->root.fd, "names.csv", 0), 0);
    news = await_news(f);
    assert_true(news.unreadable);
    assert_string_equal(news.message, "No such file or directory");
    await_name(target, NAME_NAME, "one");
    (void)nanosleep(&(struct timespec){2, 500 * 1000 * 1000}, NULL);
    assert_false(target_names_take_news(f->names, &news));
    fixture_tree_write(&f->root, "names.csv", "/a,back\n");
    await_name(target, NAME_NAME, "back");
    (void)named_target_release(target);
}

static void other_settings__are_for_all_who_live(void **state)
{
    struct fixture *f = *state;
    struct named_target *target;

    write_docker(f, "web");
    fixture_tree_write(&f->root, "names.csv", "/**,mine\n");
    configure(f, true);
    target = target_names_ask(f->names, PATH, 1, -1);
    await_name(target, NAME_NAME, "mine");
    await_name(target, NAME_CONTAINER, "web");
    assert_int_equal(target_names_configure(f->names, &(struct target_names_settings){0}), 0);
    await_name(target, NAME_NAME, NULL);
    await_name(target, NAME_CONTAINER, NULL);
    configure(f, false);
    await_name(target, NAME_CONTAINER, "web");
    (void)named_target_release(target);
}

static void targets_that_go__do_so_also_while_they_are_looked_for(void **state)
{
    enum { N = 200, ROUNDS = 20 };
    struct fixture *f = *state;
    struct named_target *targets[N];

    fixture_tree_write(&f->root, "names.csv", "/**,mine\n");
    configure(f, true);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < N; i++)
            targets[i] = target_names_ask(f->names, PATH, round * N + i, -1);
        for (size_t i = 0; i < N; i++)
            (void)named_target_release(targets[i]);
    }
    targets[0] = target_names_ask(f->names, PATH, 1, -1);
    await_name(targets[0], NAME_NAME, "mine");
    (void)named_target_release(targets[0]);
    (void)named_target_release(NULL);
}

/* There is no thread before the first settings come. */
static void names_of_a_process__that_are_late_come_with_an_answer(void **state)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    AUTO_NAMES struct names names = {0};
    struct fixture *f = *state;

    write_docker(f, "web");
    assert_false(target_names_of_process(f->names, 1, PATH, &names));
    assert_int_equal(target_names_answers(f->names), 0);
    configure(f, false);
    while (!target_names_of_process(f->names, 1, PATH, &names)) {
        assert_true(clock_monotonic_ns() < end_ns);
        rest();
    }
    assert_true(target_names_answers(f->names) > 0);
    assert_string_equal(names.values[NAME_CONTAINER], "web");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_target__is_named_some_time_after_it_was_asked_for),
        TEST(names_of_a_process__that_are_late_come_with_an_answer),
        TEST(a_file_that_comes_late__is_found_and_then_no_more_looked_for),
        TEST(who_asks_for_the_same_cgroup__has_the_answer_at_once),
        TEST(the_users_file__names_all_again_when_it_changes),
        TEST(a_file_that_goes__is_told_once_and_its_names_stand),
        TEST(other_settings__are_for_all_who_live),
        TEST(targets_that_go__do_so_also_while_they_are_looked_for),
    };

    return cmocka_run_group_tests_name("target_names", tests, NULL, NULL);
}
