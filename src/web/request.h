/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Which requests are not answered as asked, whatever their path. */

#include <microhttpd.h>

#include "web/answers.h"

/*
 * Looks at a request whose headers are complete. ANSWER_NONE where it is a plain GET
 * or HEAD, else the refusal: it must be queued at once, in the handler's first call,
 * so that libmicrohttpd reads nothing further from the connection.
 */
enum answer request_refusal(struct MHD_Connection *mhd, const char *method,
                            const char *http_version);
