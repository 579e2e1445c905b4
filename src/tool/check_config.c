/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "tool/check_json.h"
#include "tool/file_argument.h"

static const struct argp argp = {
    .parser = file_argument_parse,
    .children = file_argument_children,
    .args_doc = "FILE",
    .doc = "Check a configuration of pmu_exporter, and say what it would count here.\v"
           "Exit status 0: valid; 2: not valid, with FILE:LINE:COLUMN and the reason on stderr.",
};

static int print_json(void *object, const struct check_result *result)
{
    (void)object;
    return json_print(check_result_to_json(result));
}

int run_check_config(int argc, char **argv)
{
    struct file_argument file = {0};
    struct check_request request = {.sysfs = "/sys"};

    command_parse(&argp, argc, argv, &file);
    request.path = file.path;
    request.prints = !file.json;
    if (file.json) {
        request.finish = print_json;
        request.fail = file_argument_fail;
    }
    return check_report(&request);
}
