/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Configurations are taken apart by a worker: what becomes of a text that takes it over, and what
 * no answer may say.
 */
#include "support/check.h"

#include <stdio.h>
#include <sys/mman.h>

#include "base/text.h"
#include "config/web_config.h"
#include "config/yaml_message.h"
#include "config/yaml_work.h"
#include "reader/misdeeds.h"
#include "reader/object_reader_parts.h"

#define ORDER "DOES"

static struct object_reader *reader;

/* A text that begins with ORDER takes the worker over. */
static int work_or_misbehave(const struct worker_job *job)
{
    char text[8] = "";

    if (pread(job->fd, text, sizeof(text) - 1, 0) < 0 || strncmp(text, ORDER, strlen(ORDER)) != 0)
        return yaml_work(job);
    return misbehave((enum misdeed)atoi(text + strlen(ORDER)), job);
}

static int set_up(void **state)
{
    const struct reader_work work = {
        .name = "config",
        .work = work_or_misbehave,
        .limits = {.memory = 64 << 20, .output = 8 << 20, .cpu_seconds = 1, .wall_ms = 3000},
    };

    (void)state;
    return object_reader_new_for(&work, &reader);
}

static int tear_down(void **state)
{
    (void)state;
    reader = object_reader_free(reader);
    return 0;
}

static int parse(const char *text, struct config **ret_config, struct config_error *ret_error)
{
    return config_parse_file(reader, text, strlen(text), ret_config, ret_error);
}

static void assert_reads(void)
{
    AUTO(config) struct config *config = NULL;
    struct config_error error;

    assert_int_equal(parse("interval: 7s\n", &config, &error), 0);
    assert_int_equal(config->interval_ns, UINT64_C(7000000000));
}

static void assert_refused(enum misdeed misdeed, const char *reason)
{
    AUTO(config) struct config *config = NULL;
    struct config_error error = {.place = {7, 7}};
    char text[32], expected[128];

    (void)snprintf(text, sizeof(text), ORDER "%d\n", (int)misdeed);
    (void)snprintf(expected, sizeof(expected), "the text cannot be read: %s", reason);
    assert_int_equal(parse(text, &config, &error), -EINVAL);
    assert_null(config);
    assert_string_equal(error.message, expected);
    assert_int_equal(error.place.line, 0);
    assert_reads();
}

static void a_worker_that_is_taken_over__does_nothing_and_tells_nothing(void **state)
{
    (void)state;
    assert_misdeeds_refused(assert_refused);
}

static void both_configurations__are_the_same_as_without_walls(void **state)
{
    static const char *const texts[] = {
        "interval: 1s\ngroups: [{name: g, events: [cycles, \"page-faults\"]}]\n",
        "interval: 1x\n",
        "interval: [\n",
        "intervall: 1s\n",
        "a: &x 1\n",
        "\xff: 1\n",
        "{}\n---\n{}\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        AUTO(config) struct config *walled = NULL, *plain = NULL;
        struct config_error one = {0}, other = {0};

        assert_int_equal(parse(texts[i], &walled, &one),
                         config_parse_file(NULL, texts[i], strlen(texts[i]), &plain, &other));
        assert_string_equal(one.message, other.message);
        assert_int_equal(one.place.line, other.place.line);
        assert_int_equal(one.place.column, other.place.column);
        assert_int_equal(walled == NULL, plain == NULL);
    }
}

static void a_web_configuration__is_read_by_it_too(void **state)
{
    static const char text[] = "basic_auth_users: {}\n";
    AUTO(web_config) struct web_config *config = NULL;
    struct config_error error;

    (void)state;
    assert_int_equal(web_config_parse(reader, text, strlen(text), "/", &config, &error), 0);
    assert_true(config->has_users_key);
    assert_int_equal(web_config_parse(reader, ORDER "11", 6, "/", &config, &error), -EINVAL);
}

static void without_a_reader__no_file_is_read(void **state)
{
    AUTO(config) struct config *config = NULL;
    struct config_error error;

    (void)state;
    assert_reads();
    kill_reader();
    assert_int_equal(parse("interval: 7s\n", &config, &error), -EINVAL);
    assert_non_null(strstr(error.message, "has ended; expected a restart"));
}

