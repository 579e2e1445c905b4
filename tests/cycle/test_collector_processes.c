/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/collector_processes_fixture.h"

/* How many threads are started, one at each of the next calls that open a counter. */
static int newcomers;

static void group__is_the_sum_of_its_members_and_outlives_them(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    add_process(200, "web", 6);
    add_process(300, "other", 7);
    start(f, web);
    cycle(f);
    assert_int_equal(total(f, "web"), 0);
    assert_int_equal(members(f), 2);
    count_thread(f, 100, 3);
    count_thread(f, 200, 4);
    cycle(f);
    assert_int_equal(total(f, "web"), 7);
    assert_int_equal(isnan(find(f, "web", COLUMN_RATE)->real), 0);

    count_thread(f, 100, 5);
    end_process(100);
    end_process(200);
    cycle(f);
    assert_int_equal(total(f, "web"), 12); /* read once more after its end */
    assert_true(isnan(find(f, "web", COLUMN_RATE)->real));
    assert_int_equal(members(f), 0);
    assert_int_equal(f->perf.n_open, 0);
    cycle(f);
    assert_int_equal(total(f, "web"), 12);
    assert_true(isnan(find(f, "web", COLUMN_RATE)->real));
    assert_int_equal(find(f, "web", COLUMN_START_TIME)->count, NUMBER_ABSENT_COUNT);

    add_process(400, "web", 9);
    cycle(f);
    count_thread(f, 400, 1);
    cycle(f);
    assert_int_equal(total(f, "web"), 13);
}

static void group__the_same_number_with_another_start_is_another_process(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    count_thread(f, 100, 3);
    cycle(f);
    end_process(100);
    add_process(100, "web", 50);
    cycle(f); /* the old one is read for the last time, the new one for the first */
    assert_int_equal(total(f, "web"), 3);
    assert_int_equal(f->perf.n_open, 1);
    count_thread(f, 100, 2);
    cycle(f);
    assert_int_equal(total(f, "web"), 5);
}

static void group__of_one_process_begins_anew_with_another_of_its_number(void **state)
{
    struct fixture *f = *state;
    uint64_t before;

    add_process(100, "web", 5);
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets:\n"
             "  processes: [{name: \"{{.Comm}}-{{.PID}}\", comm: [web], groups: [software]}]\n");
    cycle(f);
    count_thread(f, 100, 3);
    cycle(f);
    assert_int_equal(total(f, "web-100"), 3);
    before = find(f, "web-100", COLUMN_START_TIME)->count;
    count_thread(f, 100, 4);
    end_process(100);
    add_process(100, "web", 50);
    cycle(f);
    assert_int_equal(total(f, "web-100"), 0);
    assert_int_not_equal(find(f, "web-100", COLUMN_START_TIME)->count, before);
    assert_int_equal(f->perf.n_open, 1);
    count_thread(f, 100, 2);
    cycle(f);
    assert_int_equal(total(f, "web-100"), 2);
}

static void group__a_member_that_begins_takes_no_rate_from_the_others(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    assert_true(isnan(find(f, "web", COLUMN_RATE)->real)); /* it has only begun */
    add_process(200, "web", 6);
    count_thread(f, 100, 3);
    cycle(f);
    assert_int_equal(isnan(find(f, "web", COLUMN_RATE)->real), 0);
}

static int start_thread_meanwhile(struct fake_perf *perf, const struct perf_event_attr *attr,
                                  int cpu, int group_fd)
{
    static pid_t next = 1000;

    (void)perf;
    (void)group_fd;
    if (cpu < 0 && attr->inherit_thread && attr->config == PAGE_FAULTS && newcomers > 0) {
        newcomers--;
        add_thread(100, next++);
    }
    return 0;
}

static void open__afresh_where_threads_started_while_the_others_were_opened(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    start(f, web);
    newcomers = 2;
    f->perf.refuse_open = start_thread_meanwhile;
    cycle(f);
    assert_int_equal(f->perf.n_open, 3); /* each thread once */
    assert_int_equal(f->snapshot->status.targets[SCOPE_PROCESS], 1);
}

static void open__is_tried_five_times_at_most(void **state)
{
    struct fixture *f = *state;
    int next;

    add_process(100, "web", 5);
    start(f, web);
    newcomers = 1000;
    next = f->perf.next;
    f->perf.refuse_open = start_thread_meanwhile;
    cycle(f);
    /* One, then two, four, eight, sixteen: each thread that is opened starts another. */
    assert_int_equal(f->perf.next - next, 1 + 2 + 4 + 8 + 16);
    assert_int_equal(f->perf.n_open, 16);
}

static ssize_t fail_with_eio(struct fake_perf *perf, int fd)
{
    return perf->events[fd].pid == 101 ? -EIO : 1;
}

