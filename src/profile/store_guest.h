/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who keeps stacks of its own by the functions of the store. */

#include "profile/store.h"
#include "profile/trie.h"

/*
 * Has the store keep the functions of this trie, and give them new numbers where all get new ones.
 * It must live until another one is set. NULL: there is none. There is one at a time.
 */
void store_set_guest(struct profile_store *store, struct trie *guest);

/* The number of "(folded)". */
uint32_t store_folded_function(void);

/* What a function is called now. Borrowed until the store changes. */
const struct profile_function_name *store_function_name(const struct profile_store *store,
                                                        uint32_t function);
