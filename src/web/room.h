/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Who gives way where places run out. */

#include "web/connections.h"

/* An address that holds no more is not asked to give way before others that hold less. */
#define FEW_CONNECTIONS 4

/*
 * Of the control socket's connections, or of the network's, or, where that is NULL, of all
 * clients', the one that is missed least: first who is at rest, that is waits for a
 * request, or has not taken its answer for a long time, but who is being answered where
 * these are more than three quarters; of these, of the network and the address that hold
 * most; of these, who rests or is answered longest. NULL where none may be cut.
 */
struct connection *room_find(const struct connection_table *table, bool on_control,
                             const struct holder *network, uint64_t now_ns);
