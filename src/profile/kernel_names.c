/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/kernel_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

/* Addresses that are remembered. When there are more, all are asked for anew: 1 us each. */
#define MOST_ADDRESSES 16384

struct kernel_address {
    uint64_t address;
    uint32_t function;
    UT_hash_handle hh;
};

struct kernel_names {
    struct profile_program *program;
    struct profile_store *store;
    struct kernel_address *addresses;
    uint64_t generation;
};

struct kernel_names *kernel_names_new(struct profile_program *program, struct profile_store *store)
{
    struct kernel_names *names = calloc(1, sizeof(*names));

    if (names) {
        names->program = program;
        names->store = store;
    }
    return names;
}

static void forget_all(struct kernel_names *names)
{
    struct kernel_address *known, *next;

    HASH_ITER(hh, names->addresses, known, next) {
        HASH_DEL(names->addresses, known);
        free(known);
    }
}

struct kernel_names *kernel_names_free(struct kernel_names *names)
{
    if (!names)
        return NULL;
    forget_all(names);
    free(names);
    return NULL;
}

/* Copies what the kernel has named; it may hold what programs of BPF are called. */
static void copy_clean(const char *from, size_t n, char *to, size_t size)
{
    size_t i;

    for (i = 0; i < n && i + 1 < size; i++)
        to[i] = from[i] > ' ' && from[i] < 0x7f ? from[i] : '?';
    to[i] = '\0';
}

void kernel_symbol_split(const char *symbol, char *ret_name, size_t name_size, char *ret_owner,
                         size_t owner_size)
{
    const char *space = strchr(symbol, ' ');
    const size_t length = space ? (size_t)(space - symbol) : strlen(symbol);
    const char *plus = memchr(symbol, '+', length);
    char module[PROFILE_SYMBOL_SIZE];

    copy_clean(symbol, plus ? (size_t)(plus - symbol) : length, ret_name, name_size);
    if (space && space[1] == '[') /* a build id may stand behind its name */
        copy_clean(space + 2, strcspn(space + 2, " ]"), module, sizeof(module));
    else
        (void)snprintf(module, sizeof(module), "kernel");
    (void)snprintf(ret_owner, owner_size, "[%.*s]", (int)owner_size - 3, module);
}

static uint32_t ask(struct kernel_names *names, uint64_t address)
{
    char symbol[PROFILE_SYMBOL_SIZE], name[PROFILE_SYMBOL_SIZE], owner[64];

    if (profile_program_symbol(names->program, address, symbol) < 0)
        (void)snprintf(symbol, sizeof(symbol), "0x%" PRIx64, address);
    kernel_symbol_split(symbol, name, sizeof(name), owner, sizeof(owner));
    return profile_store_function(names->store, PROFILE_KERNEL, owner, name);
}

uint32_t kernel_names_function(struct kernel_names *names, uint64_t address)
{
    struct kernel_address *known;

    if (names->generation != profile_store_generation(names->store) ||
        HASH_COUNT(names->addresses) >= MOST_ADDRESSES)
        forget_all(names);
    names->generation = profile_store_generation(names->store);
    HASH_FIND(hh, names->addresses, &address, sizeof(address), known);
    if (known)
        return known->function;
    known = calloc(1, sizeof(*known));
    if (!known)
        return ask(names, address);
    known->address = address;
    known->function = ask(names, address);
    names->generation = profile_store_generation(names->store);
    HASH_ADD(hh, names->addresses, address, sizeof(known->address), known);
    if (!known->hh.tbl) {
        const uint32_t function = known->function;

        free(known);
        return function;
    }
    return known->function;
}
