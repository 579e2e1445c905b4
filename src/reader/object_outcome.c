/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/object_reader.h"

static const char *const names[OBJECT_OUTCOME_COUNT_] = {
    [OBJECT_READ] = "read",           [OBJECT_NO_PROGRAM] = "no_program",
    [OBJECT_TOO_LARGE] = "too_large", [OBJECT_TOO_SLOW] = "too_slow",
    [OBJECT_KILLED] = "killed",       [OBJECT_FAILED] = "failed",
};

const char *object_outcome_name(enum object_outcome outcome)
{
    return names[outcome];
}
