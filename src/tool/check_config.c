/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report.h"
#include "tool/command.h"

static error_t parse(int key, char *argument, struct argp_state *state)
{
    return command_take_word(key, argument, state->input, "check config FILE");
}

static const struct argp argp = {
    .parser = parse,
    .args_doc = "FILE",
    .doc = "Check a configuration of pmu_exporter, and say what it would count here.\v"
           "Exit status 0: valid; 2: not valid, with FILE:LINE:COLUMN and the reason on stderr.",
};

int run_check_config(int argc, char **argv)
{
    const char *path = NULL;

    command_parse(&argp, argc, argv, &path);
    return check_report(path, false, "/sys");
}
