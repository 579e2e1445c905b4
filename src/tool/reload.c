/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/command.h"
#include "tool/control_client.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = state->input;
    return command_take_word(key, argument, NULL, "");
}

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .parser = parse,
    .doc = "Have the running service read its configuration again: as a whole, or not at all.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

int run_reload(int argc, char **argv)
{
    struct control_client client = {0};

    command_parse(&argp, argc, argv, &client);
    return control_client_post(&client, "/-/reload");
}
