/* SPDX-License-Identifier: Apache-2.0 */
#include "check/system_calls.h"

#include "count/latency.h"
#include "resolve/mechanism_size.h"
#include "sys/system_call.h"

void check_print_system_calls(struct check_output *output, const struct config *config)
{
    const struct config_words *timed = &config->system_calls.timed;

    for (size_t i = 0; i < timed->n; i++) {
        const char *name = timed->words[i].text;

        check_say(output, "system call %s: timed, %s%s\n", name,
                  system_call_class((unsigned)system_call_number(name)),
                  config->system_calls.one_in == CONFIG_ONE_IN_17 ? ", one in 17" : "");
    }
    if (timed->n > 0 && !(latency_wanted(config) & LATENCY_KIND_SYSTEM_CALLS))
        check_note(output, timed->words[0].place, "note",
                   "no rule shows system calls; expected latency: [system_calls] where they are "
                   "wanted");
}
