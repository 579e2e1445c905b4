/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The functions of the kernel and its modules, as the kernel itself names an address. */

#include <stdint.h>

#include "profile/store.h"
#include "sys/bpf/profile/program.h"

struct kernel_names;

/* Both are borrowed. NULL: no memory. */
struct kernel_names *kernel_names_new(struct profile_program *program, struct profile_store *store);
struct kernel_names *kernel_names_free(struct kernel_names *names);
DEFINE_AUTO(kernel_names, struct kernel_names *, kernel_names_free)

/* The function that has an address. What the kernel has no name for is its address. */
uint32_t kernel_names_function(struct kernel_names *names, uint64_t address);

/*
 * Splits what printk's %pS tells ("name+0x12/0x34 [module]") into a name, without its offset, and
 * what owns it ("[module]", or "[kernel]"). Both are clean UTF-8, and cut where there is no room.
 */
void kernel_symbol_split(const char *symbol, char *ret_name, size_t name_size, char *ret_owner,
                         size_t owner_size);
