/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Units as PMUs write them in sysfs, and as names of metrics have them: in base units, lower case
 * and plural. What is no base unit is counted in it, by another scale: MiB become bytes.
 */

#include <stdbool.h>

#define PMU_UNIT_SIZE 32 /* with its NUL */

struct pmu_unit {
    char word[PMU_UNIT_SIZE]; /* "joules"; empty: the PMU gives none */
    double scale;             /* how many of it a raw count of 1 is */
};

/*
 * unit, scale: the texts of the event's files; NULL where it has none. Returns whether they can be
 * understood: a unit is one word, and a scale a number above 0.
 */
bool pmu_unit_parse(const char *unit, const char *scale, struct pmu_unit *ret_unit);
