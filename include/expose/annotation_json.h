/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Writes the annotation of a function as JSON, as columns (expose/profile_json.h). Addresses are
 * those of the file (p_vaddr), as text, since they may be beyond what a number of JSON holds.
 */

#include "base/text.h"
#include "profile/annotation.h"

/*
 * {"from", "to", "rate", "all" (samples of the target), "kind", "owner", "name",
 *  "samples" (of the function itself), "placed" (of those, at an instruction that is listed),
 *  "elsewhere" (in other functions of that name),
 *  "instructions": {"address", "samples", "share", "sigma", "text", "file" (-1: not known),
 *                   "line" (0: not known)},
 *  "files": [paths of source files]}
 *
 * "share" is of the samples that are placed, and "sigma" its standard deviation. Appends to a text.
 * 0 or -ENOMEM.
 */
int annotation_json_write(const struct profile_places *places, const struct annotation *annotation,
                          struct text *text);
