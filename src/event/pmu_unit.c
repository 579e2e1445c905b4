/* SPDX-License-Identifier: Apache-2.0 */
#include "event/pmu_unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/* Upper and lower case matter: "MB" and "mb" would be different things. */
static const struct {
    const char *written;
    const char *word;
    double factor;
} units[] = {
    {"Joules", "joules", 1},   {"J", "joules", 1},       {"mJ", "joules", 1e-3},
    {"uJ", "joules", 1e-6},    {"nJ", "joules", 1e-9},   {"Bytes", "bytes", 1},
    {"bytes", "bytes", 1},     {"B", "bytes", 1},        {"KiB", "bytes", 0x1p10},
    {"MiB", "bytes", 0x1p20},  {"GiB", "bytes", 0x1p30}, {"KB", "bytes", 1e3},
    {"kB", "bytes", 1e3},      {"MB", "bytes", 1e6},     {"GB", "bytes", 1e9},
    {"seconds", "seconds", 1}, {"s", "seconds", 1},      {"ms", "seconds", 1e-3},
    {"us", "seconds", 1e-6},   {"ns", "seconds", 1e-9},
};

/* A unit that is in no table keeps its name, in the letters that names of metrics have. */
static bool take_unknown(const char *unit, struct pmu_unit *ret_unit)
{
    const size_t length = strlen(unit);

    if (length == 0 || length >= PMU_UNIT_SIZE || strspn(unit, LETTERS) != length)
        return false;
    for (size_t i = 0; i <= length; i++)
        ret_unit->word[i] = (char)(unit[i] ? unit[i] | 0x20 : '\0');
    return true;
}

static bool take_unit(const char *unit, struct pmu_unit *ret_unit)
{
    for (size_t i = 0; i < ARRAY_SIZE(units); i++)
        if (strcmp(units[i].written, unit) == 0) {
            memcpy(ret_unit->word, units[i].word, strlen(units[i].word) + 1);
            ret_unit->scale = units[i].factor;
            return true;
        }
    return take_unknown(unit, ret_unit);
}

static bool parse_scale(const char *text, double *ret_scale)
{
    char *end;
    const double scale = strtod(text, &end);

    if (end == text || *end || strspn(text, "0123456789.eE+-") != strlen(text) ||
        !isfinite(scale) || scale <= 0)
        return false;
    *ret_scale = scale;
    return true;
}

/*
 * Some scales are rounded in the kernel's text: 3.814697266e-6 MiB are meant to be 4 bytes. What is
 * a whole number up to the ninth digit is taken for one.
 */
static double without_rounding(double scale)
{
    const double whole = rint(scale);

    return whole >= 1 && fabs(scale - whole) <= whole * 1e-9 ? whole : scale;
}

bool pmu_unit_parse(const char *unit, const char *scale, struct pmu_unit *ret_unit)
{
    struct pmu_unit parsed = {.scale = 1};
    double factor = 1;

    if ((unit && !take_unit(unit, &parsed)) || (scale && !parse_scale(scale, &factor)))
        return false;
    parsed.scale = without_rounding(parsed.scale * factor);
    *ret_unit = parsed;
    return isfinite(parsed.scale) && parsed.scale > 0;
}
