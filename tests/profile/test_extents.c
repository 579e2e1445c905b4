/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "profile/extents.h"

#define PLACES 1000
#define RUNS   200
#define STEPS  20000

static void extents__of_all_places__are_one_again_when_all_came_back(void **state)
{
    struct extents extents;
    struct extent first, second, third, all;

    (void)state;
    assert_int_equal(extents_init(&extents, 30), 0);
    assert_int_equal(extents_take(&extents, 10, &first), 0);
    assert_int_equal(extents_take(&extents, 10, &second), 0);
    assert_int_equal(extents_take(&extents, 10, &third), 0);
    assert_int_equal(extents_take(&extents, 1, &all), -ENOSPC);
    assert_int_equal(extents_give_back(&extents, first), 0);
    assert_int_equal(extents_give_back(&extents, third), 0);
    assert_int_equal(extents_take(&extents, 20, &all), -ENOSPC);
    assert_int_equal(extents_give_back(&extents, second), 0);
    assert_int_equal(extents_take(&extents, 30, &all), 0);
    assert_int_equal(all.first, 0);
    extents_done(&extents);
}

/* Marks the places of a run, which nobody may have; or ends the marks. */
static void mark(bool *taken, const struct extent *extent, bool is_taken)
{
    for (uint32_t i = 0; i < extent->n; i++) {
        assert_true(extent->first + i < PLACES);
        assert_int_equal(taken[extent->first + i], !is_taken);
        taken[extent->first + i] = is_taken;
    }
}

static void extents__taken_and_given_back_by_chance__never_meet(void **state)
{
    bool taken[PLACES] = {false};
    struct extent runs[RUNS] = {{0}};
    struct extents extents;
    unsigned seed = 4711;

    (void)state;
    assert_int_equal(extents_init(&extents, PLACES), 0);
    for (size_t step = 0; step < STEPS; step++) {
        struct extent *run = &runs[(size_t)rand_r(&seed) % RUNS];

        if (run->n > 0) {
            mark(taken, run, false);
            assert_int_equal(extents_give_back(&extents, *run), 0);
            run->n = 0;
        } else if (extents_take(&extents, 1 + (uint32_t)rand_r(&seed) % 20, run) == 0) {
            assert_int_equal(run->first % 2, 0);
            mark(taken, run, true);
        } else {
            run->n = 0;
        }
    }
    for (size_t i = 0; i < RUNS; i++)
        assert_int_equal(extents_give_back(&extents, runs[i]), 0);
    assert_int_equal(extents.n_taken, 0);
    assert_int_equal(extents.n_free, 1);
    extents_done(&extents);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extents__of_all_places__are_one_again_when_all_came_back),
        cmocka_unit_test(extents__taken_and_given_back_by_chance__never_meet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
