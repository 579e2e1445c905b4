/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What is shown, and where: the handler of every request. */

#include <microhttpd.h>

#include "web/answers.h"
#include "web/body.h"
#include "web/connections.h"
#include "web/control_routes.h"

struct site {
    char *telemetry_path;
    struct answers answers;
    struct body_store bodies;
    struct control_routes control;
    struct connection_table *connections;
};

/* Copies the path and the source; the table outlives the site. 0 or -ENOMEM. */
int site_init(struct site *site, const char *telemetry_path, const struct page_source *metrics,
              struct connection_table *connections);
void site_done(struct site *site);

/* For MHD_OPTION_URI_LOG_CALLBACK; the context is the site. */
void *site_on_target(void *context, const char *text, struct MHD_Connection *mhd);

/* MHD_AccessHandlerCallback; the context is the site. */
enum MHD_Result site_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                const char *method, const char *http_version, const char *upload,
                                size_t *upload_length, void **request_context);

/* MHD_RequestCompletedCallback; the context is the site. */
void site_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                       enum MHD_RequestTerminationCode reason);
