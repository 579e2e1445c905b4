/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <stdio.h>

#include "config/config_error.h"
#include "service/flags.h"
#include "tool/command.h"
#include "tool/control_client.h"
#include "web/control.h"

int run_pause(const struct arguments *arguments)
{
    const char *duration = arguments->words[0];
    char target[64];
    uint64_t unused;

    if (control_parse_pause(duration, &unused) < 0) {
        (void)flags_refuse("pmutool", "expected " CONTROL_PAUSE_EXPECTED ", not %s",
                           SHOWN(duration));
        return EXIT_USAGE;
    }
    (void)snprintf(target, sizeof(target), "/-/pause?duration=%s", duration);
    return control_client_post(arguments->socket, target);
}
