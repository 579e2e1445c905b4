/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Programs that probes are on are read by a worker: what becomes of a program that takes it over,
 * and what no answer may say.
 */
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "event/probe_looks.h"
#include "event/probe_message.h"
#include "event/probe_work.h"
#include "reader/misdeeds.h"
#include "reader/object_reader_parts.h"

#define ORDER   "DOES"
#define PROGRAM "/proc/self/exe"

static struct object_reader *reader;
static char program[4096];

void known_function(void);

__attribute__((noinline)) void known_function(void)
{
    __asm__ volatile("" ::: "memory");
}

/* A function that is called ORDER takes the worker over. */
static int work_or_misbehave(const struct worker_job *job)
{
    struct probe_question question = {0};

    if (pread(job->fd, &question, sizeof(question), 0) < 0 ||
        strncmp(question.symbol, ORDER, strlen(ORDER)) != 0)
        return probe_work(job);
    return misbehave((enum misdeed)atoi(question.symbol + strlen(ORDER)), job);
}

static int set_up(void **state)
{
    const struct reader_work work = {
        .name = "probe",
        .work = work_or_misbehave,
        .limits = {.memory = 128 << 20, .output = 1 << 20, .cpu_seconds = 1, .wall_ms = 3000},
    };
    const ssize_t n = readlink(PROGRAM, program, sizeof(program) - 1);

    (void)state;
    assert_true(n > 0);
    program[n] = '\0';
    return object_reader_new_for(&work, &reader);
}

static int tear_down(void **state)
{
    (void)state;
    reader = object_reader_free(reader);
    return 0;
}

/* Why a function of this program is not found; NULL: it is found. The caller frees it. */
static char *look(struct object_reader *with, const char *symbol, uint64_t *ret_position)
{
    const struct probe_place place = {.file = program, .symbol = (char *)symbol};
    struct probe_found found = {.fd = -1};
    char *why = NULL;

    assert_int_equal(probe_look_into_file(with, PROBE_USER, &place, &found, &why), 0);
    if (why) {
        assert_int_equal(found.fd, -1);
        return why;
    }
    assert_true(found.fd >= 0);
    assert_int_equal(close(found.fd), 0);
    *ret_position = found.position;
    return NULL;
}

static void assert_reads(void)
{
    uint64_t position = 0;

    assert_null(look(reader, "known_function", &position));
    assert_true(position > 0);
}

static void assert_refused(enum misdeed misdeed, const char *reason)
{
    AUTO_FREE char *why = NULL;
    char symbol[16], expected[8192];
    uint64_t position;

    (void)snprintf(symbol, sizeof(symbol), ORDER "%d", (int)misdeed);
    (void)snprintf(expected, sizeof(expected), "%s cannot be read: %s", program, reason);
    why = look(reader, symbol, &position);
    assert_non_null(why);
    assert_string_equal(why, expected);
    assert_reads();
}

static void a_worker_that_is_taken_over__does_nothing_and_finds_nothing(void **state)
{
    (void)state;
    assert_misdeeds_refused(assert_refused);
}

static void without_a_reader__no_program_is_looked_into(void **state)
{
    AUTO_FREE char *never = NULL, *killed = NULL;
    uint64_t position;

    (void)state;
    assert_reads();
    never = look(NULL, "known_function", &position);
    assert_non_null(strstr(never, "has ended"));
    kill_reader();
    killed = look(reader, "known_function", &position);
    assert_string_equal(killed, never);
}

static int parse(const struct probe_answer *answer, const struct probe_question *question)
{
    struct probe_answer ret;

    return probe_answer_parse(answer, sizeof(*answer), question, &ret);
}

static struct probe_answer forge(enum elf_outcome outcome)
{
    return (struct probe_answer){.mark = PROBE_ANSWER_MARK, .outcome = outcome};
}

static const struct probe_question of_function = {.kind = PROBE_USER, .symbol = "malloc"};
static const struct probe_question of_marker = {
    .kind = PROBE_USDT, .provider = "libc", .symbol = "setjmp"};
static const struct probe_question of_third = {
    .kind = PROBE_USDT, .provider = "libc", .symbol = "setjmp", .number = 3};

