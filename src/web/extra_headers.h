/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The headers that the web configuration adds to every answer. */

#include <microhttpd.h>

#include "web/protection_parts.h"

/* The context of each connection (MHD_CONNECTION_INFO_SOCKET_CONTEXT) begins with this. */
struct extra_headers {
    struct protection *const *protection; /* where that which is in force stands; NULL: nowhere */
};

/*
 * Adds the headers to a response, which may have been used before; one that the configuration has
 * takes the place of one of the same name. Returns MHD_NO if memory ran out.
 */
enum MHD_Result extra_headers_add(struct MHD_Connection *mhd, struct MHD_Response *response);
