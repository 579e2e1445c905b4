/* SPDX-License-Identifier: Apache-2.0 */
#include "log/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include <jansson.h>

#include "base/clock.h"
#include "log/log_line.h"

#define SOME_TIME_NS (UINT64_C(1795241319) * NS_PER_SECOND + 120 * 1000000) /* 06:08:39.120 */

static char *line_of(const struct log_line *line, ...)
{
    AUTO_TEXT struct text text = {0};
    va_list fields;

    va_start(fields, line);
    log_line_append(&text, line, fields);
    va_end(fields);
    return text_take(&text);
}

/* Returns a field's value as the line writes it, without what stands before and behind it. */
static char *logfmt_value(const char *value)
{
    struct log_line line = {LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT, true, SOME_TIME_NS, "m"};
    AUTO_FREE char *text = line_of(&line, "k", value, (char *)NULL);
    static const char before[] = "<6>level=info msg=m k=";

    assert_non_null(text);
    assert_memory_equal(text, before, strlen(before));
    text[strlen(text) - 1] = '\0';
    return strdup(text + strlen(before));
}

static void levels_and_formats_are_parsed(void **state)
{
    enum log_level level = LOG_LEVEL_DEBUG;
    enum log_format format = LOG_FORMAT_LOGFMT;

    (void)state;
    assert_int_equal(log_level_parse("error", &level), 0);
    assert_int_equal(level, LOG_LEVEL_ERROR);
    assert_int_equal(log_level_parse("warn", &level), 0);
    assert_int_equal(level, LOG_LEVEL_WARN);
    assert_int_equal(log_level_parse("warning", &level), -EINVAL);
    assert_int_equal(log_level_parse("", &level), -EINVAL);
    assert_int_equal(level, LOG_LEVEL_WARN);
    assert_int_equal(log_format_parse("json", &format), 0);
    assert_int_equal(format, LOG_FORMAT_JSON);
    assert_int_equal(log_format_parse("text", &format), -EINVAL);
}

static void logfmt_line(void **state)
{
    struct log_line line = {LOG_LEVEL_WARN, LOG_FORMAT_LOGFMT, false, SOME_TIME_NS,
                            "event cannot be counted"};
    AUTO_FREE char *text =
        line_of(&line, "event", "cycles", "hint", NULL, "reason", "", (char *)NULL);

    (void)state;
    assert_string_equal(text, "ts=2026-11-21T06:08:39.120Z level=warn "
                              "msg=\"event cannot be counted\" event=cycles reason=\n");
}

static void json_line(void **state)
{
    struct log_line line = {LOG_LEVEL_ERROR, LOG_FORMAT_JSON, false, SOME_TIME_NS, "no \"port\""};
    AUTO_FREE char *text = line_of(&line, "hint", NULL, "address", "[::1]:1", (char *)NULL);

    (void)state;
    assert_string_equal(text, "{\"ts\":\"2026-11-21T06:08:39.120Z\",\"level\":\"error\","
                              "\"msg\":\"no \\\"port\\\"\",\"address\":\"[::1]:1\"}\n");
}

static void journal_lines_have_priorities_and_no_time(void **state)
{
    static const char *const begins[] = {"<7>level=debug", "<6>level=info", "<4>level=warn",
                                         "<3>level=error"};

    (void)state;
    for (unsigned i = 0; i < ARRAY_SIZE(begins); i++) {
        struct log_line line = {(enum log_level)i, LOG_FORMAT_LOGFMT, true, SOME_TIME_NS, "m"};
        AUTO_FREE char *text = line_of(&line, (char *)NULL);

        assert_memory_equal(text, begins[i], strlen(begins[i]));
        assert_null(strstr(text, "ts="));
    }
}

static void logfmt_values_are_quoted_where_needed(void **state)
{
    static const struct {
        const char *value, *written;
    } cases[] = {
        {"", ""},
        {"plain", "plain"},
        {"a\\x2db", "a\\x2db"},
        {"two words", "\"two words\""},
        {"a=b", "\"a=b\""},
        {"a\"b\\c", "\"a\\\"b\\\\c\""},
        {"a\nb\tc\rd", "\"a\\nb\\tc\\rd\""},
        {"\x1b[2J\x7f", "\"\\u001b[2J\\u007f\""},
        {"\xc2\x9b"
         "2J",
         "\"\\u009b2J\""},
        {"r\xc3\xa9sum\xc3\xa9", "r\xc3\xa9sum\xc3\xa9"},
        {"bad\xff.", "bad\xef\xbf\xbd."},
        {"cut\xe2\x82", "cut\xef\xbf\xbd\xef\xbf\xbd"},
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        AUTO_FREE char *written = logfmt_value(cases[i].value);

        assert_string_equal(written, cases[i].written);
    }
}

