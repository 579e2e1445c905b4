/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Profiles, as the service has them: a thread that samples (profile/sampler.h), keeps what was
 * sampled, and answers questions about it. It begins after all else has started, so that nobody
 * waits for it.
 */

#include <stdbool.h>

#include "config/config.h"
#include "history/history.h"
#include "profile/targets.h"
#include "reader/object_reader.h"
#include "service/profile_questions.h"
#include "service/profile_recorder.h"
#include "web/deferred.h"

struct profiler;

/* What it works with. The descriptors are borrowed for its life. */
struct profiler_setup {
    struct object_reader *reader;       /* borrowed; NULL: it could not be started */
    struct profile_targets *targets;    /* borrowed */
    struct profile_recorder *recorder;  /* borrowed */
    struct profile_status_slot *status; /* borrowed; where its figures are written each second */
    struct history *history;            /* borrowed until profiler_stop(); NULL: nothing is kept */
    int sysfs_fd, procfs_fd;
};

/* Makes it; it samples nothing yet. NULL: no memory. */
struct profiler *profiler_new(const struct profiler_setup *setup);

/* Not before the history is freed, which may still have something to do for it. */
struct profiler *profiler_free(struct profiler *profiler);

/*
 * What the configuration wants: at the start, and after each cycle and reload. has_room: there are
 * descriptors for it. most_bytes: so much memory, whatever the configuration allows. is_v1: cgroups
 * are those of a hierarchy of cgroup v1. What was sampled before stays, if there are to be profiles
 * at all.
 */
void profiler_configure(struct profiler *profiler, const struct config *config, bool has_room,
                        size_t most_bytes, bool is_v1);

/* Starts the thread. 0 or -errno. */
int profiler_start(struct profiler *profiler);

/* Ends the thread. What nobody has answered is refused. */
void profiler_stop(struct profiler *profiler);

/*
 * Has a question answered. The arguments are taken over, whatever is returned: 0, and the answer is
 * on its way; or what `ask` of a route returns, with the reason in words.
 */
int profiler_ask(struct profiler *profiler, const struct profile_question *question,
                 struct deferred *answer, struct text *text);
