/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A tree as bytes that stand by themselves, for who keeps it. They are read again by later versions
 * and may be damaged meanwhile.
 */

#include "base/text.h"
#include "profile/tree.h"

/* Appends the bytes. 0 or -ENOMEM. */
int profile_tree_pack(const struct profile_tree *tree, struct text *bytes);

/* 0; -EBADMSG: they are no such bytes, or damaged; -ENOMEM. */
int profile_tree_unpack(const void *bytes, size_t n, struct profile_tree **ret_tree);
