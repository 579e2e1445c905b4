/* SPDX-License-Identifier: Apache-2.0 */

/* The real program, with software events of the real kernel. Skipped where bpf cannot be loaded. */
#include "count/bpf/real_bpf.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define CGROUP2_MAGIC 0x63677270

/* cpu-clock comes first: system-wide, and in the root cgroup, it is wall time. */
static const uint64_t codes[] = {PERF_COUNT_SW_CPU_CLOCK, PERF_COUNT_SW_PAGE_FAULTS,
                                 PERF_COUNT_SW_CPU_MIGRATIONS, PERF_COUNT_SW_EMULATION_FAULTS};

#define N_CLOCK_EVENTS 2 /* events of the first group; each other group has one */
#define N_LANES        (BPF_GROUP_LANES(N_CLOCK_EVENTS) + BPF_GROUP_LANES(1))

struct fixture {
    struct mechanism *bpf;
    struct event events[ARRAY_SIZE(codes)];
    struct event_groups
        *groups[SCOPE_KIND_COUNT_]; /* a group of the first two events, for each kind of scope */
    struct event_groups *others[SCOPE_KIND_COUNT_]; /* a group of the third event */
    struct event_groups *extra;                     /* a group of the last event, for cgroups */
    struct cpu_list *cpus;
    int cgroup_fd;
    struct sample *sample;
};

static_assert(offsetof(struct fixture, bpf) == 0, "need_bpf() looks there");

