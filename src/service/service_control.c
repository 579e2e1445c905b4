/* SPDX-License-Identifier: Apache-2.0 */

/*
 * What is asked through the control slot, carried out between two cycles in the
 * collector's thread. A pause is measured on CLOCK_BOOTTIME: ten minutes are over after
 * ten minutes of the user's, also where the machine slept meanwhile.
 */
#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>

#include "base/clock.h"
#include "log/log.h"
#include "service/service_state.h"

#define TIME_SIZE sizeof("2026-01-02T03:04:05Z")

static const char *time_text(uint64_t realtime_ns, char buffer[static TIME_SIZE])
{
    const time_t seconds = (time_t)(realtime_ns / NS_PER_SECOND);
    struct tm utc = {0};

    (void)gmtime_r(&seconds, &utc);
    buffer[0] = '\0';
    (void)strftime(buffer, TIME_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return buffer;
}

static void end_pause(struct service *service, const char *why)
{
    service->pause_end_ns = 0;
    collector_pause(service->collector, 0);
    log_info("hardware events are counted again", "why", why);
}

void service_check_pause(struct service *service)
{
    if (service->pause_end_ns > 0 && clock_boottime_ns() >= service->pause_end_ns)
        end_pause(service, "the pause is over");
}

static void pause_off(struct service *service, struct text *outcome)
{
    if (service->pause_end_ns == 0) {
        text_append_string(outcome, "there is no pause\n");
        return;
    }
    end_pause(service, "asked for");
    service_cycle_now(service);
    text_append_string(outcome, "hardware events are counted again\n");
}

static void pause_for(struct service *service, uint64_t duration_ns, struct text *outcome)
{
    const uint64_t end_realtime_ns = clock_realtime_ns() + duration_ns;
    char until[TIME_SIZE];

    service->pause_end_ns = clock_boottime_ns() + duration_ns;
    collector_pause(service->collector, end_realtime_ns);
    service_cycle_now(service);
    log_info("hardware events are not counted", "why", "a pause was asked for", "until",
             time_text(end_realtime_ns, until));
    text_append_format(outcome, "hardware events are not counted until %s\n", until);
}

static bool carry_out(struct service *service, const struct control_request *request,
                      struct text *outcome)
{
    if (request->action == CONTROL_RELOAD)
        return service_reload(service, outcome) >= 0;
    if (request->duration_ns == 0)
        pause_off(service, outcome);
    else
        pause_for(service, request->duration_ns, outcome);
    return true;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;
    struct control_request request;
    struct text outcome = {0};
    bool good;

    (void)source;
    (void)fd;
    (void)events;
    if (!control_slot_take(service->control, &request))
        return 0;
    good = carry_out(service, &request, &outcome);
    control_slot_answer(service->control, good, &outcome);
    return 0;
}

int service_open_control(struct service *service)
{
    int r = control_slot_new(&service->control);

    if (r >= 0)
        r = sd_event_add_io(service->event, &service->requests,
                            control_slot_request_fd(service->control), EPOLLIN, on_request,
                            service);
    return r < 0 ? service_fail(r, "cannot start", "part", "control") : 0;
}

void service_close_control(struct service *service)
{
    service->requests = sd_event_source_disable_unref(service->requests);
    service->control = control_slot_free(service->control);
}