static void json_values_are_valid_whatever_they_hold(void **state)
{
    struct log_line line = {LOG_LEVEL_INFO, LOG_FORMAT_JSON, false, SOME_TIME_NS, "m"};
    char value[256];
    AUTO_FREE char *text = NULL;
    json_t *object;

    (void)state;
    for (int i = 0; i < 255; i++)
        value[i] = (char)(i + 1);
    value[255] = '\0';
    text = line_of(&line, "value", value, "quote\"d key", "x", (char *)NULL);
    object = json_loads(text, 0, NULL);
    assert_non_null(object);
    assert_string_equal(json_string_value(json_object_get(object, "quote\"d key")), "x");
    assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
    json_decref(object);
}

static void long_values_are_cut_between_characters(void **state)
{
    char value[4001] = "";
    AUTO_FREE char *written = NULL;
    size_t length;

    (void)state;
    for (int i = 0; i < 2000; i++)
        memcpy(value + 2 * i, "\xc3\xa9", 2);
    written = logfmt_value(value);
    length = strlen(written);
    assert_in_range(length, LOG_VALUE_LONGEST - 4, LOG_VALUE_LONGEST);
    assert_string_equal(written + length - 5, "\xc3\xa9\xe2\x80\xa6");
}

static void a_line_is_never_longer_than_a_pipe_takes_at_once(void **state)
{
    char value[1001];

    (void)state;
    memset(value, '\x1b', sizeof(value) - 1);
    value[sizeof(value) - 1] = '\0';
    for (int format = LOG_FORMAT_LOGFMT; format <= LOG_FORMAT_JSON; format++) {
        struct log_line line = {LOG_LEVEL_INFO, (enum log_format)format, true, SOME_TIME_NS, "m"};
        AUTO_FREE char *escaped = line_of(&line, "long", value, "short", "x", (char *)NULL);
        AUTO_FREE char *many = NULL;

        assert_true(strlen(escaped) <= LOG_LINE_LONGEST);
        assert_non_null(strstr(escaped, "short")); /* a field that has room is written */
        assert_null(strstr(escaped, "long"));
        memset(value, 'x', sizeof(value) - 1);
        many = line_of(&line, "a", value, "b", value, "c", value, "d", value, "e", value,
                       (char *)NULL);
        assert_true(strlen(many) <= LOG_LINE_LONGEST);
        assert_true(strlen(many) > LOG_LINE_LONGEST / 2);
        memset(value, '\x1b', sizeof(value) - 1);
    }
}

/* Standard error is a pipe while a test runs; `text` has what was written, after take(). */
struct capture {
    int saved, reader;
    char text[65536];
};

static void capture_begin(struct capture *capture)
{
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    capture->saved = dup(STDERR_FILENO);
    capture->reader = ends[0];
    assert_true(dup2(ends[1], STDERR_FILENO) >= 0);
    assert_int_equal(close(ends[1]), 0);
}

static void capture_end(struct capture *capture)
{
    ssize_t n = read(capture->reader, capture->text, sizeof(capture->text) - 1);

    capture->text[n > 0 ? n : 0] = '\0';
    assert_true(dup2(capture->saved, STDERR_FILENO) >= 0);
    assert_int_equal(close(capture->saved), 0);
    assert_int_equal(close(capture->reader), 0);
}

static unsigned count_lines(const char *text)
{
    unsigned n = 0;

    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

/* The process has one throttle for all tests: each begins with a quiet second behind it. */
static int wait_a_second(void **state)
{
    struct timespec second = {1, 100000000};

    (void)state;
    while (nanosleep(&second, &second) < 0)
        ;
    return 0;
}

static void levels_below_are_not_written(void **state)
{
    struct capture capture;

    (void)state;
    capture_begin(&capture);
    log_init(LOG_LEVEL_WARN, LOG_FORMAT_LOGFMT);
    assert_false(log_enabled(LOG_LEVEL_INFO));
    assert_true(log_enabled(LOG_LEVEL_WARN));
    log_info("not this");
    errno = ENOTTY;
    log_warning("this", "key", "value");
    assert_int_equal(errno, ENOTTY);
    capture_end(&capture);
    assert_null(strstr(capture.text, "not this"));
    assert_non_null(strstr(capture.text, " level=warn msg=this key=value\n"));
}

static void the_journal_is_known_by_device_and_inode(void **state)
{
    struct capture capture;
    struct stat status;
    char stream[64];

    (void)state;
    capture_begin(&capture);
    assert_int_equal(fstat(STDERR_FILENO, &status), 0);
    (void)snprintf(stream, sizeof(stream), "%" PRIu64 ":%" PRIu64, (uint64_t)status.st_dev,
                   (uint64_t)status.st_ino);
    assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
    log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT);
    log_error("one");
    (void)snprintf(stream, sizeof(stream), "%" PRIu64 ":%" PRIu64, (uint64_t)status.st_dev,
                   (uint64_t)status.st_ino + 1);
    assert_int_equal(setenv("JOURNAL_STREAM", stream, 1), 0);
    log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT);
    log_error("two");
    assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
    log_init(LOG_LEVEL_INFO, LOG_FORMAT_LOGFMT);
    capture_end(&capture);
    assert_memory_equal(capture.text, "<3>level=error msg=one\nts=", 26);
    assert_non_null(strstr(capture.text, "Z level=error msg=two\n"));
}

