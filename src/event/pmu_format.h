/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The fields of a PMU's event codes. Each file of a PMU's directory `format` in sysfs names one:
 * "config:0-7,32-35" says that the lowest eight bits of a value go to the bits 0 to 7 of config,
 * and the next four to the bits 32 to 35.
 */

#include "event/event.h"

/* Which number of struct perf_event_attr a field is in. */
enum code_number { CODE_CONFIG, CODE_CONFIG1, CODE_CONFIG2, CODE_CONFIG3, CODE_NUMBER_COUNT_ };

struct pmu_format {
    enum code_number number;
    uint64_t bits; /* the bits of it that the field has; the lowest takes the value's lowest bit */
};

/*
 * Finds the number that a text begins with: "config1" of "config1:0-15". Returns how long the word
 * is; 0: it is none of them.
 */
size_t code_number_parse(const char *text, enum code_number *ret_number);

/* "config1". Static. */
const char *code_number_name(enum code_number number);

/* Where the event has this number. NULL: it has no place for it (config3). */
uint64_t *code_number_of(struct event_code *code, enum code_number number);

/* Reads the text of a format file, without its newline. 0; -EINVAL: it is none. */
int pmu_format_parse(const char *text, struct pmu_format *ret_format);

/* The largest value that the field takes. */
uint64_t pmu_format_maximum(const struct pmu_format *format);

/* The value's bits at the places of the field. value: at most pmu_format_maximum(). */
uint64_t pmu_format_spread(const struct pmu_format *format, uint64_t value);
