/* SPDX-License-Identifier: Apache-2.0 */

/* Whole processes, counted by the real program: our own one and those that we start. Skipped where
 * bpf cannot be loaded. */
#include "count/bpf/real_bpf.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/process.h"

#define N_FAULTS 2000

struct fixture {
    struct mechanism *bpf;
    struct event faults;
    struct event_groups *groups;
    struct cpu_list *cpus;
    struct sample *sample;
    pid_t self; /* our process number, as the program sees it */
};

static_assert(offsetof(struct fixture, bpf) == 0, "need_bpf() looks there");

static void make_mechanism(struct fixture *f, size_t n_watched)
{
    const struct switch_program_size size = {
        .n_slots = SWITCH_PROGRAM_FIRST + 3, .n_lanes = BPF_GROUP_LANES(1), .n_watched = n_watched};

    free_real_bpf(f->bpf);
    f->bpf = make_real_bpf(f->cpus, size);
    if (f->bpf)
        f->self = mechanism_bpf_own_number(f->bpf);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));
    const struct event *events[] = {&f->faults};
    const struct group_spec spec = {"faults", events, 1};

    f->faults.code =
        (struct event_code){.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS};
    f->cpus = read_online_cpus();
    assert_int_equal(event_groups_new(SCOPE_PROCESS, &spec, 1, &f->groups), 0);
    f->sample = sample_new(f->groups);
    make_mechanism(f, 16);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    free_real_bpf(f->bpf);
    (void)event_groups_free(f->groups);
    (void)sample_free(f->sample);
    (void)cpu_list_free(f->cpus);
    free(f);
    return 0;
}

static struct counter_set *open_set(struct fixture *f, const pid_t *processes, size_t n,
                                    enum scope_inherit inherit)
{
    const struct scope scope = {.kind = SCOPE_PROCESS,
                                .cgroup_fd = -1,
                                .cpus = f->cpus,
                                .tasks = processes,
                                .n_tasks = n,
                                .inherit = inherit,
                                .process = scope_process_id(processes[0], 1)};

    return open_counter_set(f->bpf, f->groups, &scope);
}

static uint64_t read_set(struct fixture *f, struct counter_set *set)
{
    return read_counter_set(f->bpf, set, f->sample)[0].count;
}

/* Some kernels hide switches. What is charged to nobody because of them is allowed for. */
static void assert_counted(struct fixture *f, struct counter_set *set, uint64_t least,
                           uint64_t most)
{
    uint64_t count = read_set(f, set),
             doubtful = mechanism_bpf_charged_to_nobody(f->bpf, SWITCH_PROGRAM_NO_PROCESSES, 0);

    if (f->bpf->doubt.unattributed_ns >
        0) { /* a burst of faults may be in either of two turns, whatever their times are */
        print_message("a switch was not shown: judged to %d faults\n", N_FAULTS);
        doubtful += N_FAULTS;
    }
    assert_true(count + doubtful >= least);
    assert_true(count <= most + doubtful);
}

static struct counter_set *open_and_begin(struct fixture *f, pid_t process,
                                          enum scope_inherit inherit)
{
    struct counter_set *set = open_set(f, &process, 1, inherit);

    assert_false(counter_set_is_incomplete(set));
    (void)read_set(f, set);
    return set;
}

