/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the running service holds: each part has its state in its own header. */

#include <systemd/sd-event.h>

#include "cycle/memory_share.h"
#include "service/counting.h"
#include "service/historian.h"
#include "service/notify.h"
#include "service/options.h"
#include "service/pages.h"
#include "service/pause.h"
#include "service/profiler.h"
#include "service/reload.h"
#include "service/runs.h"
#include "service/serving.h"

struct service {
    const struct options *options;
    sd_event *event;
    sd_event_source *timer; /* It fires when the next cycle is due. */
    struct counting counting;
    struct historian historian;
    struct reload reload;
    struct pause pause;
    struct config_shown config_shown;
    struct pages pages;
    struct serving serving;
    struct runs *runs;
    struct object_reader *reader; /* NULL: no program can be read */
    struct profiler *profiler;
    bool has_started_profiler;         /* or it could not be */
    struct profile_recorder *recorder; /* by which runs have the profiler record */
    sd_event_source *named;            /* It fires when a run waits for the processes of a group. */
    struct notify notify;
    struct control_slot *control; /* The server's thread asks through this slot. */
    sd_event_source *requests;    /* It fires when a request has come through the control slot. */
};

/* Has the next cycle run as soon as the loop turns. */
static inline void service_cycle_now(struct service *service)
{
    counting_hurry(&service->counting);
    (void)sd_event_source_set_time(service->timer, service->counting.schedule.due_ns / 1000);
}

/* Hands what the configuration wants, and descriptors and memory allow, to the profiler. */
static inline void service_configure_profiler(struct service *service)
{
    const struct counting *counting = &service->counting;
    const struct cgroup_root *root = &counting->hierarchy.root;

    profiler_configure(service->profiler, counting->config, counting->files.has_profiles,
                       memory_share_of_part(&counting->memory.room), root->fd >= 0 && !root->v2);
}
