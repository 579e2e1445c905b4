/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which connection gives way when places run out. */

#include "web/connections.h"

/* An address with no more connections than this does not give way before others with fewer. */
#define FEW_CONNECTIONS 4

/*
 * Finds the connection that is missed least, among those of the control socket, or of a network,
 * or, if that is NULL, of all clients. Returns NULL if none may be cut. It is taken
 *
 *   1. from those at rest, which wait for a request or have not taken their answer for a long time;
 *      but from those that are being answered if these are more than three quarters of all;
 *   2. among these, from the network, and then from the address, that has most connections;
 *   3. among these, it is the one that has been at rest or answered longest.
 */
struct connection *room_find(const struct connection_table *table, bool on_control,
                             const struct holder *network, uint64_t now_ns);