/* Makes a child, a child of that, and so on. Each makes page faults before it ends. */
static void fault_in_children(int generations)
{
    pid_t child = fork();
    int status;

    assert_true(child >= 0);
    if (child == 0) {
        if (generations > 1)
            fault_in_children(generations - 1);
        fault(N_FAULTS);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void process__is_charged_what_it_runs(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *set = open_and_begin(f, f->self, INHERIT_THREADS);

    fault(N_FAULTS);
    assert_counted(f, set, N_FAULTS, N_FAULTS + 500);
    assert_counted(f, set, 0, 500);
    (void)counter_set_free(set);
}

static void process__is_charged_its_children_where_that_is_wanted(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *alone = open_and_begin(f, f->self, INHERIT_THREADS);

    fault_in_children(3);
    assert_counted(f, alone, 0, N_FAULTS - 1);
    (void)counter_set_free(alone);
    alone = open_and_begin(f, f->self, INHERIT_CHILDREN);
    fault_in_children(3);
    assert_counted(f, alone, 3 * N_FAULTS, 4 * N_FAULTS - 1);
    assert_int_equal(f->bpf->unfollowed, 0);
    (void)counter_set_free(alone);
}

static void process__of_two_sets_is_charged_for_both(void **state)
{
    struct fixture *f = need_bpf(state);
    struct counter_set *first = open_and_begin(f, f->self, INHERIT_THREADS);
    struct counter_set *second = open_and_begin(f, f->self, INHERIT_THREADS);

    fault(N_FAULTS);
    assert_counted(f, first, N_FAULTS, N_FAULTS + 500);
    first = counter_set_free(first);
    fault(N_FAULTS);
    assert_counted(f, second, 2 * N_FAULTS, 2 * N_FAULTS + 500);
    (void)counter_set_free(second);
}

/* Names a process number that nobody has, which then becomes that of another process. */
static void process__that_is_named_no_more_is_not_charged(void **state)
{
    struct fixture *f = need_bpf(state);
    const pid_t both[] = {f->self, 4194303};
    struct counter_set *set = open_set(f, both, 2, INHERIT_THREADS);

    (void)read_set(f, set);
    counter_set_name_tasks(set, both + 1, 1);
    assert_int_equal(f->bpf->open(f->bpf, &set, 1), 0);
    (void)read_set(f, set);
    fault(N_FAULTS);
    assert_counted(f, set, 0, 0);
    (void)counter_set_free(set);
}

static void process__that_is_not_counted_any_more_leaves_its_children_too(void **state)
{
    struct fixture *f = need_bpf(state);
    const pid_t nobody = 4194303;
    struct counter_set *set = open_and_begin(f, f->self, INHERIT_CHILDREN), *next;
    int go[2];
    char byte = 0;
    pid_t child;

    assert_int_equal(pipe(go), 0);
    child = fork();
    if (child == 0) {
        (void)!read(go[0], &byte, 1);
        fault(N_FAULTS);
        _exit(0);
    }
    (void)counter_set_free(set);
    mechanism_refresh(f->bpf);
    next = open_and_begin(f, nobody, INHERIT_CHILDREN); /* gets the slot */
    assert_int_equal(write(go[1], &byte, 1), 1);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_counted(f, next, 0, 0);
    (void)counter_set_free(next);
    (void)close(go[0]);
    (void)close(go[1]);
}

static void processes__that_find_no_room_are_counted_as_unfollowed(void **state)
{
    struct fixture *f = need_bpf(state);
    const pid_t three[] = {f->self, 4194302, 4194303};
    struct counter_set *set;

    make_mechanism(f, 2);
    set = open_set(f, three, 3, INHERIT_THREADS);
    assert_int_equal(counter_set_absence(set), ABSENCE_OVER_LIMIT);
    set = counter_set_free(set);
    make_mechanism(f, 1);
    set = open_and_begin(f, f->self, INHERIT_CHILDREN);
    fault_in_children(2);
    (void)read_set(f, set);
    assert_int_equal(f->bpf->unfollowed,
                     1); /* its child is not counted as unfollowed: nobody knows of it */
    (void)counter_set_free(set);
}

static void processes__need_room(void **state)
{
    struct fixture *f = need_bpf(state);

    assert_true(f->bpf->counts_processes);
    make_mechanism(f, 0);
    assert_false(f->bpf->counts_processes);
    assert_true(mechanism_bpf_own_number(f->bpf) < 0);
}

/* In the initial PID namespace our own number is what the program sees. */
static void own_number__is_ours_as_procfs_has_it(void **state)
{
    struct fixture *f = need_bpf(state);
    int procfs = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char namespace[64] = "";

    assert_int_equal(process_self(procfs), getpid());
    assert_true(readlinkat(procfs, "self/ns/pid", namespace, sizeof(namespace) - 1) > 0);
    (void)close(procfs);
    assert_true(f->self > 0);
    if (strcmp(namespace, "pid:[4026531836]") == 0) /* PROC_PID_INIT_INO of the kernel */
        assert_int_equal(f->self, getpid());
    else
        assert_int_not_equal(f->self, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(process__is_charged_what_it_runs),
        TEST(process__is_charged_its_children_where_that_is_wanted),
        TEST(process__of_two_sets_is_charged_for_both),
        TEST(process__that_is_named_no_more_is_not_charged),
        TEST(process__that_is_not_counted_any_more_leaves_its_children_too),
        TEST(processes__that_find_no_room_are_counted_as_unfollowed),
        TEST(processes__need_room),
        TEST(own_number__is_ours_as_procfs_has_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