static int open_cgroup_root(void)
{
    static const char *const mounts[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    struct statfs found;

    for (size_t i = 0; i < ARRAY_SIZE(mounts); i++)
        if (statfs(mounts[i], &found) == 0 && found.f_type == CGROUP2_MAGIC)
            return open(mounts[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return -1;
}

static void make_groups(struct fixture *f)
{
    const struct event *events[ARRAY_SIZE(codes)];
    const struct group_spec clock = {"clock", events, N_CLOCK_EVENTS};
    const struct group_spec other = {"other", events + N_CLOCK_EVENTS, 1};
    const struct group_spec extra = {"extra", events + N_CLOCK_EVENTS + 1, 1};

    for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
        f->events[i].code = (struct event_code){.type = PERF_TYPE_SOFTWARE, .config = codes[i]};
        events[i] = &f->events[i];
    }
    for (enum scope_kind kind = SCOPE_SYSTEM; kind <= SCOPE_CGROUP; kind++) {
        assert_int_equal(event_groups_new(kind, &clock, 1, &f->groups[kind]), 0);
        assert_int_equal(event_groups_new(kind, &other, 1, &f->others[kind]), 0);
    }
    assert_int_equal(event_groups_new(SCOPE_CGROUP, &extra, 1, &f->extra), 0);
    f->sample = sample_new(f->groups[SCOPE_CGROUP]);
}

static void make_mechanism(struct fixture *f)
{
    const struct switch_program_size size = {.n_slots = SWITCH_PROGRAM_FIRST + 2,
                                             .n_lanes = N_LANES};

    if (f->cgroup_fd < 0) {
        print_message("skipped: there is no cgroup v2\n");
        return;
    }
    f->bpf = make_real_bpf(f->cpus, size);
    if (f->bpf)
        f->bpf->descriptors = SIZE_MAX;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->cpus = read_online_cpus();
    f->cgroup_fd = open_cgroup_root();
    make_groups(f);
    make_mechanism(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    free_real_bpf(f->bpf);
    for (enum scope_kind kind = SCOPE_SYSTEM; kind <= SCOPE_CGROUP; kind++) {
        (void)event_groups_free(f->groups[kind]);
        (void)event_groups_free(f->others[kind]);
    }
    (void)event_groups_free(f->extra);
    (void)sample_free(f->sample);
    (void)cpu_list_free(f->cpus);
    (void)close(f->cgroup_fd);
    free(f);
    return 0;
}

static struct counter_set *open_set(struct fixture *f, const struct event_groups *groups)
{
    const struct scope scope = {
        .kind = groups->kind,
        .cgroup_fd = groups->kind == SCOPE_CGROUP ? f->cgroup_fd : -1,
        .cpus = f->cpus,
    };

    return open_counter_set(f->bpf, groups, &scope);
}

static struct counter_set *open_whole(struct fixture *f, const struct event_groups *groups)
{
    struct counter_set *set = open_set(f, groups);

    assert_false(counter_set_is_incomplete(set));
    return set;
}

static const struct event_sample *read_set(struct fixture *f, struct counter_set *set)
{
    return read_counter_set(f->bpf, set, f->sample);
}

static void wait_ms(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};

    (void)nanosleep(&time, NULL);
}

static void a_group_of_the_system_and_a_cgroup__is_open_once(void **state)
{
    struct fixture *f = need_bpf(state);
    const size_t n = N_CLOCK_EVENTS * f->cpus->n;
    struct counter_set *system = open_whole(f, f->groups[SCOPE_SYSTEM]);
    struct counter_set *cgroup;

    assert_int_equal(f->bpf->open_counters, n);
    cgroup = open_whole(f, f->groups[SCOPE_CGROUP]);
    assert_int_equal(f->bpf->open_counters, n);
    system = counter_set_free(system);
    assert_int_equal(f->bpf->open_counters, n);
    system = open_whole(f, f->groups[SCOPE_SYSTEM]);
    cgroup = counter_set_free(cgroup);
    assert_int_equal(f->bpf->open_counters, n);
    (void)counter_set_free(system);
}

static void system__counts_with_and_without_a_cgroup_beside_it(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *system = open_whole(f, f->groups[SCOPE_SYSTEM]), *cgroup = NULL;

    (void)read_set(f, system);
    for (int round = 0; round < 3; round++) {
        const uint64_t begin_ns = clock_monotonic_ns();

        if (round == 1)
            cgroup = open_whole(f, f->groups[SCOPE_CGROUP]);
        if (round == 2)
            cgroup = counter_set_free(cgroup);
        fault(500);
        wait_ms(10);
        assert_true(read_set(f, system)[1].count >= 500);
        assert_true(f->sample->groups[0].enabled >= 10000000);
        assert_true(clock_monotonic_ns() - begin_ns >= 10000000);
    }
    (void)counter_set_free(system);
}

static void a_cgroup__is_not_charged_what_its_group_has_counted_for_the_system(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *system = open_whole(f, f->groups[SCOPE_SYSTEM]);
    struct counter_set *charged = open_whole(f, f->others[SCOPE_CGROUP]), *cgroup;
    uint64_t begin_ns, counted;

    mechanism_refresh(f->bpf); /* from here on each CPU charges its slot */
    wait_ms(100);
    begin_ns = clock_monotonic_ns();
    cgroup = open_whole(f, f->groups[SCOPE_CGROUP]);
    counter_set_read(cgroup, clock_monotonic_ns(),
                     f->sample); /* what is charged later will be seen */
    wait_ms(1);
    counted = read_set(f, cgroup)[0].count;
    assert_true(counted > 0);
    assert_true(counted <= f->cpus->n * (clock_monotonic_ns() - begin_ns));
    (void)counter_set_free(cgroup);
    (void)counter_set_free(charged);
    (void)counter_set_free(system);
}

static void groups__of_the_system_may_be_as_many_as_a_configuration_has(void **state)
{
    enum { N = 64 };
    struct fixture *f = need_bpf(state);
    struct event events[N] = {0};
    const struct event *wanted[N];
    struct group_spec specs[N];
    struct event_groups *groups;
    struct counter_set *set;

    for (size_t i = 0; i < N; i++) {
        events[i].code = (struct event_code){
            .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .config1 = i};
        wanted[i] = &events[i];
        specs[i] = (struct group_spec){"dummy", &wanted[i], 1};
    }
    assert_int_equal(event_groups_new(SCOPE_SYSTEM, specs, N, &groups), 0);
    set = open_whole(f, groups);
    assert_int_equal(f->bpf->open_counters, N * f->cpus->n);
    (void)counter_set_free(set);
    (void)event_groups_free(groups);
}

static void lanes__are_for_cgroups_only(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *system = open_whole(f, f->others[SCOPE_SYSTEM]);
    struct counter_set *cgroup = open_whole(f, f->groups[SCOPE_CGROUP]);
    struct counter_set *last = open_whole(f, f->extra);
    struct counter_set *refused = open_set(f, f->others[SCOPE_CGROUP]);

    assert_true(counter_set_is_incomplete(refused));
    assert_int_equal(counter_set_absence(refused), ABSENCE_OVER_LIMIT);
    assert_int_equal(f->bpf->open_counters, (N_CLOCK_EVENTS + 2) * f->cpus->n);
    (void)counter_set_free(refused);
    (void)counter_set_free(last);
    (void)counter_set_free(cgroup);
    (void)counter_set_free(system);
}

static void a_cpu_that_was_away__is_read_a_last_time_and_opened_anew(void **state)
{
    struct fixture *f = need_bpf(state);
    AUTO(cpu_list) struct cpu_list *none = NULL;
    const size_t n = N_CLOCK_EVENTS * f->cpus->n;
    struct counter_set *old = open_whole(f, f->groups[SCOPE_SYSTEM]), *new;

    assert_int_equal(cpu_list_parse("", &none), 0);
    (void)read_set(f, old);
    fault(500);
    f->bpf->keep_cpus(f->bpf, none);
    new = open_whole(f, f->groups[SCOPE_SYSTEM]);
    assert_int_equal(f->bpf->open_counters, 2 * n);
    assert_true(read_set(f, old)[1].count >= 500);
    (void)counter_set_free(old);
    assert_int_equal(f->bpf->open_counters, n);
    assert_int_equal(f->bpf->reopened, 0);
    (void)read_set(f, new);
    fault(500);
    assert_true(read_set(f, new)[1].count >= 500);
    (void)counter_set_free(new);
}

static void a_cpu_that_was_away__adds_to_what_cgroups_have_counted(void **state)
{
    struct fixture *f = need_bpf(state);
    AUTO(cpu_list) struct cpu_list *none = NULL;
    struct counter_set *old = open_whole(f, f->groups[SCOPE_CGROUP]), *new;

    assert_int_equal(cpu_list_parse("", &none), 0);
    (void)read_set(f, old);
    fault(500);
    mechanism_refresh(f->bpf);
    f->bpf->keep_cpus(f->bpf, none);
    new = open_whole(f, f->groups[SCOPE_CGROUP]);
    fault(500);
    assert_true(read_set(f, old)[1].count >= 1000); /* all that is charged is in one sum */
    (void)read_set(f, new);
    (void)counter_set_free(old);
    fault(500);
    assert_true(read_set(f, new)[1].count >= 500);
    (void)counter_set_free(new);
}

static void what_would_take_too_much_memory__is_refused(void **state)
{
    const struct switch_program_size size = {.n_cpus = 256, .n_slots = 20000, .n_lanes = 24};
    enum bpf_refusal refusal = BPF_REFUSAL_NONE;
    struct mechanism *bpf = NULL;

    (void)state;
    assert_true(switch_program_bytes(&size) > SWITCH_PROGRAM_MOST_BYTES);
    assert_int_equal(mechanism_bpf_new(&perf_ops_kernel, &size, &bpf, &refusal), -E2BIG);
    assert_int_equal(refusal, BPF_REFUSAL_TOO_LARGE);
    assert_null(bpf);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_group_of_the_system_and_a_cgroup__is_open_once),
        TEST(system__counts_with_and_without_a_cgroup_beside_it),
        TEST(a_cgroup__is_not_charged_what_its_group_has_counted_for_the_system),
        TEST(groups__of_the_system_may_be_as_many_as_a_configuration_has),
        TEST(lanes__are_for_cgroups_only),
        TEST(a_cpu_that_was_away__is_read_a_last_time_and_opened_anew),
        cmocka_unit_test(what_would_take_too_much_memory__is_refused),
        TEST(a_cpu_that_was_away__adds_to_what_cgroups_have_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
