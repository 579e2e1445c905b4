/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* A run of kind `schedule` while it goes on. It belongs to one thread at a time. */

#include "base/text.h"
#include "run/recording.h"
#include "run/session.h"
#include "run/target.h"

struct schedule_session;

/*
 * Gives the recording its columns, and begins to record the target. 0; -EPERM with words for
 * people: the kernel does not let us; -errno.
 */
int schedule_session_open(const struct run_target *target, const struct run_wish *wish,
                          const struct run_setup *setup, struct recording *recording,
                          struct schedule_session **ret_session, struct text *ret_message);

/* Ends recording, if it goes on. */
struct schedule_session *schedule_session_free(struct schedule_session *session);
DEFINE_AUTO(schedule_session, struct schedule_session *, schedule_session_free)

/* Takes what the ring has. It has to be called so often that the ring does not run over. Returns
 * false if no more can be recorded. */
bool schedule_session_read(struct schedule_session *session);

/* Adds a row with what was read since the last one. Returns false if there is no room for it. */
bool schedule_session_add_row(struct schedule_session *session, struct recording *recording,
                              uint64_t now_ns);

/*
 * Ends recording: the recording gets what was recorded, and its rows what that comes to. Returns
 * when it ended: now_ns, or later if later events were found in the ring.
 */
uint64_t schedule_session_end(struct schedule_session *session, struct recording *recording,
                              uint64_t now_ns);
