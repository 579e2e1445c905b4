/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/recording_text.h"
#include "run/request.h"

#define SECOND UINT64_C(1000000000)

/* A run of three intervals, of which one number is not known. */
static struct recording *make(void)
{
    static const double values[][3] = {{100, 5e8, 2}, {300, NAN, NAN}, {200, 1e9, 4}};
    struct recording *recording = recording_new();

    assert_non_null(recording);
    recording->id = 7;
    recording->title = strdup("a \"title\"");
    recording->notes = strdup("");
    recording->target = strdup("machine");
    recording->asked = strdup("[\"page-faults\",[\"cycles\"]]");
    recording->interval_ns = SECOND;
    recording->state = RUN_IS_OVER;
    assert_int_equal(recording_add_event(recording, "page-faults", NULL, NULL), 0);
    assert_int_equal(recording_add_event(recording, "cycles", "no_pmu", "why"), 0);
    assert_int_equal(recording_add_column(recording, "page-faults", "", 1, RUN_TOTAL), 0);
    assert_int_equal(recording_add_column(recording, "task,clock", "seconds", 1e-9, RUN_TOTAL), 0);
    assert_int_equal(recording_add_column(recording, "ratio", "", 1, RUN_RATIO), 0);
    for (size_t i = 0; i < 3; i++) {
        double *row = recording_add_row(recording, (i + 1) * SECOND);

        assert_non_null(row);
        memcpy(row, values[i], sizeof(values[i]));
    }
    return recording;
}

static bool is_same(double a, double b)
{
    return (isnan(a) && isnan(b)) || fabs(a - b) < 1e-12 * fabs(a);
}

static void summary__of_a_total_it_is_of_rates_and_its_mean_is_exact(void **state)
{
    AUTO(recording) struct recording *recording = make();
    struct run_summary summary;

    (void)state;
    recording_summarize(recording, 0, &summary);
    assert_true(summary.n == 3 && is_same(summary.total, 600) && is_same(summary.mean, 200));
    assert_true(is_same(summary.spread, 100) && is_same(summary.least, 100));
    assert_true(is_same(summary.most, 300));
}

static void summary__what_was_not_known_is_in_the_interval_after_it(void **state)
{
    AUTO(recording) struct recording *recording = make();
    struct run_summary summary;

    (void)state;
    recording_summarize(recording, 1, &summary);
    assert_true(summary.n == 2 && is_same(summary.total, 1.5) && is_same(summary.mean, 0.5));
    assert_true(is_same(summary.most, 0.5));
    recording_summarize(recording, 2, &summary);
    assert_true(summary.n == 2 && is_same(summary.mean, 3));
}

static void pack__rows_come_back_as_they_were(void **state)
{
    AUTO(recording) struct recording *recording = make();
    AUTO(recording) struct recording *copy = recording_copy(recording, 3);
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    assert_non_null(copy);
    assert_int_equal(copy->n_rows, 0);
    assert_int_equal(recording_pack(recording, &bytes), 0);
    assert_int_equal(recording_unpack(copy, bytes.data, bytes.length), 0);
    assert_int_equal(copy->n_rows, 3);
    for (size_t i = 0; i < 9; i++)
        assert_true(is_same(recording->values[i], copy->values[i]));
    assert_memory_equal(recording->times_ns, copy->times_ns, 3 * sizeof(uint64_t));
}

static void pack__what_was_sampled_comes_back_behind_the_rows(void **state)
{
    AUTO(recording) struct recording *recording = make();
    AUTO(recording) struct recording *copy = NULL;
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    recording->kind = RUN_RECORDS;
    copy = recording_copy(recording, 3);
    recording->samples = run_samples_new("profile", strlen("profile"));
    assert_true(copy && recording->samples);
    recording->samples->taken = 1000;
    recording->samples->lost = 3;
    recording->samples->complete = 999;
    assert_int_equal(recording_pack(recording, &bytes), 0);
    assert_int_equal(recording_unpack(copy, bytes.data, bytes.length), 0);
    assert_int_equal(copy->n_rows, 3);
    assert_true(copy->samples->taken == 1000 && copy->samples->lost == 3 &&
                copy->samples->complete == 999);
    assert_int_equal(copy->samples->n_bytes, strlen("profile"));
    assert_memory_equal(copy->samples->bytes, "profile", strlen("profile"));
}

static void pack__damaged_bytes_are_told_and_harm_nothing(void **state)
{
    AUTO(recording) struct recording *recording = make();
    AUTO_TEXT struct text bytes = {0};

    (void)state;
    assert_int_equal(recording_pack(recording, &bytes), 0);
    for (size_t length = 0; length < bytes.length; length++) {
        AUTO(recording) struct recording *copy = recording_copy(recording, 3);

        assert_int_equal(recording_unpack(copy, bytes.data, length), -EBADMSG);
    }
    for (size_t i = 0; i < bytes.length; i++) {
        AUTO(recording) struct recording *copy = recording_copy(recording, 3);

        bytes.data[i] ^= (char)0xff;
        (void)recording_unpack(copy, bytes.data, bytes.length);
        bytes.data[i] ^= (char)0xff;
    }
}

