/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/store_guest.h"

#include "profile/store_parts.h"

void store_set_guest(struct profile_store *store, struct trie *guest)
{
    store->guest = guest;
}

uint32_t store_folded_function(void)
{
    return STORE_FOLDED_FUNCTION;
}

const struct profile_function_name *store_function_name(const struct profile_store *store,
                                                        uint32_t function)
{
    return &store->names.names[function < store->names.n ? function : STORE_FOLDED_FUNCTION];
}
