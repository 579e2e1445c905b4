/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * For a test that asks for too much memory: AddressSanitizer refuses it as malloc() does, by NULL,
 * where it would otherwise end the program. Its run-time library calls this function if there is
 * one.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}