static void a_forged_answer__has_the_size_and_the_mark(void **state)
{
    struct probe_answer answer = forge(ELF_FOUND), ret;

    (void)state;
    assert_int_equal(parse(&answer, &of_function), 0);
    assert_int_equal(probe_answer_parse(&answer, sizeof(answer) - 1, &of_function, &ret), -EBADMSG);
    assert_int_equal(probe_answer_parse(&answer, sizeof(answer) + 1, &of_function, &ret), -EBADMSG);
    answer.mark++;
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
}

static void a_forged_answer__says_nothing_that_a_worker_cannot_know(void **state)
{
    static const uint32_t refused[] = {ELF_FOREIGN_LINK, ELF_PROCESS_LINK, ELF_NO_FILE,
                                       ELF_NOT_EXECUTABLE + 1, UINT32_MAX};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
        const struct probe_answer answer = forge((enum elf_outcome)refused[i]);

        assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    }
    for (uint32_t outcome = ELF_NO_PROGRAM; outcome <= ELF_NOT_EXECUTABLE; outcome++) {
        struct probe_answer answer = forge((enum elf_outcome)outcome);

        if (outcome != ELF_AMBIGUOUS)
            assert_int_equal(parse(&answer, &of_marker), 0);
        assert_int_equal(parse(&answer, &of_function), 0);
        answer.position = 1;
        assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    }
}

static void a_forged_answer__is_within_a_file(void **state)
{
    struct probe_answer answer = forge(ELF_FOUND);

    (void)state;
    answer.position = INT64_MAX;
    assert_int_equal(parse(&answer, &of_function), 0);
    answer.position++;
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    answer.position = 1;
    answer.semaphore = 2;
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    assert_int_equal(parse(&answer, &of_marker), 0);
    answer.semaphore = (uint64_t)INT64_MAX + 1;
    assert_int_equal(parse(&answer, &of_marker), -EBADMSG);
}

static void a_forged_answer__counts_markers_only_as_they_were_asked_for(void **state)
{
    struct probe_answer answer = forge(ELF_MISSING);

    (void)state;
    answer.n = 2;
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    assert_int_equal(parse(&answer, &of_marker), -EBADMSG);
    assert_int_equal(parse(&answer, &of_third), 0);
    answer.n = 3;
    assert_int_equal(parse(&answer, &of_third), -EBADMSG);
    answer.outcome = ELF_AMBIGUOUS;
    assert_int_equal(parse(&answer, &of_marker), 0);
    assert_int_equal(parse(&answer, &of_third), -EBADMSG);
    answer.n = 1;
    assert_int_equal(parse(&answer, &of_marker), -EBADMSG);
}

static void a_forged_answer__names_only_what_is_near_and_can_be_shown(void **state)
{
    struct probe_answer answer = forge(ELF_MISSING);

    (void)state;
    (void)snprintf(answer.nearest, sizeof(answer.nearest), "maloc");
    assert_int_equal(parse(&answer, &of_function), 0);
    assert_int_equal(parse(&answer, &of_marker), -EBADMSG);
    answer.outcome = ELF_BEYOND;
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    answer.outcome = ELF_MISSING;
    answer.nearest[1] = '\033';
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    memset(answer.nearest, 'm', sizeof(answer.nearest));
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    (void)snprintf(answer.nearest, sizeof(answer.nearest), "buy_this");
    assert_int_equal(parse(&answer, &of_function), -EBADMSG);
    (void)snprintf(answer.nearest, sizeof(answer.nearest), "libc:setjump");
    assert_int_equal(parse(&answer, &of_marker), 0);
    answer.n = 1;
    assert_int_equal(parse(&answer, &of_third), -EBADMSG);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_worker_that_is_taken_over__does_nothing_and_finds_nothing),
        TEST(without_a_reader__no_program_is_looked_into),
        cmocka_unit_test(a_forged_answer__has_the_size_and_the_mark),
        cmocka_unit_test(a_forged_answer__says_nothing_that_a_worker_cannot_know),
        cmocka_unit_test(a_forged_answer__is_within_a_file),
        cmocka_unit_test(a_forged_answer__counts_markers_only_as_they_were_asked_for),
        cmocka_unit_test(a_forged_answer__names_only_what_is_near_and_can_be_shown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
