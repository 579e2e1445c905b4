/* SPDX-License-Identifier: Apache-2.0 */
#include "check/budget.h"
#include "check/uncore.h"

#include <stdio.h>
#include <string.h>

#include "tool/check_json.h"
#include "tool/file_argument.h"

static const struct argp argp = {
    .parser = file_argument_parse,
    .children = file_argument_children,
    .args_doc = "FILE",
    .doc = "Tell how many hardware counters of each CPU are free now, by counting with them, how "
           "many of them a configuration may take, which scopes take them, and which events are "
           "left out since they do not fit.\v"
           "Exit status 0: told; 2: the configuration is not valid, with the reason on stderr.",
};

static int print_json(void *object, const struct check_result *result)
{
    (void)object;
    return json_print(json_pack("{s:o, s:b, s:o, s:o}", "file", json_of_text(result->output->path),
                                "valid", 1, "budget", check_budget_to_json(result), "uncore",
                                check_uncore_to_json(result)));
}

static int print_text(void *object, const struct check_result *result)
{
    (void)object;
    if (result->undecided < 0)
        (void)printf("what the kernel lets us count cannot be asked: %s\n",
                     strerror(-result->undecided));
    else if (!result->share->is_wanted)
        (void)printf("no event that can be counted here takes a hardware counter\n");
    else
        check_print_budget(result->resolution, result->share);
    if (result->undecided >= 0)
        check_print_uncore(result->resolution, result->sysfs_fd);
    return 0;
}

int run_check_budget(int argc, char **argv)
{
    struct file_argument file = {0};
    struct check_request request = {.sysfs = "/sys"};

    command_parse(&argp, argc, argv, &file);
    request.path = file.path;
    request.finish = file.json ? print_json : print_text;
    request.fail = file.json ? file_argument_fail : NULL;
    return check_report(&request);
}
