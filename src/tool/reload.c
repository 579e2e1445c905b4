/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"
#include "tool/control_client.h"

int run_reload(const struct arguments *arguments)
{
    return control_client_post(arguments->socket, "/-/reload");
}
