/* SPDX-License-Identifier: Apache-2.0 */
#include "cycle/timed_calls.h"

#include "count/bpf/mechanism.h"
#include "cycle/collector_parts.h"
#include "log/log.h"
#include "resolve/mechanism_size.h"
#include "sys/system_call.h"

void collector_time_calls(struct collector *collector)
{
    const struct collector_setup *setup = &collector->setup;
    const struct config_system_calls *config = &setup->config->system_calls;
    const bool wanted = latency_wanted(setup->config) & LATENCY_KIND_SYSTEM_CALLS;
    struct timed_calls_status *status = &collector->timed_calls;
    struct syscalls_timing timing = {.one_in = config_one_in(config)};

    *status = (struct timed_calls_status){.one_in = timing.one_in};
    for (size_t i = 0; wanted && i < config->timed.n; i++) {
        const unsigned number = (unsigned)system_call_number(config->timed.words[i].text);

        timing.calls[number] = 1;
        status->calls[status->n++] = number;
    }
    if (setup->latency)
        status->reason = mechanism_bpf_time_calls(setup->latency, &timing);
    else
        status->reason = setup->latency_reason;
    if (status->n == 0)
        status->reason = NULL;
    if (status->reason)
        log_warning("system calls are not timed, although they are configured", "reason",
                    status->reason);
}
