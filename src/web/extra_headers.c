/* SPDX-License-Identifier: Apache-2.0 */
#include "web/extra_headers.h"

#include <string.h>

static enum MHD_Result replace(struct MHD_Response *response,
                               const struct protection_own_pair *header)
{
    const char *const there = MHD_get_response_header(response, header->name);

    if (there && strcmp(there, header->value) == 0)
        return MHD_YES;
    if (there)
        (void)MHD_del_response_header(response, header->name, there);
    return MHD_add_response_header(response, header->name, header->value);
}

enum MHD_Result extra_headers_add(struct MHD_Connection *mhd, struct MHD_Response *response)
{
    const union MHD_ConnectionInfo *const info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    const struct extra_headers *const extra = info ? info->socket_context : NULL;
    const struct protection *const protection =
        extra && extra->protection ? *extra->protection : NULL;

    for (size_t i = 0; protection && i < protection->n_headers; i++)
        if (replace(response, &protection->headers[i]) != MHD_YES)
            return MHD_NO;
    return MHD_YES;
}
