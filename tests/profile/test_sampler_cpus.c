/* SPDX-License-Identifier: Apache-2.0 */
/* Which CPUs are sampled, and that they do not begin together: the kernel's timers keep the
 * distance at which they were started. */
#include "support/check.h"

#include <errno.h>
#include <time.h>

#include "base/clock.h"
#include "profile/sampler_parts.h"

#define MOST_CPUS 8

/* What would be sampled, when that began (by a clock that only pauses move), and which CPU fails.
 */
static struct {
    bool is_sampled[MOST_CPUS];
    uint64_t begun_ns[MOST_CPUS], now_ns;
    unsigned rate_hz;
    size_t failing;
} kernel;

int __wrap_profile_program_begin_cpu(struct profile_program *program, size_t cpu, unsigned rate_hz)
{
    (void)program;
    if (cpu == kernel.failing)
        return -EMFILE;
    kernel.is_sampled[cpu] = true;
    kernel.begun_ns[cpu] = kernel.now_ns;
    kernel.rate_hz = rate_hz;
    return 0;
}

void __wrap_profile_program_end_cpu(struct profile_program *program, size_t cpu)
{
    (void)program;
    kernel.is_sampled[cpu] = false;
}

bool __wrap_profile_program_samples_cpu(const struct profile_program *program, size_t cpu)
{
    (void)program;
    return kernel.is_sampled[cpu];
}

int __wrap_nanosleep(const struct timespec *time, struct timespec *ret_left)
{
    (void)ret_left;
    kernel.now_ns += (uint64_t)time->tv_sec * NS_PER_SECOND + (uint64_t)time->tv_nsec;
    return 0;
}

static int set_cpus(struct sampler *sampler, const char *text)
{
    AUTO(cpu_list) struct cpu_list *cpus = NULL;

    assert_int_equal(cpu_list_parse(text, &cpus), 0);
    return sampler_set_cpus(sampler, cpus);
}

static struct sampler begin(unsigned rate_hz)
{
    memset(&kernel, 0, sizeof(kernel));
    kernel.failing = MOST_CPUS;
    return (struct sampler){.setup = {.n_cpus = MOST_CPUS, .rate_hz = rate_hz}};
}

static void cpus__begin_apart_within_one_period(void **state)
{
    struct sampler sampler = begin(49);
    const uint64_t period_ns = NS_PER_SECOND / 49;

    (void)state;
    assert_int_equal(set_cpus(&sampler, "0-3"), 0);
    assert_int_equal(kernel.rate_hz, 49);
    for (size_t cpu = 0; cpu < 4; cpu++)
        assert_int_equal(kernel.begun_ns[cpu], cpu * (period_ns / 4));
    assert_true(kernel.now_ns <= period_ns);
    assert_false(kernel.is_sampled[4]);
}

static void cpus__at_the_least_rate_begin_apart_within_a_second(void **state)
{
    struct sampler sampler = begin(1);

    (void)state;
    assert_int_equal(set_cpus(&sampler, "3"), 0);
    assert_int_equal(kernel.now_ns, NS_PER_SECOND);
    assert_true(kernel.is_sampled[3]);
}

static void cpus__that_go_end_and_the_others_go_on(void **state)
{
    struct sampler sampler = begin(100);
    uint64_t now_ns;

    (void)state;
    assert_int_equal(set_cpus(&sampler, "0-1"), 0);
    now_ns = kernel.now_ns;
    assert_false(sampler.has_lost_records);
    assert_int_equal(set_cpus(&sampler, "0,2"), 0);
    assert_true(kernel.is_sampled[0] && !kernel.is_sampled[1] && kernel.is_sampled[2]);
    assert_int_equal(kernel.begun_ns[0], 0);
    assert_int_equal(kernel.begun_ns[2], now_ns);
    assert_true(sampler.has_lost_records); /* what its ring told of mappings is gone with it */
}

static void cpus__one_that_cannot_be_sampled_keeps_none_from_it(void **state)
{
    struct sampler sampler = begin(100);

    (void)state;
    kernel.failing = 1;
    assert_int_equal(set_cpus(&sampler, "0-2"), -EMFILE);
    assert_true(kernel.is_sampled[0] && !kernel.is_sampled[1] && kernel.is_sampled[2]);
    kernel.failing = MOST_CPUS;
    assert_int_equal(set_cpus(&sampler, "0-2"), 0);
    assert_true(kernel.is_sampled[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus__begin_apart_within_one_period),
        cmocka_unit_test(cpus__at_the_least_rate_begin_apart_within_a_second),
        cmocka_unit_test(cpus__that_go_end_and_the_others_go_on),
        cmocka_unit_test(cpus__one_that_cannot_be_sampled_keeps_none_from_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
