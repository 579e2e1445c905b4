/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdint.h>

#include "target/target_news.h"

struct target {
    int number;
    struct target_mark mark;
};

static struct target targets[3];

static int setup(void **state)
{
    static struct target_news news;

    news = (struct target_news){0};
    target_news_init(&news, offsetof(struct target, mark));
    *state = &news;
    return 0;
}

static int teardown(void **state)
{
    target_news_done(*state);
    return 0;
}

static void add_birth(struct target_news *news, struct target *target)
{
    assert_int_equal(target_news_reserve(news, 3), 0);
    target_news_add_birth(news, target);
}

static void report(struct target_news *news)
{
    news->reported = true;
}

static void birth__is_told_until_it_was_reported(void **state)
{
    struct target_news *news = *state;

    add_birth(news, &targets[0]);
    target_news_begin(news); /* the update before has failed */
    assert_int_equal(news->n_born, 1);
    assert_ptr_equal(news->born[0], &targets[0]);
    assert_false(target_news_birth_is_taken(news, &targets[0]));
    report(news);
    target_news_begin(news);
    assert_int_equal(news->n_born, 0);
    assert_true(target_news_birth_is_taken(news, &targets[0]));
}

static void birth__that_is_given_back_is_told_again(void **state)
{
    struct target_news *news = *state;

    for (size_t i = 0; i < 3; i++)
        add_birth(news, &targets[i]);
    report(news);
    assert_true(target_news_give_back(news, &targets[1]));
    assert_false(target_news_give_back(news, &targets[1]));
    assert_int_equal(news->n_given_back, 1);
    target_news_begin(news);
    assert_int_equal(news->n_given_back, 0);
    assert_int_equal(news->n_born, 1);
    assert_ptr_equal(news->born[0], &targets[1]);
    assert_false(target_news_birth_is_taken(news, &targets[1]));
    report(news);
    target_news_begin(news);
    assert_int_equal(news->n_born, 0);
}

static void end__is_told_once(void **state)
{
    struct target_news *news = *state;

    add_birth(news, &targets[0]);
    report(news);
    target_news_begin(news);
    assert_true(target_news_add_end(news, &targets[0]));
    assert_int_equal(news->n_gone, 1);
    assert_ptr_equal(news->gone[0], &targets[0]);
    report(news);
    target_news_begin(news);
    assert_int_equal(news->n_gone, 0);
}

static void end__before_the_birth_was_told_takes_the_birth_back(void **state)
{
    struct target_news *news = *state;

    for (size_t i = 0; i < 3; i++)
        add_birth(news, &targets[i]);
    assert_false(target_news_add_end(news, &targets[0]));
    assert_int_equal(news->n_gone, 0);
    assert_int_equal(news->n_born, 2);
    /* the last one has moved to its place, and can be taken back from there */
    assert_ptr_equal(news->born[0], &targets[2]);
    assert_false(target_news_add_end(news, &targets[2]));
    assert_ptr_equal(news->born[0], &targets[1]);
    assert_int_equal(news->n_born, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(birth__is_told_until_it_was_reported),
        TEST(birth__that_is_given_back_is_told_again),
        TEST(end__is_told_once),
        TEST(end__before_the_birth_was_told_takes_the_birth_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