static void rows__are_bounded(void **state)
{
    AUTO(recording) struct recording *recording = recording_new();
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 64; i++)
        assert_int_equal(recording_add_column(recording, "a", "", 1, RUN_TOTAL), 0);
    while (recording_add_row(recording, n + 1))
        n++;
    assert_int_equal(n, RUN_VALUES_MAX / 64);
}

static void json__a_run_reads_back_without_its_rows(void **state)
{
    AUTO(recording) struct recording *recording = make();
    AUTO(recording) struct recording *copy = NULL;
    struct text text = {0};
    char *json;

    (void)state;
    assert_int_equal(recording_append_json(recording, false, &text), 0);
    json = text_take(&text);
    assert_int_equal(recording_read_head(json, &copy), 0);
    free(json);
    assert_string_equal(copy->title, "a \"title\"");
    assert_string_equal(copy->asked, "[\"page-faults\",[\"cycles\"]]");
    assert_int_equal(copy->state, RUN_IS_OVER);
    assert_int_equal(copy->n_columns, 3);
    assert_string_equal(copy->columns[1].unit, "seconds");
    assert_string_equal(copy->events[1].reason, "no_pmu");
    copy = recording_free(copy);
    assert_int_equal(recording_read_head("{}", &copy), 0);
    assert_int_equal(recording_read_head("[", &copy), -EBADMSG);
}

static void json__a_state_that_an_earlier_version_has_kept_is_read(void **state)
{
    AUTO(recording) struct recording *recording = NULL;

    (void)state;
    assert_int_equal(recording_read_head("{\"state\": \"given\"}", &recording), 0);
    assert_int_equal(recording->state, RUN_IS_IMPORTED);
    assert_string_equal(run_state_name(recording->state), "imported");
    assert_int_equal(run_state_parse("imported"), RUN_IS_IMPORTED);
    assert_int_equal(run_state_parse("no such state"), RUN_LOST);
    assert_int_equal(run_state_parse(NULL), RUN_LOST);
}

static void json__rows_have_a_list_for_each_column_and_null_where_nothing_is_known(void **state)
{
    AUTO(recording) struct recording *recording = make();
    struct text text = {0};
    char *json;

    (void)state;
    recording_append_rows(recording, 1, &text);
    json = text_take(&text);
    assert_string_equal(json, "{\"times\": [2.000000000,3.000000000], \"values\": "
                              "[[300,200],[null,1],[null,4]]}");
    free(json);
}

static void csv__names_are_quoted_and_what_is_not_known_is_empty(void **state)
{
    AUTO(recording) struct recording *recording = make();
    struct text text = {0};
    char *csv;

    (void)state;
    recording_append_csv(recording, &text);
    csv = text_take(&text);
    assert_string_equal(csv, "seconds,page-faults,\"task,clock\",ratio\n1.000000000,100,0.5,2\n"
                             "2.000000000,300,,\n3.000000000,200,1,4\n");
    free(csv);
}

static void comparison__the_change_is_a_share_of_the_first(void **state)
{
    AUTO(recording) struct recording *a = make();
    AUTO(recording) struct recording *b = make();
    struct text text = {0};
    char *json;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        b->values[i * 3] *= 1.5;
    assert_int_equal(recording_append_comparison(a, b, &text), 0);
    json = text_take(&text);
    assert_non_null(strstr(json, "\"change\":0.5"));
    assert_non_null(strstr(json, "\"change\":0.0"));
    free(json);
}

static void comparison__of_nothing_that_is_the_same_is_refused(void **state)
{
    AUTO(recording) struct recording *a = make();
    AUTO(recording) struct recording *b = recording_new();
    AUTO(recording) struct recording *none = recording_new();
    AUTO_TEXT struct text text = {0}, of_none = {0};

    (void)state;
    a->id = 3;
    b->id = 4;
    assert_int_equal(recording_add_column(b, "context-switches", "", 1, RUN_TOTAL), 0);
    assert_int_equal(recording_append_comparison(b, a, &text), -EINVAL);
    text_append_char(&text, '\0');
    assert_string_equal(text.data, "run 4 has context-switches, and run 3 has page-faults, "
                                   "task,clock, ratio; expected two runs that have counted the "
                                   "same event");
    assert_int_equal(recording_append_comparison(none, none, &of_none), -EINVAL);
    text_append_char(&of_none, '\0');
    assert_non_null(strstr(of_none.data, "run 0 has nothing, and run 0 has nothing; expected "));
}

