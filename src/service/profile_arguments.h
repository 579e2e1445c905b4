/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What requests about profiles say: whose, of which time, in which form. */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "profile/difference.h"
#include "profile/store.h"
#include "web/query.h"

/* The forms in which a profile can be had. */
enum profile_form {
    PROFILE_FORM_JSON,
    PROFILE_FORM_COLLAPSED,
    PROFILE_FORM_SPEEDSCOPE,
    PROFILE_FORM_PPROF,
    PROFILE_FORM_COUNT_,
};

/* The part of a profile that is shown. */
enum profile_part_of { PROFILE_ALL, PROFILE_CALLERS, PROFILE_CALLEES };

/* A target and a range. */
struct profile_choice {
    char *name;  /* of the target, as it was given: "cgroup:/a"; NULL: all targets apart */
    char *label; /* of it; of the machine "" */
    enum profile_scope scope;
    uint64_t run; /* the number of a run, which has a range of its own; 0: it is none */
    uint64_t start_ns, end_ns;
};

struct profile_arguments {
    struct profile_choice choice, before; /* before: of differences only */
    enum profile_form form;
    enum profile_part_of part;
    char *owner, *function; /* of callers, callees and annotations */
    bool is_inverted;
    enum difference_measure measure;
    uint64_t nodes, rows; /* the most of each */
};

void profile_arguments_free(void *object);

/* Whether a target has this name; it need not be there. 0; -EINVAL, with words, or -ENOMEM. */
int profile_target_check(const char *name, struct text *text);

/* A choice as a range of the store, which borrows from it. */
struct profile_range profile_choice_range(const struct profile_choice *choice);

/*
 * Whether a run is asked about. Then the label is that of the machine, and a difference is one of
 * two runs.
 */
static inline bool profile_arguments_are_of_run(const struct profile_arguments *arguments)
{
    return arguments->choice.run > 0;
}

/*
 * Reads the arguments of a profile: ?target=, ?start=, ?end=, ?format=, ?nodes=, ?rows=, ?of=,
 * ?owner=, ?name=, ?inverted=. On failure -EINVAL, with words, or -ENOMEM.
 */
int profile_arguments_read(const struct query *query, struct text *text,
                           struct profile_arguments **ret_arguments);

/* Those of samples over time: ?target=, ?start=, ?end=. */
int profile_arguments_read_seconds(const struct query *query, struct text *text,
                                   struct profile_arguments **ret_arguments);

/* Those of an annotation: ?target=, ?start=, ?end=, ?name= of the function, and ?owner= of it. */
int profile_arguments_read_annotation(const struct query *query, struct text *text,
                                      struct profile_arguments **ret_arguments);

/* Those of a difference: also ?before_start=, ?before_end=, ?before_target=, ?measure=. */
int profile_arguments_read_difference(const struct query *query, struct text *text,
                                      struct profile_arguments **ret_arguments);

/*
 * Those of /debug/pprof/profile, which other programs ask: ?seconds= up to now, ?cgroup= or
 * ?groupname=.
 */
int profile_arguments_read_pprof(const struct query *query, struct text *text,
                                 struct profile_arguments **ret_arguments);
