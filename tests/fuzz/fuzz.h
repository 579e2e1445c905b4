/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A fuzz target is one function. Built with -DFUZZ=ON (clang) it is driven by
 * libFuzzer; else by replay.c, which gives it every file of its corpus, at each
 * run of the tests.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* As assert(), in every kind of build. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);          \
            abort();                                                                               \
        }                                                                                          \
    } while (0)
