/* SPDX-License-Identifier: Apache-2.0 */

/*
 * State files of programs of the host are read by a worker: what it tells, what becomes of a file
 * that takes it over, and what no answer may say.
 */
#include "support/check.h"

#include <poll.h>
#include <stdio.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "reader/misdeeds.h"
#include "reader/object_reader_parts.h"
#include "reader/walls_additions.h"
#include "target/names_check.h"
#include "target/state_files.h"
#include "target/state_work.h"

#define ORDER "DOES"

static struct object_reader *reader;
static struct state_refusal refusal;

/* A text that begins with ORDER takes the worker over. */
static int work_or_misbehave(const struct worker_job *job)
{
    char text[8] = "";

    if (pread(job->fd, text, sizeof(text) - 1, sizeof(struct state_question)) < 0 ||
        strncmp(text, ORDER, strlen(ORDER)) != 0)
        return state_work(job);
    return misbehave((enum misdeed)atoi(text + strlen(ORDER)), job);
}

static int set_up(void **state)
{
    const struct reader_work work = {
        .name = "state",
        .work = work_or_misbehave,
        .prepare = state_work_prepare,
        .limits = {.memory = 64 << 20, .output = 1 << 20, .cpu_seconds = 1, .wall_ms = 3000},
    };

    (void)state;
    refusal = (struct state_refusal){0};
    return object_reader_new_for(&work, &reader);
}

static int tear_down(void **state)
{
    (void)state;
    reader = object_reader_free(reader);
    return 0;
}

static bool read_text(const struct state_question *question, const char *text, struct names *names)
{
    return state_file_names(reader, question, text, strlen(text), "run/file", &refusal, names);
}

static void assert_reads(void)
{
    const struct state_question question = {.kind = STATE_OF_DOCKER};
    AUTO_NAMES struct names names = {0};

    assert_true(
        read_text(&question, "{\"Name\":\"/front\",\"Config\":{\"Image\":\"nginx\"}}", &names));
    assert_name(&names, NAME_CONTAINER, "front");
    assert_name(&names, NAME_IMAGE, "nginx");
    assert_name(&names, NAME_RUNTIME, "docker");
    assert_n_names(&names, 3);
}

