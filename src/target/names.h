/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a target is called by the programs of the host: labels of pmu_cgroup_info, in this order.
 * Parsers put in what they find; the source that is asked first wins. Strangers choose many of
 * these names, so each becomes the value of a label as the name of a process does: clean UTF-8 as
 * it is, any other name percent-encoded behind `%/`. Of a longer one the first NAME_MAX_BYTES are
 * taken, and "…".
 */

#include <stdbool.h>
#include <stddef.h>

#include "target/identity.h"

#define NAME_MAX_BYTES 256

enum name_kind {
    NAME_POD,
    NAME_NAMESPACE,
    NAME_CONTAINER,
    NAME_IMAGE,
    NAME_RUNTIME,
    NAME_VM,
    NAME_VM_UUID,
    NAME_VM_DISPLAY_NAME,
    NAME_VM_FLAVOR,
    NAME_VM_PROJECT,
    NAME_VM_USER,
    NAME_SLURM_JOB,
    NAME_SLURM_STEP,
    NAME_SLURM_USER,
    NAME_NAME,
    NAME_GROUP,
    NAME_ROLE,
    NAMES_, /* how many there are */
};

/* The label of each. */
extern const char *const name_labels[NAMES_];

struct names {
    char *values[NAMES_]; /* NULL: not known */
    bool failed;          /* there was no memory for one */
};

void names_done(struct names *names);

static inline void cleanup_names(struct names *names)
{
    names_done(names);
}
#define AUTO_NAMES __attribute__((cleanup(cleanup_names)))

/* Adds a name of any bytes, unless it is empty or one of this kind is known already. */
void names_add(struct names *names, enum name_kind kind, const char *bytes, size_t n);
/* Likewise, a value that is clean already, as names_add() has made it. */
void names_add_clean(struct names *names, enum name_kind kind, const char *value, size_t n);
void names_add_string(struct names *names, enum name_kind kind, const char *string);

/* Adds what the other one knows and this one does not. */
void names_add_all(struct names *names, const struct names *others);

bool names_are_same(const struct names *a, const struct names *b);

/* Writes the labels of what is known. Returns how many there are. The values are borrowed. */
size_t names_to_labels(const struct names *names, struct label ret_labels[NAMES_]);
