/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why a number is not there. Unknown is absent, and absence has one of these reasons. */

enum absence {
    ABSENCE_NONE = 0,        /* it is there */
    ABSENCE_NO_PMU,          /* this kind of PMU does not exist on this machine */
    ABSENCE_UNKNOWN_EVENT,   /* no source of events knows the name */
    ABSENCE_NOT_SUPPORTED,   /* the PMU is there and refuses the event, or the scope does */
    ABSENCE_NOT_PERMITTED,   /* perf_event_paranoid, capabilities or an LSM forbid it */
    ABSENCE_PMU_BUSY,        /* somebody holds the counters exclusively */
    ABSENCE_OVER_BUDGET,     /* our share of the PMU is used up */
    ABSENCE_GROUP_TOO_LARGE, /* the group holds more events than the PMU has counters */
    ABSENCE_NEVER_SCHEDULED, /* the kernel accepted the group and never ran it */
    ABSENCE_NO_DESCRIPTORS,  /* the limit of open files, or kernel memory, is used up */
    ABSENCE_OVER_LIMIT,      /* a limit of the configuration is used up */
    ABSENCE_CPU_OFFLINE,     /* the CPU is not there now */
    ABSENCE_TARGET_GONE,     /* the target ended before it could be counted */
    ABSENCE_COUNT_,          /* how many there are */
};

/*
 * Of two reasons why nothing of a target is counted, the one to tell: what somebody can cure, as a
 * missing permission, before what the machine does not have. ABSENCE_NONE gives way to any.
 */
enum absence absence_foremost(enum absence a, enum absence b);

/* The word on /metrics ("no_pmu"); empty for ABSENCE_NONE. Static. */
const char *absence_name(enum absence absence);
