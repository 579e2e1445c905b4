/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever the name: an event with all its texts, or with the reason of its absence. */

#include <fcntl.h>
#include <string.h>

#include "event/resolver.h"
#include "fuzz/fuzz.h"

/* A machine with a core's PMU, that encodes the events of every CPU. */
static struct event_resolver *resolver;

static void start(void)
{
    const int sysfs = open(FIXTURE_SYSFS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    /* it stays open as long as the resolver, which is for ever */
    FUZZ_CHECK(sysfs >= 0 && setenv("LIBPFM_ENCODE_INACTIVE", "1", 1) == 0);
    FUZZ_CHECK(event_resolver_new(sysfs, &resolver) == 0);
}

static void expect_metric_name(const char *name)
{
    size_t length = strlen(name);

    FUZZ_CHECK(length > 0 && strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == length);
    FUZZ_CHECK(name[0] >= 'a' && name[0] <= 'z');
}

/* Whether an absence is one of those that are known before an event is opened. */
static bool follows_from_name(enum absence absence)
{
    return absence == ABSENCE_NONE || absence == ABSENCE_NO_PMU ||
           absence == ABSENCE_UNKNOWN_EVENT || absence == ABSENCE_NOT_SUPPORTED ||
           absence == ABSENCE_NOT_PERMITTED;
}

/* `r` and up to 16 hexadecimal digits are a raw event, of exactly this number. */
static void expect_raw(const struct event *event)
{
    size_t n;

    if (event->name[0] != 'r')
        return;
    n = strspn(event->name + 1, "0123456789abcdefABCDEF");
    if (n < 1 || n > 16 || event->name[1 + n])
        return;
    FUZZ_CHECK(event->absence == ABSENCE_NONE && event->kind == EVENT_RAW);
    FUZZ_CHECK(event->code.config == strtoull(event->name + 1, NULL, 16));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *name = strndup((const char *)data, size), *suggestion = NULL;
    AUTO(event) struct event *event = NULL;

    FUZZ_CHECK(name);
    if (!resolver)
        start();
    FUZZ_CHECK(event_resolve(resolver, name, &event) == 0);
    FUZZ_CHECK(strcmp(event->name, name) == 0);
    expect_metric_name(event->metric);
    expect_raw(event);
    FUZZ_CHECK(event->description && event->encoding && event->pmu);
    FUZZ_CHECK(follows_from_name(event->absence));
    if (event->absence == ABSENCE_NONE)
        FUZZ_CHECK(event->encoding[0] != '\0' && event->pmu[0] != '\0');
    else
        suggestion = event_resolver_suggest(resolver, name);
    return 0;
}
