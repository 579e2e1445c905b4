/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What somebody asks to be counted for a while, as a JSON object:
 *
 *     {"title": "after the release", "notes": "", "target": "cgroup:/system.slice/nginx.service",
 *      "events": ["page-faults", ["cycles", "instructions"]],
 *      "interval_seconds": 0.1, "duration_seconds": 60, "counters": "budget", "kind": "count"}
 *
 * With the kind "record", it is sampled beside who makes the event happen, of which there is one:
 *
 *     {"title": "…", "target": "pid:4711", "kind": "record", "events": ["cycles"], "rate": 99}
 *
 * A list among the events is a group, which the kernel counts together. Everything but the title,
 * the target and the events may be left out. With the kind "schedule", what the scheduler does with
 * the threads of the target is recorded, and there are no events. What is not known is refused.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "run/event_names.h"
#include "run/recording.h"

#define RUN_TITLE_MAX         200   /* bytes */
#define RUN_NOTES_MAX         10000 /* bytes */
#define RUN_EVENTS_MAX        64
#define RUN_INTERVAL_LEAST_NS UINT64_C(10000000)
#define RUN_INTERVAL_MOST_NS  UINT64_C(60000000000)
#define RUN_DURATION_MOST_NS  UINT64_C(3600000000000)
#define RUN_RATE_MOST_HZ      999
#define RUN_RATE_USUAL_HZ     99
#define RUN_SAMPLES_MAX       100000
#define RUN_VALUES_MAX        1000000 /* of all columns: 8 MB in memory */
#define RUN_REQUEST_BYTES     65536   /* no request is longer */

/* A bound on what one run may take: so many samples of so many columns. */
#define RUN_BOUNDS "100,000 samples, and 1,000,000 numbers over all columns"

enum run_place { RUN_OF_MACHINE, RUN_OF_CGROUP, RUN_OF_PROCESSES, RUN_OF_PID };

struct run_request {
    enum run_kind kind;
    char *title, *notes;
    char *target;           /* as it was given: "cgroup:/a" */
    enum run_place place;   /* what kind of target it is */
    const char *place_name; /* what stands behind the colon; part of target */
    pid_t pid;              /* of RUN_OF_PID */
    struct event_name_list events;
    char *asked; /* the events as JSON, as they stand in the request */
    uint64_t interval_ns, duration_ns;
    unsigned rate_hz; /* of RUN_RECORDS: how often it is sampled in a second */
    bool takes_free;  /* "counters": "free": also those that are kept free for others */
};

/*
 * Parses a request. 0; -EINVAL with words for people in *ret_message; -ENOMEM. To be ended by
 * run_request_done() in any case.
 */
int run_request_parse(const char *body, size_t length, struct run_request *ret_request,
                      struct text *ret_message);
void run_request_done(struct run_request *request);

/* A new title or new notes of a run; NULL: it stays. As run_request_parse(). */
struct run_rename {
    char *title, *notes;
};
int run_rename_parse(const char *body, size_t length, struct run_rename *ret_rename,
                     struct text *ret_message);
void run_rename_done(struct run_rename *rename);
