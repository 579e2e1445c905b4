/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>

#include <cmocka.h>

#include "support/child.h"
#include "sys/task_events.h"

/* How often a test is repeated when records were lost. */
#define ATTEMPTS 50

/* The records of one process, in order. */
struct history {
    char letters[32]; /* F: born, f: a thread of it, C: comm, E: first thread ended, e: another */
    pid_t parent;
    bool lost; /* some records were lost, so that there may be gaps */
};

static char letter_of(const struct task_event *event)
{
    bool first = event->pid == event->tid;

    switch (event->kind) {
    case TASK_EVENT_FORK:
        return first ? 'F' : 'f';
    case TASK_EVENT_EXIT:
        return first ? 'E' : 'e';
    case TASK_EVENT_COMM:
        return event->exec ? 'X' : 'C';
    default:
        return 'L';
    }
}

static struct history history_of(struct task_events *events, pid_t pid)
{
    struct history history = {0};
    struct task_event event;
    size_t n = 0;

    assert_int_equal(task_events_begin(events), 0);
    while (task_events_next(events, &event)) {
        history.lost |= event.kind == TASK_EVENT_LOST;
        if (event.kind == TASK_EVENT_LOST || event.pid != pid || n + 1 == sizeof(history.letters))
            continue;
        history.letters[n++] = letter_of(&event);
        if (event.kind == TASK_EVENT_FORK && event.pid == event.tid)
            history.parent = event.parent;
    }
    return history;
}

static int setup(void **state)
{
    struct task_events *events = NULL;

    if (task_events_new(&events) == -ENOMEM)
        return -1;
    *state = events;
    return 0;
}

static int teardown(void **state)
{
    (void)task_events_free(*state);
    return 0;
}

/* Skips with the reason where it is not permitted. */
static struct task_events *need(void **state)
{
    if (!*state) {
        print_message("skipped: no system-wide perf events here (CAP_PERFMON)\n");
        skip();
    }
    return *state;
}

/*
 * The whole machine fills the rings, so that records may be lost at any time. This repeats an
 * attempt, which returns false if records were lost, until none was.
 */
static void until_nothing_is_lost(void **state, bool (*attempt)(struct task_events *))
{
    struct task_events *events = need(state);

    for (unsigned i = 0; i < ATTEMPTS; i++) {
        (void)usleep(i * 10000); /* other processes may come to rest */
        (void)history_of(events, 0);
        if (attempt(events))
            return;
    }
    print_message(
        "skipped: so busy is this machine that records were lost in each of %d attempts\n",
        ATTEMPTS);
    skip();
}

static bool birth_exec_and_death(struct task_events *events)
{
    struct history history;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        (void)execl("/bin/true", "true", NULL);
        _exit(1);
    }
    assert_true(waitpid(pid, NULL, 0) == pid);
    history = history_of(events, pid);
    if (history.lost)
        return false;
    assert_string_equal(history.letters, "FXE");
    assert_int_equal(history.parent, getpid());
    assert_string_equal(history_of(events, pid).letters, "");
    return true;
}

static void events__tell_birth_exec_and_death(void **state)
{
    until_nothing_is_lost(state, birth_exec_and_death);
}

static bool new_name_without_exec(struct task_events *events)
{
    pid_t pid = child_named("renamed");
    struct history alive = history_of(events, pid), ended;

    child_end(pid);
    ended = history_of(events, pid);
    if (alive.lost || ended.lost)
        return false;
    assert_string_equal(alive.letters, "FC");
    assert_string_equal(ended.letters, "E");
    return true;
}

static void events__tell_a_new_name_without_exec(void **state)
{
    until_nothing_is_lost(state, new_name_without_exec);
}

static void *name_myself(void *nothing)
{
    (void)prctl(PR_SET_NAME, "thread");
    return nothing;
}

static void run_with_thread(const void *argument, int ready)
{
    pthread_t thread;

    (void)argument;
    if (pthread_create(&thread, NULL, name_myself, NULL) == 0 && pthread_join(thread, NULL) == 0)
        child_wait("joined", ready);
}

static bool threads_but_not_their_names(struct task_events *events)
{
    pid_t pid = child_new(run_with_thread, NULL);
    struct history history;

    child_end(pid);
    history = history_of(events, pid);
    if (history.lost)
        return false;
    assert_string_equal(history.letters, "FfeCE");
    return true;
}

static void events__tell_threads_but_not_their_names(void **state)
{
    until_nothing_is_lost(state, threads_but_not_their_names);
}

static void run_on_another_cpu(const void *cpus, int ready)
{
    cpu_set_t all = *(const cpu_set_t *)cpus, one;

    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
        (void)prctl(PR_SET_NAME, "moving");
    }
    (void)!write(ready, "r", 1);
}

static bool order_of_several_cpus(struct task_events *events)
{
    struct history history;
    cpu_set_t cpus;
    pid_t pid;

    assert_int_equal(sched_getaffinity(0, sizeof(cpus), &cpus), 0);
    if (CPU_COUNT(&cpus) < 2) {
        print_message("skipped: one CPU\n");
        skip();
    }
    pid = child_new(run_on_another_cpu, &cpus);
    assert_true(waitpid(pid, NULL, 0) == pid);
    history = history_of(events, pid);
    if (history.lost)
        return false;
    assert_int_equal(history.letters[0], 'F');
    assert_int_equal(history.letters[strlen(history.letters) - 1], 'E');
    return true;
}

