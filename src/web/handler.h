/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The handler of every request: finds the line of its path and method, and has it answered. */

#include <microhttpd.h>
#include <stddef.h>

/* libmicrohttpd calls it by MHD_OPTION_URI_LOG_CALLBACK; the context is the site. */
void *handler_on_target(void *context, const char *text, struct MHD_Connection *mhd);

/* libmicrohttpd calls it as MHD_AccessHandlerCallback; the context is the site. */
enum MHD_Result handler_on_request(void *context, struct MHD_Connection *mhd, const char *path,
                                   const char *method, const char *http_version, const char *upload,
                                   size_t *upload_length, void **request_context);

/* libmicrohttpd calls it as MHD_RequestCompletedCallback; the context is the site. */
void handler_on_completed(void *context, struct MHD_Connection *mhd, void **request_context,
                          enum MHD_RequestTerminationCode reason);
