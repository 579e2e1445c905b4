/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/option_values.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/parse.h"
#include "config/config_error.h"
#include "run/event_names.h"
#include "tool/command.h"

/* Nothing is longer. */
#define MOST_SECONDS 1e9

uint64_t option_seconds(char option, const char *argument, uint64_t least_ns, uint64_t most_ns)
{
    uint64_t ns = 0;
    char *end = NULL;
    const double seconds = strtod(argument, &end);

    if (strspn(argument, "0123456789.") == strlen(argument) && *argument && !*end &&
        seconds < MOST_SECONDS)
        ns = (uint64_t)llround(seconds * (double)NS_PER_SECOND);
    else if (parse_duration_ns(argument, &ns) < 0)
        ns = 0;
    if (ns < least_ns || ns > most_ns)
        command_refuse("-%c %s: expected seconds from %.10g to %.10g, such as 2, 0.5 or 10s",
                       option, SHOWN(argument), (double)least_ns / (double)NS_PER_SECOND,
                       (double)most_ns / (double)NS_PER_SECOND);
    return ns;
}

uint64_t option_number(const char *option, const char *argument, uint64_t least, uint64_t most)
{
    uint64_t number = 0;

    if (parse_u64(argument, &number) < 0 || number < least || number > most)
        command_refuse("%s %s: expected a number from %" PRIu64 " to %" PRIu64, option,
                       SHOWN(argument), least, most);
    return number;
}

void option_events(const char *argument, struct event_name_list *list)
{
    struct event_names_error error;
    const int r = event_names_parse(argument, list, &error);

    if (r == -EINVAL)
        command_refuse("-e %s: expected %s at byte %zu", SHOWN(argument), error.expected,
                       error.offset + 1);
    if (r < 0)
        command_refuse("%s", strerror(ENOMEM));
}