static void imported__a_run_of_somebody_else_is_taken(void **state)
{
    static const char body[] =
        "{\"title\": \"t\", \"target\": \"command\", \"command\": \"make\", \"start\": 1000, "
        "\"columns\": [{\"name\": \"task-clock\", \"unit\": \"seconds\", \"kind\": \"total\", "
        "\"factor\": 1e-9}], \"times\": [0.5, 1.25], \"values\": [[0.000000001, null]]}";
    AUTO(recording) struct recording *recording = NULL;
    struct text message = {0};

    (void)state;
    assert_int_equal(recording_parse_imported(body, strlen(body), &recording, &message), 0);
    assert_true(is_same(recording->values[0], 1));
    assert_true(isnan(recording->values[1]));
    assert_true(recording->end_realtime_ns == 1001250000000);
    assert_int_equal(recording->state, RUN_IS_IMPORTED);
}

static void refuses_imported(const char *body, const char *words)
{
    struct recording *recording = NULL;
    struct text message = {0};
    char *told;

    assert_int_equal(recording_parse_imported(body, strlen(body), &recording, &message), -EINVAL);
    told = text_take(&message);
    if (!told || !strstr(told, words))
        fail_msg("%s: %s", body, told ? told : "");
    free(told);
}

#define HEAD   "{\"title\": \"t\", \"target\": \"command\", "
#define COLUMN "\"columns\": [{\"name\": \"a\", \"unit\": \"\", \"kind\": \"total\"}], "

static void imported__what_is_wrong_is_told(void **state)
{
    (void)state;
    refuses_imported(HEAD "\"valus\": 1}", "did you mean \"values\"?");
    refuses_imported("{\"title\": \"t\"}", "\"target\" is missing");
    refuses_imported(HEAD "\"columns\": []}", "\"columns\"");
    refuses_imported(HEAD COLUMN "\"times\": []}", "\"times\"");
    refuses_imported(HEAD COLUMN "\"times\": [1, 1]}", "greater than the one before");
    refuses_imported(HEAD COLUMN "\"times\": [1], \"values\": []}", "as many lists as columns");
    refuses_imported(HEAD COLUMN "\"times\": [1], \"values\": [[1, 2]]}", "not of one length");
    refuses_imported(HEAD COLUMN "\"times\": [1], \"values\": [[-1]]}", "numbers of 0 or more");
    refuses_imported(HEAD COLUMN "\"times\": [1], \"values\": [[1e300]]}", "numbers of 0 or more");
    refuses_imported(HEAD COLUMN "\"times\": [1e12], \"values\": [[1]]}",
                     "seconds since the start");
}

/* A body of megabytes: its begin, then `part` over and over. */
static void refuses_parts(const char *begin, const char *part)
{
    struct text body = {0};

    text_append_string(&body, begin);
    while (body.length < RUN_IMPORTED_BYTES)
        text_append_string(&body, part);
    text_append_char(&body, '\0');
    assert_int_equal(text_error(&body), 0);
    refuses_imported(body.data, "more than 4096 lists, objects and keys");
    text_done(&body);
}

static void imported__a_body_of_a_million_parts_is_refused_before_they_are_made(void **state)
{
    (void)state;
    refuses_parts("{\"values\": [", "[],");
    refuses_parts("{\"values\": [", "{},");
    refuses_parts("", "{\"a\\\"\":");
    refuses_imported("{\"title\": \"[[[[{{{::\\\"[\"}", "\"target\" is missing");
}

/* A terminal and a spreadsheet would do what they say. */
static void imported__a_column_that_is_a_command_is_refused(void **state)
{
    static const char *const names[] = {"=cmd()",         "+1",   "-1", "@SUM(A1)",
                                        "red\\u001b[31m", "a\\nb"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char body[256];

        (void)snprintf(body, sizeof(body),
                       HEAD "\"columns\": [{\"name\": \"%s\", \"unit\": \"\", \"kind\": "
                            "\"total\"}], \"times\": [1], \"values\": [[1]]}",
                       names[i]);
        refuses_imported(body, "\"columns\"");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary__of_a_total_it_is_of_rates_and_its_mean_is_exact),
        cmocka_unit_test(summary__what_was_not_known_is_in_the_interval_after_it),
        cmocka_unit_test(pack__rows_come_back_as_they_were),
        cmocka_unit_test(pack__what_was_sampled_comes_back_behind_the_rows),
        cmocka_unit_test(pack__damaged_bytes_are_told_and_harm_nothing),
        cmocka_unit_test(rows__are_bounded),
        cmocka_unit_test(json__a_run_reads_back_without_its_rows),
        cmocka_unit_test(json__a_state_that_an_earlier_version_has_kept_is_read),
        cmocka_unit_test(json__rows_have_a_list_for_each_column_and_null_where_nothing_is_known),
        cmocka_unit_test(csv__names_are_quoted_and_what_is_not_known_is_empty),
        cmocka_unit_test(comparison__the_change_is_a_share_of_the_first),
        cmocka_unit_test(comparison__of_nothing_that_is_the_same_is_refused),
        cmocka_unit_test(imported__a_run_of_somebody_else_is_taken),
        cmocka_unit_test(imported__what_is_wrong_is_told),
        cmocka_unit_test(imported__a_body_of_a_million_parts_is_refused_before_they_are_made),
        cmocka_unit_test(imported__a_column_that_is_a_command_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
