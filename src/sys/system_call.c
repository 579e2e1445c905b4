/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/system_call.h"

#include <asm/unistd.h>
#include <stddef.h>

#include "base/cleanup.h"

/* Made of the kernel's headers (system_calls.cmake): [__NR_openat] = "openat", … */
static const char *const names[] = {
#include <system_call_names.inc>
};

const char *system_call_name(unsigned number)
{
    return number < ARRAY_SIZE(names) ? names[number] : NULL;
}