/*
 * What a flood writes, which is known where it took less than the second of which ten lines are
 * written: on a busy machine that may take more than one attempt.
 */
static void capture_flood(struct capture *capture, void (*flood)(void))
{
    uint64_t begin_ns;

    for (int i = 0; i < 10; i++) {
        (void)wait_a_second(NULL);
        capture_begin(capture);
        begin_ns = clock_monotonic_ns();
        flood();
        log_flush();
        log_flush();
        capture_end(capture);
        if (clock_monotonic_ns() - begin_ns < NS_PER_SECOND)
            return;
    }
    print_message("skipped: a thousand calls never take less than a second here\n");
    skip();
}

static unsigned n_refused;

static void flood_alone(void)
{
    n_refused = 0;
    for (int i = 0; i < 1000; i++)
        n_refused += !log_info("flood");
}

static void a_flood_is_held_back_and_counted(void **state)
{
    struct capture capture;

    (void)state;
    capture_flood(&capture, flood_alone);
    assert_int_equal(count_lines(capture.text), 10);
    assert_non_null(strstr(capture.text, "msg=\"log lines were held back\" lines=991\n"));
    assert_int_equal(n_refused, 991);
}

static void *flood(void *argument)
{
    for (int i = 0; i < 1000; i++)
        log_info("from a thread", "name", argument);
    return NULL;
}

static void flood_by_threads(void)
{
    pthread_t threads[4];
    char name[] = "name";

    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, flood, name), 0);
    for (size_t i = 0; i < ARRAY_SIZE(threads); i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static void threads_do_not_mix_their_lines(void **state)
{
    struct capture capture;

    (void)state;
    capture_flood(&capture, flood_by_threads);
    assert_int_equal(count_lines(capture.text), 10);
    for (char *line = strtok(capture.text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strstr(line, "msg=\"from a thread\" name=name") || strstr(line, "lines=3991"));
}

static void a_reader_that_reads_not__does_not_stop_us(void **state)
{
    struct capture capture;
    char filler[4096] = "";
    ssize_t n;

    (void)state;
    capture_begin(&capture);
    while (write(STDERR_FILENO, filler, sizeof(filler)) > 0)
        ;
    /* the pipe is full and blocks now, as that of a service would */
    assert_true(fcntl(STDERR_FILENO, F_SETFL, 0) >= 0);
    for (int i = 0; i < 5; i++)
        log_info("nobody reads this");
    do
        n = read(capture.reader, capture.text, sizeof(capture.text));
    while (n > 0);
    log_flush();
    capture_end(&capture);
    assert_non_null(strstr(capture.text, "lines=5\n"));
    assert_null(strstr(capture.text, "nobody"));
}

static void a_reader_that_has_gone__does_not_kill_us(void **state)
{
    struct capture capture;

    (void)state;
    capture_begin(&capture);
    assert_int_equal(close(capture.reader), 0);
    log_error("into the void");
    capture.reader = dup(STDERR_FILENO); /* capture_end() closes it */
    capture_end(&capture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_and_formats_are_parsed),
        cmocka_unit_test(logfmt_line),
        cmocka_unit_test(json_line),
        cmocka_unit_test(journal_lines_have_priorities_and_no_time),
        cmocka_unit_test(logfmt_values_are_quoted_where_needed),
        cmocka_unit_test(json_values_are_valid_whatever_they_hold),
        cmocka_unit_test(long_values_are_cut_between_characters),
        cmocka_unit_test(a_line_is_never_longer_than_a_pipe_takes_at_once),
        cmocka_unit_test(levels_below_are_not_written),
        cmocka_unit_test(the_journal_is_known_by_device_and_inode),
        cmocka_unit_test(a_flood_is_held_back_and_counted),
        cmocka_unit_test(threads_do_not_mix_their_lines),
        cmocka_unit_test_setup(a_reader_that_reads_not__does_not_stop_us, wait_a_second),
        cmocka_unit_test_setup(a_reader_that_has_gone__does_not_kill_us, wait_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
