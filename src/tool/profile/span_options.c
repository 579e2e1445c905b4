/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Times refer to each other: the end to now, the start to the end. So words are kept while options
 * are read, and become times when all have been.
 */
#include "tool/profile/span_options.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "tool/command.h"
#include "tool/option_values.h"

#define USUAL_DURATION_NS   (60 * NS_PER_SECOND)
#define LEAST_DURATION_NS   (NS_PER_SECOND / 100)
#define LONGEST_DURATION_NS (UINT64_C(8) * 86400 * NS_PER_SECOND)

enum { KEY_START = 0x1380, KEY_END, KEY_RANGE };

static const struct argp_option entries[] = {
    {.name = "duration",
     .key = 'd',
     .arg = "SECONDS",
     .doc = "Of so many seconds before the end, or from the start on, from 0.01 to 691200. "
            "Default: 60."},
    {.name = "start",
     .key = KEY_START,
     .arg = "TIME",
     .doc = "From when on: " PROFILE_TIME_EXPECTED "."},
    {.name = "end", .key = KEY_END, .arg = "TIME", .doc = "Until when. Default: now."},
    {.name = "range", .key = KEY_RANGE, .arg = "START..END", .doc = "Both of them."},
    {0},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct profile_span_words *words = state->input;

    switch (key) {
    case 'd':
        words->duration_ns = option_seconds('d', argument, LEAST_DURATION_NS, LONGEST_DURATION_NS);
        return 0;
    case KEY_START:
        words->start = argument;
        return 0;
    case KEY_END:
        words->end = argument;
        return 0;
    case KEY_RANGE:
        words->range = argument;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp profile_span_argp = {.options = entries, .parser = parse};

static uint64_t take_time(const char *option, const char *argument, uint64_t now_ns)
{
    uint64_t ns;

    if (profile_time_parse(argument, now_ns, &ns) < 0)
        command_refuse("%s is %s; expected " PROFILE_TIME_EXPECTED, option, SHOWN(argument));
    return ns;
}

/* Who names a time of day that has not come may mean today's. */
static const char *note_of_clock(const char *start, const char *end)
{
    const bool is_clock = (start && strchr(start, ':') && !strchr(start, '-')) ||
                          (end && strchr(end, ':') && !strchr(end, '-'));

    return is_clock ? " (a time of day alone is the last one that is not after now)" : "";
}

void profile_span_check(const char *option, const char *argument, const char *expected, int r)
{
    if (r == -ERANGE)
        command_refuse("%s is %s; its start is not before its end%s", option, SHOWN(argument),
                       note_of_clock(argument, NULL));
    if (r < 0)
        command_refuse("%s is %s; expected %s", option, SHOWN(argument), expected);
}

static struct profile_span take_range(const struct profile_span_words *words, uint64_t now_ns)
{
    struct profile_span span;

    if (words->start || words->end || words->duration_ns)
        command_refuse("--range stands for --start, --end and -d");
    profile_span_check("--range", words->range, "START..END, each " PROFILE_TIME_EXPECTED,
                       profile_span_parse(words->range, now_ns, &span));
    return span;
}

struct profile_span profile_span_take(const struct profile_span_words *words, uint64_t now_ns)
{
    const uint64_t duration_ns = words->duration_ns ? words->duration_ns : USUAL_DURATION_NS;
    struct profile_span span;

    if (words->range)
        return take_range(words, now_ns);
    if (words->start && words->end && words->duration_ns)
        command_refuse("--start, --end and -d are one too many");
    span.end_ns = words->end ? take_time("--end", words->end, now_ns) : now_ns;
    if (words->start)
        span.start_ns = take_time("--start", words->start, now_ns);
    if (words->start && words->duration_ns)
        span.end_ns = span.start_ns + words->duration_ns;
    else if (!words->start)
        span = profile_span_ending(&(struct profile_span){0, duration_ns}, span.end_ns);
    if (span.start_ns >= span.end_ns)
        command_refuse("the start is not before the end%s",
                       note_of_clock(words->start, words->end));
    return span;
}
