/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What the files of the ledger share among themselves. */

#include "cycle/ledger.h"

/* The labels of the target, borrowed. */
struct identity *entry_identity(const struct entry *entry);

/* Ends an entry and frees it, with its account and its counters. */
void ledger_remove(struct ledger *ledger, struct entry *entry);
