/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that cannot be loaded yet are tried again. The loader of KVM's, the clock and the reader
 * of tables are ours. */
#include "support/check.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "count/bpf/observers.h"
#include "count/latency.h"
#include "sys/bpf/keyed_ends.h"
#include "sys/bpf/kvm/program.h"

#define MINUTE_NS (60 * NS_PER_SECOND)

static uint64_t now_ns;
static bool is_kvm_there;
static unsigned n_tried, n_loaded, n_ended, n_read;

uint64_t __wrap_clock_monotonic_ns(void)
{
    return now_ns;
}

void __wrap_keyed_table_read(struct keyed_table *table, keyed_take *take, void *context)
{
    (void)table, (void)take, (void)context;
    n_read++;
}

static uint64_t n_lost; /* by each program */

static uint64_t lost(const struct keyed_program *program)
{
    (void)program;
    return n_lost;
}

static void end(struct keyed_program *program)
{
    n_ended++;
    free(program);
}

int __wrap_kvm_program_load(const struct switch_program *of, size_t entries,
                            struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    struct keyed_program *program;

    (void)of, (void)entries;
    n_tried++;
    if (!is_kvm_there) {
        *ret_refusal = BPF_REFUSAL_NO_KVM;
        return -ENODEV;
    }
    program = calloc(1, sizeof(*program));
    assert_non_null(program);
    *program = (struct keyed_program){.lost = lost, .end = end};
    *ret_program = program;
    n_loaded++;
    return 0;
}

static void kvm__that_comes_late_is_loaded_once_and_is_no_more_missing(void **state)
{
    const struct observers_setup setup = {.sysfs_fd = -1};
    struct observers *observers = observers_new(&setup);

    (void)state;
    assert_non_null(observers);
    now_ns = MINUTE_NS;
    observers_want(observers, LATENCY_KIND_KVM);
    observers_read(observers);
    assert_int_equal(n_loaded, 0);
    assert_string_equal(observers_reason(observers, LATENCY_KIND_KVM),
                        bpf_refusal_text(BPF_REFUSAL_NO_KVM));
    is_kvm_there = true;
    now_ns += MINUTE_NS;
    observers_read(observers);
    assert_int_equal(n_loaded, 1);
    assert_int_equal(n_read, 1);
    assert_null(observers_reason(observers, LATENCY_KIND_KVM));
    now_ns += MINUTE_NS;
    observers_read(observers);
    assert_int_equal(n_loaded, 1);
    assert_int_equal(n_read, 2);
    assert_null(observers_free(observers));
    assert_int_equal(n_ended, 1);
}

static void kvm__that_is_not_there_is_looked_for_once_a_minute(void **state)
{
    const struct observers_setup setup = {.sysfs_fd = -1};
    AUTO(observers) struct observers *observers = observers_new(&setup);
    unsigned before;

    (void)state;
    assert_non_null(observers);
    is_kvm_there = false;
    observers_want(observers, LATENCY_KIND_KVM);
    now_ns += MINUTE_NS;
    observers_read(observers);
    before = n_tried;
    now_ns += MINUTE_NS - 1;
    observers_read(observers);
    assert_int_equal(n_tried, before);
    now_ns++;
    observers_read(observers);
    assert_int_equal(n_tried, before + 1);
}

static void losses__of_programs_that_have_ended_are_still_told(void **state)
{
    const struct observers_setup setup = {.sysfs_fd = -1};
    AUTO(observers) struct observers *observers = observers_new(&setup);

    (void)state;
    assert_non_null(observers);
    is_kvm_there = true;
    observers_want(observers, LATENCY_KIND_KVM);
    assert_int_equal(observers_lost(observers), 0);
    n_lost = 3;
    assert_int_equal(observers_lost(observers), 3);
    observers_want(observers, 0);
    assert_int_equal(observers_lost(observers), 3);
    observers_want(observers, LATENCY_KIND_KVM);
    n_lost = 2; /* it counts them anew */
    assert_int_equal(observers_lost(observers), 5);
    n_lost = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kvm__that_comes_late_is_loaded_once_and_is_no_more_missing),
        cmocka_unit_test(kvm__that_is_not_there_is_looked_for_once_a_minute),
        cmocka_unit_test(losses__of_programs_that_have_ended_are_still_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
