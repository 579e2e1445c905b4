/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/switch_pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "support/check.h"

static struct cpu_list *read_cpus(void)
{
    AUTO_CLOSE int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct cpu_list *cpus;

    assert_int_equal(cpu_list_read_online(sysfs, &cpus), 0);
    return cpus;
}

static void pattern__faults_and_switches_at_least_as_often_as_it_says(void **state)
{
    AUTO(cpu_list) struct cpu_list *cpus = read_cpus();
    struct switch_pattern *pattern = switch_pattern_new(cpus);
    struct rusage before, after;
    long n;

    (void)state;
    assert_non_null(pattern);
    n = (long)switch_pattern_n_children(pattern);
    assert_true(n > 0 && n <= (long)cpus->n);
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &before), 0);
    assert_int_equal(switch_pattern_run(pattern, 20 * NS_PER_SECOND), 0);
    assert_int_equal(kill(switch_pattern_process(pattern), 0), 0); /* it lives on */
    assert_null(switch_pattern_free(pattern));
    assert_int_equal(getrusage(RUSAGE_CHILDREN, &after), 0);
    assert_true(after.ru_minflt - before.ru_minflt >=
                n * SWITCH_PATTERN_TURNS * SWITCH_PATTERN_PAGES);
    assert_true(after.ru_nvcsw - before.ru_nvcsw >= n * SWITCH_PATTERN_TURNS);
}

/* The page faults of a process; and its state. */
static unsigned long read_faults(pid_t process, char *ret_state)
{
    char path[64];
    unsigned long faults;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)process);
    file = fopen(path, "re");
    assert_non_null(file);
    assert_int_equal(
        fscanf(file, "%*d (switch_pattern) %c %*d %*d %*d %*d %*d %*u %lu", ret_state, &faults), 2);
    (void)fclose(file);
    return faults;
}

/* Else who begins to count the process meanwhile has a part of its birth, or has not. */
static void pattern__does_nothing_until_it_is_run(void **state)
{
    AUTO(cpu_list) struct cpu_list *cpus = read_cpus();

    (void)state;
    for (int i = 0; i < 20; i++) {
        AUTO(switch_pattern) struct switch_pattern *pattern = switch_pattern_new(cpus);
        unsigned long faults;
        char state_now;

        assert_non_null(pattern);
        faults = read_faults(switch_pattern_process(pattern), &state_now);
        while (state_now != 'S')
            (void)read_faults(switch_pattern_process(pattern), &state_now);
        assert_int_equal(read_faults(switch_pattern_process(pattern), &state_now), faults);
    }
}

static void pattern__that_is_not_done_in_time_is_reported_and_killed(void **state)
{
    AUTO(cpu_list) struct cpu_list *cpus = read_cpus();
    struct switch_pattern *pattern = switch_pattern_new(cpus);
    pid_t process;

    (void)state;
    assert_non_null(pattern);
    process = switch_pattern_process(pattern);
    assert_int_equal(kill(process, SIGSTOP), 0);
    assert_int_equal(switch_pattern_run(pattern, NS_PER_SECOND / 100), -ETIMEDOUT);
    assert_null(switch_pattern_free(pattern));
    assert_int_equal(kill(process, 0), -1);
    assert_int_equal(errno, ESRCH);
}

static void pattern__that_dies_is_reported_at_once(void **state)
{
    AUTO(cpu_list) struct cpu_list *cpus = read_cpus();
    struct switch_pattern *pattern = switch_pattern_new(cpus);

    (void)state;
    assert_non_null(pattern);
    assert_int_equal(kill(switch_pattern_process(pattern), SIGKILL), 0);
    assert_int_equal(switch_pattern_run(pattern, 20 * NS_PER_SECOND), -EPIPE);
    assert_null(switch_pattern_free(pattern));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern__faults_and_switches_at_least_as_often_as_it_says),
        cmocka_unit_test(pattern__does_nothing_until_it_is_run),
        cmocka_unit_test(pattern__that_is_not_done_in_time_is_reported_and_killed),
        cmocka_unit_test(pattern__that_dies_is_reported_at_once),
    };

    (void)signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
