/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The times of the last ten lines are kept, so that the limit holds for every second that one may
 * look at, and not only for seconds that begin on a tick: a line may be written when the tenth line
 * before it is a second old.
 */
#include "log/log_throttle.h"

#include "base/clock.h"

/* When the n-th last line was written; 1 is the last. */
static uint64_t written_before(const struct log_throttle *throttle, size_t n)
{
    return throttle->written_ns[(throttle->next + LOG_LINES_PER_SECOND - n) % LOG_LINES_PER_SECOND];
}

static bool is_past(uint64_t then_ns, uint64_t now_ns)
{
    return then_ns == 0 || now_ns - then_ns >= NS_PER_SECOND;
}

static void note_written(struct log_throttle *throttle, uint64_t now_ns)
{
    throttle->written_ns[throttle->next] = now_ns;
    throttle->next = (throttle->next + 1) % LOG_LINES_PER_SECOND;
}

bool log_throttle_admit(struct log_throttle *throttle, uint64_t now_ns)
{
    if (!is_past(written_before(throttle, LOG_LINES_PER_SECOND - 1), now_ns)) {
        throttle->held_back++;
        return false;
    }
    note_written(throttle, now_ns);
    return true;
}

uint64_t log_throttle_take_held_back(struct log_throttle *throttle, uint64_t now_ns)
{
    uint64_t held_back = throttle->held_back;

    if (held_back == 0 || !is_past(written_before(throttle, LOG_LINES_PER_SECOND), now_ns))
        return 0;
    note_written(throttle, now_ns);
    throttle->held_back = 0;
    return held_back;
}
