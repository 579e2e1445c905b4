/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "base/clock.h"
#include "profile/sampler.h"
#include "service/profile_arguments.h"

/* Who asks each minute for a minute would never see what is added to it later. */
static void range_for_other_programs__ends_when_no_sample_of_it_waits_any_more(void **state)
{
    const uint64_t before_ns = clock_realtime_ns();
    struct query query AUTO_QUERY = {0};
    AUTO_TEXT struct text text = {0};
    struct profile_arguments *arguments = NULL;
    uint64_t after_ns;

    (void)state;
    assert_int_equal(query_parse("seconds=60", &query), 0);
    assert_int_equal(profile_arguments_read_pprof(&query, &text, &arguments), 0);
    after_ns = clock_realtime_ns();
    assert_int_equal(arguments->choice.end_ns - arguments->choice.start_ns, 60 * NS_PER_SECOND);
    assert_true(arguments->choice.end_ns + SAMPLER_PATIENCE_NS < after_ns);
    assert_true(arguments->choice.end_ns + 2 * SAMPLER_PATIENCE_NS > before_ns);
    profile_arguments_free(arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(range_for_other_programs__ends_when_no_sample_of_it_waits_any_more),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
