/* SPDX-License-Identifier: Apache-2.0 */

/* A recording of a run, from who asks for it to the thread that samples. The sampler is the test's.
 */
#include "support/check.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/tree.h"
#include "service/profile_recorder.h"

#define RATE_HZ     997
#define MOST_NODES  1234
#define PATIENCE_MS 60000

/* What the sampler is told, in its order: a letter for each call. */
static char calls[32];
static size_t n_calls;
static int program_fd, program_software_fd; /* -1: there is none, and nothing to be duplicated */
static int ending;                          /* what sampler_end_recording() returns */

/* It is asked while the sampler works for it: nobody waits for that. NULL: it is not. */
static struct profile_recorder *asked;

static void note(char call)
{
    if (n_calls + 1 < sizeof(calls))
        calls[n_calls++] = call;
}

static void ask_meanwhile(void)
{
    struct sampler_recorded none;

    if (asked)
        assert_int_equal(profile_recorder_take(asked, &none), -EAGAIN);
}

static void fill(struct sampler_recorded *recorded)
{
    *recorded = (struct sampler_recorded){.tree = calloc(1, sizeof(struct profile_tree))};
    assert_non_null(recorded->tree);
}

int __wrap_sampler_turn(struct sampler *sampler)
{
    (void)sampler;
    note('t');
    ask_meanwhile();
    return 0;
}

int __wrap_sampler_begin_recording(struct sampler *sampler, const struct profile_recording *how,
                                   size_t most_nodes)
{
    (void)sampler;
    note('b');
    return how->rate_hz == RATE_HZ && most_nodes == MOST_NODES ? 0 : -EINVAL;
}

int __wrap_sampler_end_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded)
{
    (void)sampler;
    note('e');
    ask_meanwhile();
    if (ending == 0)
        fill(ret_recorded);
    return ending;
}

int __wrap_sampler_cut_recording(struct sampler *sampler, struct sampler_recorded *ret_recorded)
{
    (void)sampler;
    note('c');
    ask_meanwhile();
    fill(ret_recorded);
    return 0;
}

int __wrap_sampler_recorder_fd(const struct sampler *sampler, bool is_of_software)
{
    (void)sampler;
    return is_of_software ? program_software_fd : program_fd;
}

static char memory; /* it stands for a sampler, which nobody looks at */
static struct sampler *const sampler = (struct sampler *)&memory;

static const struct profile_recording how = {.rate_hz = RATE_HZ};

/* Who asks, in a thread of its own: profile_recorder_begin() waits for the profiler's thread. */
struct asker {
    struct profile_recorder *recorder;
    struct sampling_programs programs;
    char *message; /* owned */
    int outcome;
    pthread_t thread;
};

static void *ask(void *argument)
{
    struct asker *asker = argument;
    struct text message = {0};

    free(asker->message);
    asker->outcome = profile_recorder_begin(asker->recorder, &how, &asker->programs, &message);
    asker->message = text_take(&message);
    return NULL;
}

static void serve(struct profile_recorder *recorder, struct sampler *with, const char *reason)
{
    struct pollfd bell = {.fd = profile_recorder_fd(recorder), .events = POLLIN};

    assert_int_equal(poll(&bell, 1, PATIENCE_MS), 1);
    profile_recorder_serve(recorder, with, MOST_NODES, reason);
}

/* Asks, and serves once it has asked. */
static int begin(struct asker *asker, struct sampler *with, const char *reason)
{
    assert_int_equal(pthread_create(&asker->thread, NULL, ask, asker), 0);
    serve(asker->recorder, with, reason);
    assert_int_equal(pthread_join(asker->thread, NULL), 0);
    return asker->outcome;
}

static int set_up(void **state)
{
    struct asker *asker = calloc(1, sizeof(*asker));

    assert_non_null(asker);
    memset(calls, 0, sizeof(calls));
    n_calls = 0;
    ending = 0;
    asked = NULL;
    program_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    program_software_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    asker->recorder = profile_recorder_new();
    asker->programs = (struct sampling_programs){.fd = -1, .software_fd = -1};
    assert_non_null(asker->recorder);
    *state = asker;
    return 0;
}

