/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <string.h>

#include "profile/sample_list.h"
#include "profile/stack.h"

#define SAMPLES 200
#define FILE_A  7
#define FILE_B  8

struct whole_sample {
    struct profile_sample sample;
    uint64_t frames[8];
};

/* Two frames in the kernel, then some in file A and one in file B. */
static struct whole_sample make_sample(uint32_t pid)
{
    struct whole_sample whole = {
        .sample = {.pid = pid, .n_kernel = 2, .n_user = (uint16_t)(2 + pid % 4)}};

    whole.frames[0] = whole.frames[1] = UINT64_C(0xffffffff81000000);
    for (size_t i = 0; i < whole.sample.n_user; i++)
        whole.frames[2 + i] = (uint64_t)FILE_A << 32 | pid;
    whole.frames[2 + whole.sample.n_user - 1] = (uint64_t)FILE_B << 32 | pid;
    return whole;
}

static void list__of_samples_some_of_which_were_cut__has_all_of_them(void **state)
{
    static const struct space_change lost = {.n_lost = 1, .lost = {FILE_B}};
    struct sample_list list = {0};
    size_t at = 0;
    uint32_t n = 0;

    (void)state;
    for (uint32_t pid = 0; pid < SAMPLES; pid++) {
        const struct whole_sample whole = make_sample(pid);

        assert_int_equal(sample_list_add(&list, &whole.sample), 0);
    }
    for (at = 0; at < list.n_bytes;) {
        struct profile_sample *sample = sample_list_next(&list, &at);

        stack_cut(sample, sample->pid % 2 ? &lost : NULL);
    }
    for (at = 0; at < list.n_bytes; n++) {
        const struct profile_sample *sample = sample_list_next(&list, &at);

        assert_int_equal(sample->pid, n);
        assert_int_equal(sample->n_cut, n % 2);
        assert_int_equal(sample->outcome, n % 2 ? PROFILE_CHANGED : PROFILE_COMPLETE);
    }
    assert_int_equal(n, SAMPLES);
    sample_list_done(&list);
}

static void cut__of_a_process_that_changed_too_much__leaves_no_file(void **state)
{
    static const struct space_change all = {.n_lost = SPACE_LOST_MOST + 1};
    struct whole_sample whole = make_sample(1);

    (void)state;
    stack_cut(&whole.sample, &all);
    assert_int_equal(whole.sample.n_cut, whole.sample.n_user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list__of_samples_some_of_which_were_cut__has_all_of_them),
        cmocka_unit_test(cut__of_a_process_that_changed_too_much__leaves_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
