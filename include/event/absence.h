/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why a number is absent. What is unknown is absent, and has one of these reasons. */

enum absence {
    ABSENCE_NONE = 0,        /* the number is there */
    ABSENCE_NO_PMU,          /* this kind of PMU does not exist on this machine */
    ABSENCE_UNKNOWN_EVENT,   /* no source of events knows the name */
    ABSENCE_NOT_SUPPORTED,   /* the PMU refuses the event, or this kind of scope does not have it */
    ABSENCE_NOT_PERMITTED,   /* perf_event_paranoid, capabilities or an LSM forbid it */
    ABSENCE_PMU_BUSY,        /* somebody else holds the counters exclusively */
    ABSENCE_OVER_BUDGET,     /* our share of the PMU is used up */
    ABSENCE_GROUP_TOO_LARGE, /* the group holds more events than the PMU has counters */
    ABSENCE_NEVER_SCHEDULED, /* the kernel accepted the group and never ran it */
    ABSENCE_NO_DESCRIPTORS,  /* the limit of open files, or kernel memory, is used up */
    ABSENCE_NO_MEMORY,       /* the memory limit of our own cgroup leaves no room */
    ABSENCE_OVER_LIMIT,      /* a limit of the configuration is used up */
    ABSENCE_CPU_OFFLINE,     /* the CPU is not there now */
    ABSENCE_TARGET_GONE,     /* the target ended before it could be counted */
    ABSENCE_BAD_FILTER,      /* the filter that the configuration gives the event is no condition
                                over its fields */
    ABSENCE_COUNT_,          /* how many there are */
};

/*
 * Which of two reasons to report where nothing of a target is counted: one that somebody can cure,
 * as a missing permission, rather than one that is the machine's. Any reason rather than
 * ABSENCE_NONE.
 */
enum absence absence_foremost(enum absence a, enum absence b);

/* The word on /metrics ("no_pmu"); empty for ABSENCE_NONE. Static. */
const char *absence_name(enum absence absence);