static void read__that_fails_opens_all_threads_afresh_and_loses_nothing_of_the_others(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    add_thread(100, 101);
    start(f, web);
    cycle(f);
    count_thread(f, 100, 3);
    f->perf.refuse_read = fail_with_eio;
    cycle(f);
    cycle(f); /* which has failed once is tried again */
    assert_int_equal(total(f, "web"), 3);
    assert_true(isnan(find(f, "web", COLUMN_RATE)->real)); /* of a part of it */

    f->perf.refuse_read = NULL;
    add_thread(100, 102);
    count_thread(f, 100, 4); /* on the counter that goes on until the others are open */
    cycle(f);
    assert_int_equal(total(f, "web"), 7);
    assert_int_equal(f->perf.n_open, 3);
}

static void read__that_fails_opens_a_family_afresh_once_whose_first_process_has_ended(void **state)
{
    struct fixture *f = *state;
    int next;

    add_process(100, "web", 5);
    add_child(101, "other", 6, 100);
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "targets:\n"
             "  processes: [{name: web, comm: [web], children: true, groups: [software]}]\n");
    cycle(f);
    assert_int_equal(f->perf.n_open, 2);
    end_process(100);
    f->perf.refuse_read = fail_with_eio;
    cycle(f);
    cycle(f);
    next = f->perf.next;
    f->perf.refuse_read = NULL;
    cycle(f);
    assert_int_equal(f->perf.next - next, 1);
    assert_int_equal(f->perf.n_open, 1);
    count_thread(f, 101, 5);
    cycle(f);
    assert_int_equal(total(f, "web"), 5);
    assert_int_equal(members(f), 1);
}

static void limit__of_threads_leaves_room_for_those_that_are_opened_afresh(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    add_thread(100, 101);
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "limits: {threads: 3}\n"
             "targets: {processes: [{name: web, comm: [web], groups: [software]}]}\n");
    cycle(f);
    f->perf.refuse_read = fail_with_eio;
    cycle(f);
    cycle(f);
    f->perf.refuse_read = NULL;
    cycle(f);
    assert_int_equal(f->perf.n_open, 2);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_PROCESS][ABSENCE_OVER_LIMIT], 0);
}

static void threads__are_followed_where_the_kernel_does_not_inherit_them(void **state)
{
    struct fixture *f = *state;

    f->perf.lacks_inherit_thread = true;
    add_process(100, "web", 5);
    start(f, web);
    cycle(f);
    assert_int_equal(f->perf.n_open, 1);
    add_thread(100, 101);
    cycle(f);
    assert_int_equal(f->perf.n_open, 2);
    assert_false(fake_find_thread(&f->perf, PAGE_FAULTS, 101)->attr.inherit);
    count_thread(f, 100, 1);
    count_thread(f, 101, 10);
    cycle(f);
    assert_int_equal(total(f, "web"), 11);

    count_thread(f, 101, 5);
    end_thread(100, 101);
    cycle(f);
    assert_int_equal(total(f, "web"), 16);
    assert_int_equal(f->perf.n_open, 1);
    assert_int_equal(members(f), 1);
}

static void limit__of_threads_refuses_whole_processes(void **state)
{
    struct fixture *f = *state;

    add_process(100, "web", 5);
    for (pid_t thread = 101; thread < 104; thread++)
        add_thread(100, thread);
    add_process(200, "other", 6);
    start(f, "groups: [{name: software, events: [page-faults]}]\n"
             "limits: {threads: 3}\n"
             "targets: {processes: [{name: web, comm: [web, other], groups: [software]}]}\n");
    cycle(f);
    assert_int_equal(f->perf.n_open, 1);
    assert_int_equal(f->snapshot->status.uncounted[SCOPE_PROCESS][ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(f->snapshot->status.dropped[SCOPE_PROCESS][ABSENCE_OVER_LIMIT], 1);
    assert_int_equal(f->snapshot->status.targets[SCOPE_PROCESS], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        PROCFS_TEST(group__is_the_sum_of_its_members_and_outlives_them),
        PROCFS_TEST(group__the_same_number_with_another_start_is_another_process),
        PROCFS_TEST(group__of_one_process_begins_anew_with_another_of_its_number),
        PROCFS_TEST(group__a_member_that_begins_takes_no_rate_from_the_others),
        PROCFS_TEST(open__afresh_where_threads_started_while_the_others_were_opened),
        PROCFS_TEST(open__is_tried_five_times_at_most),
        PROCFS_TEST(read__that_fails_opens_all_threads_afresh_and_loses_nothing_of_the_others),
        PROCFS_TEST(read__that_fails_opens_a_family_afresh_once_whose_first_process_has_ended),
        PROCFS_TEST(limit__of_threads_leaves_room_for_those_that_are_opened_afresh),
        PROCFS_TEST(threads__are_followed_where_the_kernel_does_not_inherit_them),
        PROCFS_TEST(limit__of_threads_refuses_whole_processes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
