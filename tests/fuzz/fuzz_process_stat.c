/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "sys/process.h"
#include "sys/self_stat.h"

/*
 * Any bytes, taken as /proc/PID/stat. What is accepted begins with a number and
 * exactly the comm that was found, and goes on with the state; what our own
 * parser takes besides is the same start.
 */

static void check_accepted(const char *text, const struct process_stat *stat)
{
    const char *comm = strchr(text, '(') + 1;
    size_t length = strlen(stat->comm);

    FUZZ_CHECK(length < sizeof(stat->comm) && strncmp(comm, stat->comm, length) == 0);
    FUZZ_CHECK(comm[length] == ')' && comm[length + 1] == ' ' && comm[length + 2] == stat->state);
    FUZZ_CHECK(!strchr(comm + length + 1, ')') && stat->parent >= 0);
}

/* Who has ended does nothing any more; who is about to end has no other thread. */
static void check_end(const struct process_stat *stat)
{
    const bool is_dead = stat->state == 'X' || stat->state == 'x', is_zombie = stat->state == 'Z';
    const bool is_ended = process_stat_is_ended(stat);
    const bool is_about_to_end = process_stat_is_about_to_end(stat);

    FUZZ_CHECK(!is_ended || is_dead || is_zombie);
    FUZZ_CHECK(!is_dead || is_ended);
    FUZZ_CHECK(!is_zombie || stat->exiting);
    FUZZ_CHECK(!is_zombie || is_ended == is_about_to_end);
    FUZZ_CHECK(!is_about_to_end || (stat->exiting && stat->threads <= 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = calloc(1, size + 1);
    struct process_stat stat;
    struct self_stat self;

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    if (!process_stat_parse(text, &stat))
        return 0;
    check_accepted(text, &stat);
    check_end(&stat);
    if (self_stat_parse(text, &self) == 0)
        FUZZ_CHECK(self.start_ticks == stat.start_ticks && self.threads == stat.threads);
    return 0;
}
