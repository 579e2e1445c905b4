/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The names of a target as they are shared between threads: immutable, counted by reference. */

#include "base/reference.h"
#include "target/names.h"
#include "target/target_names.h"

struct known_names {
    struct reference reference;
    struct names names;
};

static inline const struct names *known_names_of(const struct known_names *known)
{
    static const struct names none = {{0}, false};

    return known ? &known->names : &none;
}
