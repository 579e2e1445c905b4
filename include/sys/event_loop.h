/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A loop of sd-event (sd-event(3)) that goes on where a call of the kernel fails for a moment. By
 * itself sd-event gives up at the first error of a poll, of a timer or of a signal's descriptor,
 * and would end a service that only wants memory just now.
 */

#include <systemd/sd-event.h>

/* sd_event_run() without a limit of time, tried again for a second. As it returns; the last error.
 */
int event_loop_turn(sd_event *event);

/* sd_event_loop() of such turns: what sd_event_exit() was given, or the last error. */
int event_loop_run(sd_event *event);