static void close_if_open(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static int tear_down(void **state)
{
    struct asker *asker = *state;

    (void)profile_recorder_free(asker->recorder);
    close_if_open(asker->programs.fd);
    close_if_open(asker->programs.software_fd);
    close_if_open(program_fd);
    close_if_open(program_software_fd);
    free(asker->message);
    free(asker);
    return 0;
}

static void assert_taken(struct profile_recorder *recorder, int outcome)
{
    struct sampler_recorded recorded = {0};

    assert_int_equal(profile_recorder_take(recorder, &recorded), outcome);
    assert_int_equal(recorded.tree != NULL, outcome == 0);
    (void)profile_tree_free(recorded.tree);
}

static void recording__gives_descriptors_of_ones_own(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    assert_true(asker->programs.fd >= 0 && asker->programs.fd != program_fd);
    assert_true(asker->programs.software_fd >= 0 &&
                asker->programs.software_fd != program_software_fd);
    assert_true(fcntl(asker->programs.fd, F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(asker->programs.software_fd, F_GETFD) & FD_CLOEXEC);
    assert_string_equal(calls, "b");
}

static void recording__is_taken_once_when_all_have_their_names(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    assert_taken(asker->recorder, -EAGAIN);
    profile_recorder_finish(asker->recorder, false);
    ending = -EAGAIN;
    serve(asker->recorder, sampler, NULL);
    assert_taken(asker->recorder, -EAGAIN);
    ending = 0;
    profile_recorder_serve(asker->recorder, sampler, MOST_NODES, NULL); /* after each turn */
    assert_taken(asker->recorder, 0);
    assert_taken(asker->recorder, -ENOENT);
    assert_string_equal(calls, "bee");
    profile_recorder_serve(asker->recorder, sampler, MOST_NODES, NULL);
    assert_string_equal(calls, "bee");
}

static void recording__that_is_to_end_at_once_has_what_is_in_the_ring(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    profile_recorder_finish(asker->recorder, false);
    profile_recorder_finish(asker->recorder, true);
    serve(asker->recorder, sampler, NULL);
    assert_taken(asker->recorder, 0);
    assert_string_equal(calls, "btc");
}

static void recording__can_be_asked_for_while_the_sampler_works(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    asked = asker->recorder;
    ending = -EAGAIN;
    profile_recorder_finish(asker->recorder, false);
    serve(asker->recorder, sampler, NULL);
    assert_taken(asker->recorder, -EAGAIN);
    profile_recorder_finish(asker->recorder, true);
    serve(asker->recorder, sampler, NULL);
    assert_taken(asker->recorder, 0);
    assert_string_equal(calls, "betc");
}

static void recording__is_the_only_one(void **state)
{
    struct asker *asker = *state;
    struct asker other = {.recorder = asker->recorder};

    assert_int_equal(begin(asker, sampler, NULL), 0);
    (void)ask(&other);
    assert_int_equal(other.outcome, -EBUSY);
    assert_non_null(strstr(other.message, "another run records already"));
    free(other.message);
    assert_string_equal(calls, "b");
}

static void recording__without_a_sampler_says_why(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, NULL, "the kernel forbids it"), -EAGAIN);
    assert_non_null(strstr(asker->message, "the kernel forbids it"));
    assert_taken(asker->recorder, -ENOENT);
    assert_int_equal(begin(asker, sampler, NULL), 0);
}

static void recording__without_a_thread_says_why_at_once(void **state)
{
    struct asker *asker = *state;

    profile_recorder_has_no_thread(asker->recorder);
    (void)ask(asker);
    assert_int_equal(asker->outcome, -EAGAIN);
    assert_non_null(strstr(asker->message, "no thread could be started"));
}

static void recording__without_descriptors_leaves_nothing_behind(void **state)
{
    struct asker *asker = *state;

    close_if_open(program_software_fd);
    program_software_fd = -1;
    assert_int_equal(begin(asker, sampler, NULL), -EBADF);
    assert_int_equal(asker->programs.fd, -1);
    assert_string_equal(calls, "bc");
    assert_taken(asker->recorder, -ENOENT);
}

static void recording__that_failed_says_so_once(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    profile_recorder_finish(asker->recorder, false);
    ending = -ENOMEM;
    serve(asker->recorder, sampler, NULL);
    assert_taken(asker->recorder, -ENOMEM);
    assert_taken(asker->recorder, -ENOENT);
}

static void recording__that_was_given_up_makes_way_for_the_next(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    close_if_open(asker->programs.fd);
    close_if_open(asker->programs.software_fd);
    profile_recorder_drop(asker->recorder);
    assert_taken(asker->recorder, -EAGAIN);
    assert_int_equal(pthread_create(&asker->thread, NULL, ask, asker), 0); /* it waits */
    serve(asker->recorder, sampler, NULL);
    serve(asker->recorder, sampler, NULL);
    assert_int_equal(pthread_join(asker->thread, NULL), 0);
    assert_int_equal(asker->outcome, 0);
    assert_string_equal(calls, "btcb");
}

static void recording__that_nobody_takes_is_freed(void **state)
{
    struct asker *asker = *state;

    assert_int_equal(begin(asker, sampler, NULL), 0);
    profile_recorder_finish(asker->recorder, true);
    serve(asker->recorder, sampler, NULL);
    profile_recorder_drop(asker->recorder);
    assert_taken(asker->recorder, -ENOENT);
}

static void recording__ends_with_the_sampler(void **state)
{
    struct asker *asker = *state;

    profile_recorder_cut(asker->recorder, sampler);
    assert_string_equal(calls, "");
    assert_int_equal(begin(asker, sampler, NULL), 0);
    profile_recorder_cut(asker->recorder, sampler);
    assert_string_equal(calls, "btc");
    profile_recorder_finish(asker->recorder, false); /* its run does not know yet */
    serve(asker->recorder, NULL, "it ends");
    assert_taken(asker->recorder, 0);
    assert_string_equal(calls, "btc");
}

#define RECORDER(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RECORDER(recording__gives_descriptors_of_ones_own),
        RECORDER(recording__is_taken_once_when_all_have_their_names),
        RECORDER(recording__that_is_to_end_at_once_has_what_is_in_the_ring),
        RECORDER(recording__can_be_asked_for_while_the_sampler_works),
        RECORDER(recording__is_the_only_one),
        RECORDER(recording__without_a_sampler_says_why),
        RECORDER(recording__without_a_thread_says_why_at_once),
        RECORDER(recording__without_descriptors_leaves_nothing_behind),
        RECORDER(recording__that_failed_says_so_once),
        RECORDER(recording__that_was_given_up_makes_way_for_the_next),
        RECORDER(recording__that_nobody_takes_is_freed),
        RECORDER(recording__ends_with_the_sampler),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
