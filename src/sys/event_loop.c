/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/event_loop.h"

#include <stdint.h>
#include <time.h>

#define TRIES 100

int event_loop_turn(sd_event *event)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    int r = sd_event_run(event, UINT64_MAX);

    for (int tries = 1; r < 0 && tries < TRIES; tries++) {
        (void)nanosleep(&pause, NULL);
        r = sd_event_run(event, UINT64_MAX);
    }
    return r;
}

int event_loop_run(sd_event *event)
{
    int code, r = 0;

    while (r >= 0 && sd_event_get_state(event) != SD_EVENT_FINISHED)
        r = event_loop_turn(event);
    if (r < 0)
        return r;
    r = sd_event_get_exit_code(event, &code);
    return r < 0 ? r : code;
}
