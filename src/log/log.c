/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Logging must not hold up the work that it reports on. So a line is made in full and then written
 * at once, without waiting (log/standard_streams.h). A pipe takes it whole or not at all, since a
 * line is not longer than PIPE_BUF. Where there is no room, the line counts as held back. One lock
 * covers the throttle and the write, so that the lines of threads do not mix.
 */
#include "log/log.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "log/log_line.h"
#include "log/log_throttle.h"
#include "log/standard_streams.h"

static const char *const level_names[] = {"debug", "info", "warn", "error"}; /* as the enum */
static const char *const format_names[] = {"logfmt", "json"};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct log_throttle throttle; /* under the lock */
static bool is_torn; /* under the lock: the last line has no end, since the disk was full */

/* log_init() sets these, before there are other threads. */
static enum log_level lowest = LOG_LEVEL_INFO;
static enum log_format written_format = LOG_FORMAT_LOGFMT;
static bool to_journal;

static int find_name(const char *text, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(text, names[i]) == 0)
            return (int)i;
    return -EINVAL;
}

int log_level_parse(const char *text, enum log_level *ret_level)
{
    int level = find_name(text, level_names, ARRAY_SIZE(level_names));

    if (level < 0)
        return level;
    *ret_level = (enum log_level)level;
    return 0;
}

int log_format_parse(const char *text, enum log_format *ret_format)
{
    int format = find_name(text, format_names, ARRAY_SIZE(format_names));

    if (format < 0)
        return format;
    *ret_format = (enum log_format)format;
    return 0;
}

/* $JOURNAL_STREAM is the device and inode of what systemd gave us as stderr (systemd.exec(5)). */
static bool stderr_is_journal(void)
{
    const char *stream = getenv("JOURNAL_STREAM");
    char mine[2 * sizeof("18446744073709551615")];
    struct stat status;

    if (!stream || fstat(STDERR_FILENO, &status) < 0)
        return false;
    (void)snprintf(mine, sizeof(mine), "%" PRIu64 ":%" PRIu64, (uint64_t)status.st_dev,
                   (uint64_t)status.st_ino);
    return strcmp(stream, mine) == 0;
}

void log_init(enum log_level level, enum log_format format)
{
    lowest = level;
    written_format = format;
    to_journal = stderr_is_journal();
}

bool log_enabled(enum log_level level)
{
    return level >= lowest;
}

/* When a line is admitted, by both clocks: its stamp tells that, and not when it was written. */
struct moment {
    uint64_t monotonic_ns, realtime_ns;
};

static struct moment moment_now(void)
{
    return (struct moment){clock_monotonic_ns(), clock_realtime_ns()};
}

/* Returns false if the line is lost: there is no room or memory, or nobody reads any more. */
static bool write_line(enum log_level level, uint64_t realtime_ns, const char *message,
                       va_list fields)
{
    AUTO_TEXT struct text text = {0};
    struct log_line line = {.level = level,
                            .format = written_format,
                            .journal = to_journal,
                            .realtime_ns = realtime_ns,
                            .message = message};
    ssize_t n;

    if (is_torn)
        text_append_char(&text, '\n');
    log_line_append(&text, &line, fields);
    if (text_error(&text) < 0)
        return false;
    n = stream_write_at_once(STDERR_FILENO, text.data, text.length);
    if (n > 0)
        is_torn = (size_t)n < text.length;
    return n == (ssize_t)text.length;
}

static bool write_fields(enum log_level level, uint64_t realtime_ns, const char *message, ...)
{
    va_list fields;
    bool written;

    va_start(fields, message);
    written = write_line(level, realtime_ns, message, fields);
    va_end(fields);
    return written;
}

/* Under the lock: writes how many lines were held back, where a line may be written for that. */
static void write_held_back(struct moment now)
{
    uint64_t held_back = log_throttle_take_held_back(&throttle, now.monotonic_ns);
    char lines[sizeof("18446744073709551615")];

    if (held_back == 0)
        return;
    (void)snprintf(lines, sizeof(lines), "%" PRIu64, held_back);
    if (!write_fields(LOG_LEVEL_WARN, now.realtime_ns, "log lines were held back", "lines", lines,
                      (char *)NULL))
        throttle.held_back += held_back;
}

bool log_write(enum log_level level, const char *message, ...)
{
    int saved_errno = errno;
    bool written = false;
    struct moment now;
    va_list fields;

    if (!log_enabled(level))
        return true;
    (void)pthread_mutex_lock(&lock);
    now = moment_now();
    if (log_throttle_admit(&throttle, now.monotonic_ns)) {
        write_held_back(now);
        va_start(fields, message);
        written = write_line(level, now.realtime_ns, message, fields);
        va_end(fields);
        throttle.held_back += !written;
    }
    (void)pthread_mutex_unlock(&lock);
    errno = saved_errno;
    return written;
}

void log_flush(void)
{
    int saved_errno = errno;

    (void)pthread_mutex_lock(&lock);
    write_held_back(moment_now());
    (void)pthread_mutex_unlock(&lock);
    errno = saved_errno;
}
