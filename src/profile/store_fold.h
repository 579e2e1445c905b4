/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "profile/store_parts.h"

/*
 * Folds the rarest nodes of a tenant, so that its samples are at no more than `most` nodes. The
 * nodes stay in the trie until garbage is collected, and those named "(folded)" are added to it,
 * beyond its limit if need be. 0 or -ENOMEM; then some samples may be where they were.
 */
int store_fold_tenant(struct profile_store *store, const struct store_tenant *tenant, size_t most);
