/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/profile/target.h"

#include <errno.h>
#include <string.h>

#include "base/parse.h"
#include "config/config_error.h"
#include "service/profile_arguments.h"
#include "tool/command.h"
#include "tool/safe_text.h"

#define RUN "run:"

bool profile_target_is_run(const char *target)
{
    return strncmp(target, RUN, strlen(RUN)) == 0;
}

void profile_target_demand(const char *target)
{
    AUTO_TEXT struct text why = {0}, safe = {0};
    uint64_t number;

    if (profile_target_is_run(target) &&
        (parse_u64(target + strlen(RUN), &number) < 0 || number == 0))
        command_refuse("%s is no run; expected run:NUMBER, as pmutool runs lists them",
                       SHOWN(target));
    if (profile_target_check(target, &why) != -EINVAL)
        return;
    safe_text_append(&safe, why.data, why.length);
    command_refuse("%.*s", (int)safe.length, safe.data ? safe.data : "");
}