/* In whatever order the rings of CPUs are read, a death never comes before the birth. */
static void events__of_several_cpus_come_in_order(void **state)
{
    for (int i = 0; i < 50; i++)
        until_nothing_is_lost(state, order_of_several_cpus);
}

/* Gives ourselves new names of every length. */
static void rename_ourselves(int times)
{
    for (int i = 0; i < times; i++) {
        char name[16];

        (void)snprintf(name, sizeof(name), "%.*s", i % 15, "012345678901234");
        (void)prctl(PR_SET_NAME, name);
    }
}

static bool again_after_a_loss(struct task_events *events)
{
    struct history nothing = history_of(events, getpid()), again;

    (void)prctl(PR_SET_NAME, "again");
    again = history_of(events, getpid());
    if (nothing.lost || again.lost)
        return false;
    assert_string_equal(nothing.letters, "");
    assert_string_equal(again.letters, "C");
    return true;
}

/* Makes more records than a ring holds, of every length, so that they pass its end many times. */
static void events__that_found_no_room_are_reported_as_lost(void **state)
{
    struct task_events *events = need(state);
    struct task_event event;
    size_t n = 0, n_ours = 0;
    bool lost = false;

    rename_ourselves(20000);
    assert_int_equal(task_events_begin(events), 0);
    while (task_events_next(events, &event)) {
        lost |= event.kind == TASK_EVENT_LOST;
        n_ours += event.kind != TASK_EVENT_LOST && event.pid == getpid();
        n++;
    }
    assert_true(lost);
    assert_in_range(n_ours, 0, 19999);
    assert_true(n >= 500);
    for (int i = 0; i < 20; i++) { /* the kernel reports the loss with a later record */
        (void)prctl(PR_SET_NAME, "after");
        assert_int_equal(task_events_begin(events), 0);
        while (task_events_next(events, &event))
            ;
    }
    until_nothing_is_lost(state, again_after_a_loss);
}

static bool twenty_names(struct task_events *events)
{
    struct history history;

    rename_ourselves(20);
    history = history_of(events, getpid());
    if (history.lost)
        return false;
    assert_int_equal(strlen(history.letters), 20);
    return true;
}

static void events__go_over_the_end_of_the_ring(void **state)
{
    for (int i = 0; i < 1000; i++)
        until_nothing_is_lost(state, twenty_names);
}

static void events__are_served_while_the_cpus_are_there(void **state)
{
    struct task_events *events = need(state);

    for (int i = 0; i < 3; i++)
        assert_true(task_events_are_served(events));
}

/* Whether the descriptor becomes readable within a second, and only once. */
static bool rings(int epoll_fd)
{
    struct epoll_event event;

    return epoll_wait(epoll_fd, &event, 1, 1000) == 1;
}

static void look_at_all(struct task_events *events)
{
    struct task_event event;

    assert_int_equal(task_events_begin(events), 0);
    while (task_events_next(events, &event))
        ;
}

static void events__wake_who_waits_for_the_next_birth(void **state)
{
    struct task_events *events = need(state);
    struct epoll_event wanted = {.events = EPOLLIN};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC);

    assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, task_events_fd(events), &wanted), 0);
    for (int i = 0; i < 300; i++) { /* more often than the ring has room for records */
        look_at_all(events);
        (void)task_events_arm(events);
        rename_ourselves(1);
        assert_true(rings(epoll_fd));
    }
    (void)close(epoll_fd);
}

static void events__that_no_look_has_given_are_reported_when_armed(void **state)
{
    struct task_events *events = need(state);

    look_at_all(events);
    rename_ourselves(1);
    assert_true(task_events_arm(events));
}

/* As long as the bell is not armed, nobody is woken, and births cost no interrupt. */
static void events__ring_a_bell_once_until_it_is_armed(void **state)
{
    struct task_events *events = need(state);
    struct epoll_event wanted = {.events = EPOLLIN};
    int epoll_fd = epoll_create1(EPOLL_CLOEXEC), n = 0;

    assert_int_equal(epoll_ctl(epoll_fd, EPOLL_CTL_ADD, task_events_fd(events), &wanted), 0);
    (void)task_events_arm(events);
    for (int i = 0; i < 200; i++) {
        struct epoll_event event;

        rename_ourselves(1);
        (void)usleep(100);
        n += epoll_wait(epoll_fd, &event, 1, 0) == 1;
    }
    assert_in_range(n, 1, 2 * sysconf(_SC_NPROCESSORS_CONF));
    (void)close(epoll_fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        TEST(events__tell_birth_exec_and_death),
        TEST(events__tell_a_new_name_without_exec),
        TEST(events__tell_threads_but_not_their_names),
        TEST(events__of_several_cpus_come_in_order),
        TEST(events__that_found_no_room_are_reported_as_lost),
        TEST(events__go_over_the_end_of_the_ring),
        TEST(events__are_served_while_the_cpus_are_there),
        TEST(events__wake_who_waits_for_the_next_birth),
        TEST(events__that_no_look_has_given_are_reported_when_armed),
        TEST(events__ring_a_bell_once_until_it_is_armed),
    };

    return cmocka_run_group_tests_name("task_events", tests, NULL, NULL);
}
