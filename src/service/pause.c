/* SPDX-License-Identifier: Apache-2.0 */
#include "service/pause.h"

#include <time.h>

#include "base/clock.h"
#include "log/log.h"

#define TIME_SIZE sizeof("2026-01-02T03:04:05Z")

static const char *time_text(uint64_t realtime_ns, char buffer[static TIME_SIZE])
{
    const time_t seconds = (time_t)(realtime_ns / NS_PER_SECOND);
    struct tm utc = {0};

    (void)gmtime_r(&seconds, &utc);
    buffer[0] = '\0';
    (void)strftime(buffer, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buffer;
}

void pause_begin(struct pause *pause, struct collector *collector, uint64_t duration_ns,
                 struct text *outcome)
{
    const uint64_t end_realtime_ns = clock_realtime_ns() + duration_ns;
    char until[TIME_SIZE];

    pause->end_ns = clock_boottime_ns() + duration_ns;
    collector_pause(collector, end_realtime_ns);
    log_info("hardware events are not counted", "why", "a pause was asked for", "until",
             time_text(end_realtime_ns, until));
    text_append_format(outcome, "hardware events are not counted until %s\n", until);
}

static void end(struct pause *pause, struct collector *collector, const char *why)
{
    pause->end_ns = 0;
    collector_pause(collector, 0);
    log_info("hardware events are counted again", "why", why);
}

bool pause_end(struct pause *pause, struct collector *collector, struct text *outcome)
{
    if (pause->end_ns == 0) {
        text_append_string(outcome, "there is no pause\n");
        return false;
    }
    end(pause, collector, "asked for");
    text_append_string(outcome, "hardware events are counted again\n");
    return true;
}

void pause_check(struct pause *pause, struct collector *collector)
{
    if (pause->end_ns > 0 && clock_boottime_ns() >= pause->end_ns)
        end(pause, collector, "the pause is over");
}
