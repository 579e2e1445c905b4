/* SPDX-License-Identifier: Apache-2.0 */
/* How often processes are looked at: who maps without end shall not have us look without end. */
#include "support/check.h"

#include <errno.h>

#include "base/clock.h"
#include "profile/sampler_parts.h"

#define SECOND NS_PER_SECOND

static bool is_losing, are_locked;
static unsigned n_looks;

bool __wrap_profile_program_next_mapped(struct profile_program *program,
                                        struct profile_mapped *ret_mapped, bool *ret_lost)
{
    (void)program, (void)ret_mapped;
    *ret_lost |= is_losing;
    return false;
}

int __wrap_address_spaces_look_at_all(struct address_spaces *spaces)
{
    (void)spaces;
    n_looks++;
    return are_locked ? -ETIME : 0;
}

/* Each process has a number from 0 on, and a look at it takes so much CPU time. */
#define PROCESSES 8

static uint64_t cpu_ns, look_cpu_ns[PROCESSES];
static unsigned n_looked[PROCESSES];

uint64_t __wrap_clock_thread_cpu_ns(void)
{
    return cpu_ns;
}

int __wrap_address_spaces_look(struct address_spaces *spaces, pid_t pid,
                               struct space_change *ret_change)
{
    (void)spaces;
    *ret_change = (struct space_change){0};
    n_looked[pid]++;
    cpu_ns += look_cpu_ns[pid];
    return are_locked ? -ETIME : 0;
}

static void look(struct sampler *sampler, uint64_t now_ns, bool is_lost)
{
    is_losing = is_lost;
    sampler_look(sampler, now_ns);
}

static void looks_at_all__are_a_second_apart_and_none_is_left_out(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};

    (void)state;
    assert_non_null(sampler.changed);
    look(&sampler, 10 * SECOND, false);
    assert_int_equal(n_looks, 0);
    look(&sampler, 10 * SECOND, true);
    assert_int_equal(n_looks, 1);
    for (uint64_t i = 1; i < 20; i++)
        look(&sampler, 10 * SECOND + i * SECOND / 20, true);
    assert_int_equal(n_looks, 1);
    assert_true(sampler.has_lost_records);
    look(&sampler, 1000 * SECOND, false); /* what was lost before has still to be looked at */
    assert_int_equal(n_looks, 2);
    assert_false(sampler.has_lost_records);
    look(&sampler, 2000 * SECOND, false);
    assert_int_equal(n_looks, 2);
    (void)changed_processes_free(sampler.changed);
}

/*
 * Turns five times a second, each of which finds that these processes have changed. Those that
 * were looked at are forgotten, as at the end of a turn.
 */
static void take_turns(struct sampler *sampler, unsigned n, unsigned n_processes)
{
    for (uint64_t i = 0; i < n; i++) {
        for (unsigned pid = 0; pid < n_processes; pid++)
            assert_true(changed_processes_note(sampler->changed, (pid_t)pid, i));
        look(sampler, SECOND + i * SECOND / 5, false);
        changed_processes_forget(sampler->changed);
    }
}

static void looks_that_take_long__take_a_fifth_of_a_cpu_and_leave_none_out(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};
    const uint64_t begin_ns = cpu_ns;

    (void)state;
    for (unsigned pid = 0; pid < PROCESSES; pid++) {
        look_cpu_ns[pid] = pid == 0 ? 0 : SECOND / 125;
        n_looked[pid] = 0;
    }
    take_turns(&sampler, 100, PROCESSES);
    assert_in_range(cpu_ns - begin_ns, 20 * SECOND / 8, 20 * SECOND / 4);
    for (unsigned pid = 0; pid < PROCESSES; pid++)
        assert_true(n_looked[pid] > 100 / PROCESSES);
    (void)changed_processes_free(sampler.changed);
}

/* Whoever is sampled in each turn, and takes long, comes first, but not always. */
static void looks_at_those_that_are_sampled__leave_time_for_the_others(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};
    struct profile_sample sample = {0};

    (void)state;
    for (unsigned pid = 0; pid < PROCESSES; pid++) {
        look_cpu_ns[pid] = pid < 4 ? SECOND / 125 : SECOND / 10000;
        n_looked[pid] = 0;
        sample.pid = pid;
        assert_int_equal(sample_list_add(&sampler.taken, &sample), 0);
    }
    take_turns(&sampler, 100, PROCESSES);
    for (unsigned pid = 0; pid < PROCESSES; pid++)
        assert_true(n_looked[pid] >= 100 / PROCESSES);
    sample_list_done(&sampler.taken);
    (void)changed_processes_free(sampler.changed);
}