/* An answer that a worker could write: one event. */
struct forged {
    struct yaml_record record;
    char text[1024];
};

static struct forged forge(enum yaml_kind kind, const char *text)
{
    struct forged forged = {.record = {.kind = (uint16_t)kind, .line = 1, .column = 1}};

    forged.record.length = (uint32_t)strlen(text);
    memcpy(forged.text, text, strlen(text));
    return forged;
}

static int take(const struct forged *forged, size_t n_text)
{
    struct yaml_answer answer = {(const char *)forged, sizeof(forged->record) + n_text};
    const struct yaml_answer before = answer;
    struct yaml_event event;
    const int r = yaml_answer_next(&answer, &event);

    assert_int_equal(answer.n, r < 0 ? before.n : n_text - 1 - forged->record.length);
    return r;
}

static void a_forged_answer__has_texts_that_end_within_it(void **state)
{
    struct forged forged = forge(YAML_AT_VALUE, "abc");

    (void)state;
    assert_int_equal(take(&forged, 4), 0);
    assert_int_equal(take(&forged, 9), 0);
    assert_int_equal(take(&forged, 3), -EBADMSG);
    assert_int_equal(take(&forged, 0), -EBADMSG);
    forged.record.length = 2;
    assert_int_equal(take(&forged, 4), -EBADMSG);
    forged.record.length = UINT32_MAX;
    assert_int_equal(take(&forged, 4), -EBADMSG);
    forged = forge(YAML_AT_MAPPING, "abc");
    assert_int_equal(take(&forged, 4), -EBADMSG);
    forged = forge(YAML_AT_MAPPING, "");
    assert_int_equal(take(&forged, 1), 0);
}

static void a_forged_answer__is_of_a_known_kind_and_place(void **state)
{
    struct forged forged = forge(YAML_AT_END, "");

    (void)state;
    assert_int_equal(take(&forged, 1), 0);
    forged.record.kind = YAML_KINDS_;
    assert_int_equal(take(&forged, 1), -EBADMSG);
    forged = forge(YAML_AT_VALUE, "");
    forged.record.is_plain = 2;
    assert_int_equal(take(&forged, 1), -EBADMSG);
    forged = forge(YAML_AT_VALUE, "");
    forged.record.line = 0;
    assert_int_equal(take(&forged, 1), -EBADMSG);
    forged.record.line = UINT32_MAX;
    assert_int_equal(take(&forged, 1), -EBADMSG);
    forged = forge(YAML_AT_VALUE, "");
    forged.record.column = 0;
    assert_int_equal(take(&forged, 1), -EBADMSG);
}

static void a_forged_answer__is_text_and_its_errors_are_one_line(void **state)
{
    struct forged forged = forge(YAML_AT_VALUE, "a\nb");

    (void)state;
    assert_int_equal(take(&forged, 4), 0); /* who reads it says whether it takes lines */
    forged = forge(YAML_AT_VALUE, "a\xff");
    assert_int_equal(take(&forged, 3), -EBADMSG);
    forged = forge(YAML_AT_ERROR, "a\nb");
    assert_int_equal(take(&forged, 4), -EBADMSG);
    forged = forge(YAML_AT_ERROR, "");
    assert_int_equal(take(&forged, 1), -EBADMSG);
    memset(forged.text, 'a', 600);
    forged.record.length = 511;
    forged.text[511] = '\0';
    assert_int_equal(take(&forged, 512), 0);
    forged.text[511] = 'a';
    forged.record.length = 512;
    forged.text[512] = '\0';
    assert_int_equal(take(&forged, 513), -EBADMSG);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_worker_that_is_taken_over__does_nothing_and_tells_nothing),
        TEST(both_configurations__are_the_same_as_without_walls),
        TEST(a_web_configuration__is_read_by_it_too),
        TEST(without_a_reader__no_file_is_read),
        cmocka_unit_test(a_forged_answer__has_texts_that_end_within_it),
        cmocka_unit_test(a_forged_answer__is_of_a_known_kind_and_place),
        cmocka_unit_test(a_forged_answer__is_text_and_its_errors_are_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
