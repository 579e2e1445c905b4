/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/head.h"

#include <stdint.h>
#include <string.h>
#include <time.h>

#define KEPT_LINES 2 /* of a terminal: the line that more is told in, and the prompt */
#define FEWEST     5 /* lines that are shown in any terminal */

static void append_time(struct text *text, double time, bool has_date)
{
    const time_t seconds = (time_t)time;
    struct tm local = {0};
    char date[32] = "", clock[32] = "";

    if (localtime_r(&seconds, &local)) {
        (void)strftime(date, sizeof(date), "%Y-%m-%d ", &local);
        (void)strftime(clock, sizeof(clock), "%H:%M:%S", &local);
    }
    text_append_string(text, has_date ? date : "");
    text_append_string(text, clock);
}

static bool is_same_day(double a, double b)
{
    const time_t seconds[2] = {(time_t)a, (time_t)b};
    struct tm days[2] = {{0}, {0}};

    return localtime_r(&seconds[0], &days[0]) && localtime_r(&seconds[1], &days[1]) &&
           days[0].tm_yday == days[1].tm_yday && days[0].tm_year == days[1].tm_year;
}

void profile_append_range(struct text *text, const char *target, const struct profile_head *head)
{
    (void)terminal_append_shown(text, target, 0);
    text_append_string(text, ", ");
    append_time(text, head->from, true);
    text_append_string(text, " to ");
    append_time(text, head->to, !is_same_day(head->from, head->to));
    text_append_format(text, " (%.4g s)", head->to - head->from);
}

/* How many samples there are, and what they stand for. */
static void append_samples(struct text *text, const struct profile_head *head)
{
    if (head->event) {
        text_append_format(text, "%.0f ", head->events);
        (void)terminal_append_shown(text, head->event, 0);
        text_append_format(text, ", as sure as %.0f %s of equal weight", head->samples,
                           head->samples == 1 ? "sample" : "samples");
        return;
    }
    text_append_format(text, "%.0f %s ", head->samples, head->samples == 1 ? "sample" : "samples");
    if (head->rate > 0)
        text_append_format(text, "at %.4g Hz", head->rate);
    else
        text_append_string(text, "of several rates");
    text_append_format(text, ", %.4g CPU seconds", head->cpu_seconds);
}

void profile_append_head(struct text *text, const char *target, const struct profile_head *head,
                         double not_whole)
{
    profile_append_range(text, target, head);
    text_append_char(text, '\n');
    append_samples(text, head);
    text_append_string(text, "; ");
    if (not_whole > 0)
        text_append_format(text, "%.0f %s (%.1f %%) %s not whole\n", not_whole,
                           not_whole == 1 ? "stack" : "stacks", not_whole * 100 / head->samples,
                           not_whole == 1 ? "is" : "are");
    else
        text_append_string(text, "all stacks are whole\n");
    if (head->samples < PROFILE_COARSE)
        profile_append_coarse(text, head);
}

void profile_append_coarse(struct text *text, const struct profile_head *head)
{
    text_append_format(text, "fewer than %d samples%s: shares are coarse\n", PROFILE_COARSE,
                       head->event ? " of equal weight" : "");
}

size_t profile_lines(const struct profile_options *options, const struct terminal *terminal,
                     size_t used)
{
    if (options->lines > 0)
        return (size_t)options->lines;
    if (!terminal->is_terminal || terminal->height == 0)
        return SIZE_MAX;
    return terminal->height > used + KEPT_LINES + FEWEST ? terminal->height - used - KEPT_LINES
                                                         : FEWEST;
}

void profile_append_more(struct text *text, size_t left_out, const char *thing)
{
    if (left_out == 1)
        text_append_format(text, "(1 more %s, -n shows it)\n", thing);
    else if (left_out > 1)
        text_append_format(text, "(%zu more %ss, -n shows them)\n", left_out, thing);
}

bool profile_is_end_note(const char *kind, const char *name)
{
    return strcmp(kind, "note") == 0 && *name == '[';
}