/* Who has many mappings, and maps without end, has a twentieth of a CPU, with others like it. */
static void looks_at_those_that_take_long__do_not_pause_the_others(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};
    unsigned heavy = 0;

    (void)state;
    for (unsigned pid = 0; pid < PROCESSES; pid++) {
        look_cpu_ns[pid] = pid < 4 ? SECOND / 50 : SECOND / 10000;
        n_looked[pid] = 0;
    }
    take_turns(&sampler, 2, PROCESSES);       /* it is learned who takes long */
    sampler.look_ns = sampler.put_off_ns = 0; /* the turns begin at the same time again */
    for (unsigned pid = 0; pid < PROCESSES; pid++)
        n_looked[pid] = 0;
    take_turns(&sampler, 100, PROCESSES);
    for (unsigned pid = 0; pid < 4; pid++)
        heavy += n_looked[pid];
    assert_in_range(heavy, 40, 52); /* in 20 s, of 20 ms each */
    for (unsigned pid = 4; pid < PROCESSES; pid++)
        assert_in_range(n_looked[pid], 90, 100);
    (void)changed_processes_free(sampler.changed);
}

/* From now on a look takes so much CPU time, and none has been taken. */
static void begin_looks(uint64_t ns)
{
    for (unsigned pid = 0; pid < PROCESSES; pid++) {
        look_cpu_ns[pid] = ns;
        n_looked[pid] = 0;
    }
}

static void looks_that_are_short__are_made_in_each_turn(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};

    (void)state;
    begin_looks(SECOND / 1000);
    take_turns(&sampler, 100, PROCESSES);
    for (unsigned pid = 0; pid < PROCESSES; pid++)
        assert_int_equal(n_looked[pid], 100);
    (void)changed_processes_free(sampler.changed);
}

/* A process that has kept us waiting may have kept us from others. */
static void look_at_all__that_was_kept_from_it__is_made_again(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};
    const unsigned before = n_looks;

    (void)state;
    are_locked = true;
    look(&sampler, 3000 * SECOND, true);
    are_locked = false;
    assert_int_equal(n_looks, before + 1);
    assert_true(sampler.has_lost_records);
    look(&sampler, 4000 * SECOND, false);
    assert_int_equal(n_looks, before + 2);
    assert_false(sampler.has_lost_records);
    (void)changed_processes_free(sampler.changed);
}

/* Whoever takes too long is put off, and keeps nobody else from being looked at. */
static void looks_that_take_too_long__are_put_off(void **state)
{
    struct sampler sampler = {.changed = changed_processes_new()};

    (void)state;
    begin_looks(SECOND / 1000);
    are_locked = true;
    take_turns(&sampler, 10, PROCESSES / 2);
    are_locked = false;
    sampler.look_ns = 0; /* the turns begin at the same time again */
    take_turns(&sampler, 10, PROCESSES);
    for (unsigned pid = 0; pid < PROCESSES; pid++)
        assert_int_equal(n_looked[pid], pid < PROCESSES / 2 ? 1 : 10);
    (void)changed_processes_free(sampler.changed);
}

/* What is not known of a process that is put off has that reason; what is known stays. */
static void samples_of_a_process_that_is_put_off__say_so(void **state)
{
    static const struct {
        enum profile_outcome before, after;
        uint64_t
            frame; /* of which it is not sure that it is still in that file; 0: there is none */
    } outcomes[] = {{PROFILE_YOUNG, PROFILE_NOT_LOOKED_AT, 0},
                    {PROFILE_NO_MAPPING, PROFILE_NOT_LOOKED_AT, 0},
                    {PROFILE_COMPLETE, PROFILE_NOT_LOOKED_AT, UINT64_C(1) << 32},
                    {PROFILE_COMPLETE, PROFILE_COMPLETE, 0},
                    {PROFILE_BROKEN, PROFILE_BROKEN, 0}};
    struct sampler sampler = {.changed = changed_processes_new()};
    size_t at = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
        struct {
            struct profile_sample sample;
            uint64_t frame;
        } whole = {{.pid = 1,
                    .time_ns = 2,
                    .outcome = (uint8_t)outcomes[i].before,
                    .n_user = outcomes[i].frame != 0},
                   outcomes[i].frame};

        assert_int_equal(sample_list_add(&sampler.taken, &whole.sample), 0);
    }
    begin_looks(SECOND / 1000);
    are_locked = true;
    assert_true(changed_processes_note(sampler.changed, 1, 1));
    look(&sampler, SECOND, false); /* takes too long: what had changed is not known */
    changed_processes_forget(sampler.changed);
    assert_true(changed_processes_note(sampler.changed, 1, 1));
    look(&sampler, 2 * SECOND, false);
    are_locked = false;
    for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
        assert_int_equal(sample_list_next(&sampler.taken, &at)->outcome, outcomes[i].after);
    sample_list_done(&sampler.taken);
    (void)changed_processes_free(sampler.changed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_that_take_long__take_a_fifth_of_a_cpu_and_leave_none_out),
        cmocka_unit_test(looks_at_those_that_are_sampled__leave_time_for_the_others),
        cmocka_unit_test(looks_at_those_that_take_long__do_not_pause_the_others),
        cmocka_unit_test(looks_that_are_short__are_made_in_each_turn),
        cmocka_unit_test(looks_that_take_too_long__are_put_off),
        cmocka_unit_test(samples_of_a_process_that_is_put_off__say_so),
        cmocka_unit_test(looks_at_all__are_a_second_apart_and_none_is_left_out),
        cmocka_unit_test(look_at_all__that_was_kept_from_it__is_made_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