static void each_kind_of_file__is_read_as_what_it_is(void **state)
{
    static const struct {
        struct state_question question;
        const char *text;
        enum name_kind kind;
        const char *wanted;
    } files[] = {
        {{STATE_OF_CONTAINERD, 0, ""},
         "{\"annotations\":{\"io.kubernetes.cri.container-name\":\"a\"}}",
         NAME_CONTAINER,
         "a"},
        {{STATE_OF_BUNDLE, 0, ""},
         "{\"annotations\":{\"io.kubernetes.pod.name\":\"p\"}}",
         NAME_POD,
         "p"},
        {{STATE_OF_STORAGE, 0, "two"},
         "[{\"id\":\"one\",\"names\":[\"x\"]},{\"id\":\"two\",\"names\":[\"y\"]}]",
         NAME_CONTAINER,
         "y"},
        {{STATE_OF_MACHINE, 0, "web"}, "CLASS=container\n", NAME_CONTAINER, "web"},
        {{STATE_OF_DOMAIN, 7, ""}, "<domain id='7'><name>db</name></domain>", NAME_VM, "db"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        AUTO_NAMES struct names names = {0};

        assert_true(read_text(&files[i].question, files[i].text, &names));
        assert_name(&names, files[i].kind, files[i].wanted);
    }
    assert_null(refusal.why);
}

static void a_text_of_another_form__tells_nothing_and_is_not_refused(void **state)
{
    const struct state_question question = {.kind = STATE_OF_DOMAIN, .number = 8};
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_false(read_text(&question, "<domain id='7'><name>db</name></domain>", &names));
    assert_false(read_text(&question, "", &names));
    assert_n_names(&names, 0);
    assert_null(refusal.why);
    assert_reads();
}

static void assert_refused(enum misdeed misdeed, const char *why)
{
    const struct state_question question = {.kind = STATE_OF_DOCKER};
    AUTO_NAMES struct names names = {0};
    char text[16];

    refusal.why = NULL;
    (void)snprintf(text, sizeof(text), ORDER "%d", (int)misdeed);
    assert_false(read_text(&question, text, &names));
    assert_n_names(&names, 0);
    assert_non_null(refusal.why);
    assert_non_null(strstr(refusal.why, why));
    assert_string_equal(refusal.file, "run/file");
    assert_reads();
}

static void a_worker_that_is_taken_over__does_nothing_and_costs_its_file_alone(void **state)
{
    (void)state;
    assert_misdeeds_refused(assert_refused);
}

/* Its tables take more memory than there is, which jansson does not say. */
static void a_text_that_grows_when_it_is_read__is_refused(void **state)
{
    const struct state_question question = {.kind = STATE_OF_DOCKER};
    AUTO_NAMES struct names names = {0};
    AUTO_FREE char *text = NULL;

    (void)state;
    if (!walls_limit_addresses) {
        print_message("a sanitizer takes terabytes of addresses\n");
        skip();
    }
    text = repeated("{},", 340000);
    memcpy(text, "[  ", 3);
    text[strlen(text) - 1] = ']';
    assert_false(read_text(&question, text, &names));
    assert_non_null(refusal.why);
    assert_non_null(strstr(refusal.why, "more memory"));
    assert_reads();
}

static void without_a_reader__nothing_is_told_and_it_is_said_once(void **state)
{
    const struct state_question question = {.kind = STATE_OF_DOCKER};
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_reads();
    kill_reader();
    assert_false(read_text(&question, "{\"Name\":\"a\"}", &names));
    assert_non_null(strstr(refusal.why, "has ended"));
    refusal.why = NULL;
    assert_false(read_text(&question, "{\"Name\":\"a\"}", &names));
    assert_null(refusal.why);
    assert_n_names(&names, 0);
}

/* An answer that a worker could write. */
struct forged {
    struct state_answer head;
    char values[2048];
};

static int parse(const struct forged *forged, size_t n_values, enum state_kind kind)
{
    AUTO_NAMES struct names names = {0};
    const int r = state_answer_parse(forged, sizeof(forged->head) + n_values, kind, &names);

    if (r < 0)
        assert_n_names(&names, 0);
    return r;
}

static struct forged forge(enum name_kind kind, const char *value)
{
    struct forged forged = {.head = {.mark = STATE_ANSWER_MARK, .is_good = 1}};

    forged.head.lengths[kind] = (uint16_t)strlen(value);
    memcpy(forged.values, value, strlen(value));
    return forged;
}

static void a_forged_answer__names_only_what_its_file_can(void **state)
{
    struct forged forged = forge(NAME_CONTAINER, "web");

    (void)state;
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), 0);
    assert_int_equal(parse(&forged, 2, STATE_OF_DOCKER), -EBADMSG);
    assert_int_equal(parse(&forged, 4, STATE_OF_DOCKER), -EBADMSG);
    assert_int_equal(parse(&forged, 3, STATE_OF_DOMAIN), -EBADMSG);
    forged = forge(NAME_VM, "web");
    assert_int_equal(parse(&forged, 3, STATE_OF_DOMAIN), 0);
    assert_int_equal(parse(&forged, 3, STATE_OF_CONTAINERD), -EBADMSG);
    for (int kind = STATE_OF_CONTAINERD; kind < STATE_KINDS_; kind++) {
        forged = forge(NAME_NAME, "web"); /* the user's own */
        assert_int_equal(parse(&forged, 3, (enum state_kind)kind), -EBADMSG);
    }
}

static void a_forged_answer__is_clean_and_bounded(void **state)
{
    struct forged forged = forge(NAME_CONTAINER, "a\nb");

    (void)state;
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), -EBADMSG);
    forged = forge(NAME_CONTAINER, "a\xff");
    assert_int_equal(parse(&forged, 2, STATE_OF_DOCKER), -EBADMSG);
    forged = forge(NAME_CONTAINER, "web");
    forged.values[1] = '\0';
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), -EBADMSG);
    memset(forged.values, 'a', sizeof(forged.values));
    forged.head.lengths[NAME_CONTAINER] = 1024;
    assert_int_equal(parse(&forged, 1024, STATE_OF_DOCKER), 0);
    forged.head.lengths[NAME_CONTAINER] = 1025;
    assert_int_equal(parse(&forged, 1025, STATE_OF_DOCKER), -EBADMSG);
    forged.head.lengths[NAME_CONTAINER] = UINT16_MAX;
    assert_int_equal(parse(&forged, sizeof(forged.values), STATE_OF_DOCKER), -EBADMSG);
    forged = forge(NAME_CONTAINER, "web");
    forged.head.is_good = 0;
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), -EBADMSG);
    forged.head.is_good = 2;
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), -EBADMSG);
    forged = forge(NAME_CONTAINER, "web");
    forged.head.mark++;
    assert_int_equal(parse(&forged, 3, STATE_OF_DOCKER), -EBADMSG);
    assert_int_equal(state_answer_parse(&forged, sizeof(forged.head) - 1, STATE_OF_DOCKER, NULL),
                     -EBADMSG);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_kind_of_file__is_read_as_what_it_is),
        TEST(a_text_of_another_form__tells_nothing_and_is_not_refused),
        TEST(a_worker_that_is_taken_over__does_nothing_and_costs_its_file_alone),
        TEST(a_text_that_grows_when_it_is_read__is_refused),
        TEST(without_a_reader__nothing_is_told_and_it_is_said_once),
        cmocka_unit_test(a_forged_answer__names_only_what_its_file_can),
        cmocka_unit_test(a_forged_answer__is_clean_and_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
