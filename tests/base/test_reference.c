/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <pthread.h>

#include "base/reference.h"

#define N_THREADS 4
#define N_TURNS   20000

static void drop__tells_the_last_owner_only(void **state)
{
    struct reference reference;

    (void)state;
    reference_init(&reference);
    reference_take(&reference);
    reference_take(&reference);
    assert_false(reference_drop(&reference));
    assert_false(reference_drop(&reference));
    assert_true(reference_drop(&reference));
}

struct shared {
    struct reference reference;
    unsigned written[N_THREADS]; /* each by one thread, read by the last owner */
};

struct owner {
    struct shared *shared;
    size_t number;
    size_t n_last;
};

static void *own(void *argument)
{
    struct owner *owner = argument;

    for (unsigned i = 0; i < N_TURNS; i++) {
        reference_take(&owner->shared->reference);
        owner->shared->written[owner->number]++;
        owner->n_last += reference_drop(&owner->shared->reference); /* never: it has another */
    }
    owner->n_last += reference_drop(&owner->shared->reference);
    return NULL;
}

static void threads__take_and_drop_at_once_and_one_of_them_is_last(void **state)
{
    struct shared shared = {0};
    struct owner owners[N_THREADS];
    pthread_t threads[N_THREADS];
    size_t n_last = 0;

    (void)state;
    reference_init(&shared.reference);
    for (size_t i = 0; i < N_THREADS; i++) {
        owners[i] = (struct owner){.shared = &shared, .number = i};
        reference_take(&shared.reference);
    }
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, own, &owners[i]), 0);
    n_last += reference_drop(&shared.reference);
    for (size_t i = 0; i < N_THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        n_last += owners[i].n_last;
        assert_int_equal(shared.written[i], N_TURNS);
    }
    assert_int_equal(n_last, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drop__tells_the_last_owner_only),
        cmocka_unit_test(threads__take_and_drop_at_once_and_one_of_them_is_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
