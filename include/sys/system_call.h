/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * The name of a system call, by its number on the architecture that this is built for: "openat".
 * NULL: the kernel's headers, with which this was built, have none of that number. Static.
 */
const char *system_call_name(unsigned number);
