/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/object_reader.h"

static const char *const names[OBJECT_OUTCOME_COUNT_] = {
    [OBJECT_READ] = "read",           [OBJECT_NO_PROGRAM] = "no_program",
    [OBJECT_TOO_LARGE] = "too_large", [OBJECT_TOO_SLOW] = "too_slow",
    [OBJECT_KILLED] = "killed",       [OBJECT_FAILED] = "failed",
};

static const char *const reasons[OBJECT_OUTCOME_COUNT_] = {
    [OBJECT_READ] = "its reader gave no answer",
    [OBJECT_NO_PROGRAM] = "its reader gave no answer",
    [OBJECT_TOO_LARGE] = "it takes more memory than there is for it",
    [OBJECT_TOO_SLOW] = "it takes longer than there is time for it",
    [OBJECT_KILLED] = "its reader crashed, or did what it may not",
    [OBJECT_FAILED] = "there is no process, memory or descriptor for its reader",
};

const char *object_outcome_name(enum object_outcome outcome)
{
    return names[outcome];
}

const char *object_outcome_reason(enum object_outcome outcome)
{
    return reasons[outcome];
}
