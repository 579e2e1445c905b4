/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>

#include "config/config_error.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "web/control.h"

struct pause {
    const char *duration;
    struct control_client client;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    struct pause *pause = state->input;
    uint64_t unused;

    if (key == ARGP_KEY_INIT)
        state->child_inputs[0] = &pause->client;
    if (key == ARGP_KEY_ARG && !pause->duration && control_parse_pause(argument, &unused) < 0)
        command_refuse("expected " CONTROL_PAUSE_EXPECTED ", not %s", SHOWN(argument));
    return command_take_word(key, argument, &pause->duration, "pause DURATION|off");
}

static const struct argp_child children[] = {{.argp = &control_client_argp}, {0}};

static const struct argp argp = {
    .parser = parse,
    .args_doc = "DURATION|off",
    .doc = "Have the running service leave the hardware counters alone for a time from 1s to 7d, "
           "such as 10m; or, with off, count again. Software events are still counted.\v"
           "Exit status 0: done; 1: not, with the reason on stderr; 2: the command line is wrong.",
    .children = children,
};

int run_pause(int argc, char **argv)
{
    struct pause pause = {0};
    char target[64];

    command_parse(&argp, argc, argv, &pause);
    (void)snprintf(target, sizeof(target), "/-/pause?duration=%s", pause.duration);
    return control_client_post(&pause.client, target);
}
