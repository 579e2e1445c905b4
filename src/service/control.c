/* SPDX-License-Identifier: Apache-2.0 */
#include "service/control.h"

#include <sys/epoll.h>

#include "service/fail.h"
#include "service/service_state.h"

static bool carry_out_pause(struct service *service, const struct control_request *request,
                            struct text *outcome)
{
    struct collector *collector = service->counting.collector;

    if (request->duration_ns > 0)
        pause_begin(&service->pause, collector, request->duration_ns, outcome);
    else if (!pause_end(&service->pause, collector, outcome))
        return true;
    service_cycle_now(service);
    return true;
}

static int on_request(sd_event_source *source, int fd, uint32_t events, void *context)
{
    struct service *service = context;
    struct control_request request;
    struct text outcome = {0};
    bool good;

    (void)source, (void)fd, (void)events;
    if (!control_slot_take(service->control, &request))
        return 0;
    if (request.action == CONTROL_RELOAD) {
        reload_ask(service, true); /* which answers */
        return 0;
    }
    good = carry_out_pause(service, &request, &outcome);
    control_slot_answer(service->control, good, &outcome);
    return 0;
}

int control_open(struct service *service)
{
    int r = control_slot_new(&service->control);

    if (r >= 0)
        r = sd_event_add_io(service->event, &service->requests,
                            control_slot_request_fd(service->control), EPOLLIN, on_request,
                            service);
    return r < 0 ? fail(r, "cannot start", "part", "control") : 0;
}

void control_close(struct service *service)
{
    service->requests = sd_event_source_disable_unref(service->requests);
    service->control = control_slot_free(service->control);
}
