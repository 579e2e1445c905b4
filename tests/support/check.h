/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* cmocka wants these first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
