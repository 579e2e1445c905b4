/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/times.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"

#define HOUR_NS  (UINT64_C(3600) * NS_PER_SECOND)
#define DAY_NS   (24 * HOUR_NS)
#define LATEST_S 1e10 /* later than any time that a clock of a machine shows */

static uint64_t less(uint64_t ns, uint64_t by_ns)
{
    return ns > by_ns ? ns - by_ns : 0;
}

static int parse_seconds(const char *text, uint64_t *ret_ns)
{
    char *end = NULL;
    const double seconds = strtod(text, &end);

    if (!*text || strspn(text, "0123456789.") != strlen(text) || *end || seconds > LATEST_S)
        return -EINVAL;
    *ret_ns = (uint64_t)llround(seconds * (double)NS_PER_SECOND);
    return 0;
}

/* Whether a text has this form: local or, with a Z behind it, of UTC. */
static bool scan(const char *text, const char *form, struct tm *broken, bool *ret_is_utc)
{
    const char *end = strptime(text, form, broken);

    *ret_is_utc = end && strcmp(end, "Z") == 0;
    return end && (!*end || *ret_is_utc);
}

static time_t seconds_of(struct tm broken, bool is_utc)
{
    broken.tm_isdst = -1;
    return is_utc ? timegm(&broken) : mktime(&broken);
}

static int take_seconds(time_t seconds, uint64_t *ret_ns)
{
    if (seconds < 0)
        return -EINVAL;
    *ret_ns = (uint64_t)seconds * NS_PER_SECOND;
    return 0;
}

/* A date and a time of the day. */
static int parse_calendar(const char *text, uint64_t *ret_ns)
{
    static const char *const forms[] = {"%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M",
                                        "%Y-%m-%dT%H:%M"};

    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        struct tm broken = {0};
        bool is_utc;

        if (scan(text, forms[i], &broken, &is_utc))
            return take_seconds(seconds_of(broken, is_utc), ret_ns);
    }
    return -EINVAL;
}

/*
 * A time of the day alone: the last one that is not after now. In the hour that comes twice when
 * summer time ends it may be the first one.
 */
static int parse_clock(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
    const time_t now = (time_t)(now_ns / NS_PER_SECOND);
    struct tm clock = {0}, day = {0};
    bool is_utc;

    if (!scan(text, "%H:%M:%S", &clock, &is_utc) && !scan(text, "%H:%M", &clock, &is_utc))
        return -EINVAL;
    if (!(is_utc ? gmtime_r(&now, &day) : localtime_r(&now, &day)))
        return -EINVAL;
    day.tm_hour = clock.tm_hour;
    day.tm_min = clock.tm_min;
    day.tm_sec = clock.tm_sec;
    if (seconds_of(day, is_utc) > now)
        day.tm_mday--;
    return take_seconds(seconds_of(day, is_utc), ret_ns);
}

int profile_time_parse(const char *text, uint64_t now_ns, uint64_t *ret_ns)
{
    uint64_t ago_ns = 0;

    if (parse_seconds(text, ret_ns) == 0 || parse_calendar(text, ret_ns) == 0 ||
        parse_clock(text, now_ns, ret_ns) == 0)
        return 0;
    if (strcmp(text, "now") != 0 && parse_duration_ns(text, &ago_ns) < 0)
        return -EINVAL;
    *ret_ns = less(now_ns, ago_ns);
    return 0;
}

int profile_span_parse(const char *text, uint64_t now_ns, struct profile_span *ret_span)
{
    const char *between = strstr(text, PROFILE_BETWEEN);
    AUTO_FREE char *start = between ? strndup(text, (size_t)(between - text)) : NULL;
    struct profile_span span;

    if (!start || profile_time_parse(start, now_ns, &span.start_ns) < 0 ||
        profile_time_parse(between + strlen(PROFILE_BETWEEN), now_ns, &span.end_ns) < 0)
        return -EINVAL;
    if (span.start_ns >= span.end_ns)
        return -ERANGE;
    *ret_span = span;
    return 0;
}

struct profile_span profile_span_ending(const struct profile_span *span, uint64_t end_ns)
{
    return (struct profile_span){less(end_ns, span->end_ns - span->start_ns), end_ns};
}

bool profile_spans_overlap(const struct profile_span *a, const struct profile_span *b)
{
    return a->start_ns < b->end_ns && b->start_ns < a->end_ns;
}

int profile_before_parse(const char *text, uint64_t now_ns, const struct profile_span *after,
                         struct profile_span *ret_before)
{
    static const struct {
        const char *word;
        uint64_t ago_ns;
    } words[] = {{"hour", HOUR_NS}, {"day", DAY_NS}, {"week", 7 * DAY_NS}};
    uint64_t ago_ns = 0;

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(words[i].word, text) == 0)
            ago_ns = words[i].ago_ns;
    if (strcmp(text, "previous") == 0)
        ago_ns = after->end_ns - after->start_ns;
    if (ago_ns == 0 && parse_duration_ns(text, &ago_ns) < 0)
        return profile_span_parse(text, now_ns, ret_before);
    if (ago_ns == 0)
        return -EINVAL;
    *ret_before = profile_span_ending(after, less(after->end_ns, ago_ns));
    return 0;
}
