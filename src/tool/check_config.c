/* SPDX-License-Identifier: Apache-2.0 */
#include "check/report.h"
#include "tool/command.h"

int run_check_config(const struct arguments *arguments)
{
    return check_report(arguments->words[0], false, "/sys");
}
