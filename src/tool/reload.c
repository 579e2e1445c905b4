/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"
#include "tool/control_client.h"

static const struct argp argp = {
    .parser = control_client_parse_alone,
    .doc = "Have the running service read its configuration again: as a whole, or not at all.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = control_client_alone,
};

int run_reload(int argc, char **argv)
{
    struct control_client client = {0};

    command_parse(&argp, argc, argv, &client);
    return control_client_post(&client, "/-/reload");
}
