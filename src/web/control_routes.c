/* SPDX-License-Identifier: Apache-2.0 */
#include "web/control_routes.h"

#include "base/clock.h"
#include "web/reply.h"
#include "web/route.h"

bool control_routes_is_waiting(const struct control_routes *control,
                               const struct MHD_Connection *mhd)
{
    return control->waiting == mhd;
}

enum MHD_Result control_routes_answer(struct control_routes *control, const struct answers *answers,
                                      struct MHD_Connection *mhd, struct connection *connection)
{
    const unsigned status = control->good ? MHD_HTTP_OK : MHD_HTTP_INTERNAL_SERVER_ERROR;
    enum MHD_Result result;

    connection->awaits_us = false;
    if (control->answered)
        result = reply_queue_text(
            mhd, &(struct reply){.status = status, .content_type = CONTENT_PLAIN_TEXT},
            &control->text);
    else
        result = answers_queue(answers, ANSWER_CONTROL_LATE, false, mhd);
    control_routes_completed(control, mhd);
    return result;
}

enum MHD_Result control_routes_ask(struct control_routes *control, const struct answers *answers,
                                   struct MHD_Connection *mhd, struct connection *connection,
                                   const struct control_request *request)
{
    if (control->waiting || !control_slot_ask(control->slot, request))
        return answers_queue(answers, ANSWER_CONTROL_BUSY, false, mhd);
    control->waiting = mhd;
    control->deadline_ns = clock_monotonic_ns() + control->patience_ns;
    control->resumed = control->answered = false;
    connection->awaits_us = true;
    MHD_suspend_connection(mhd);
    return MHD_YES;
}

static void resume(struct control_routes *control)
{
    control->resumed = true;
    MHD_resume_connection(control->waiting);
}

bool control_routes_collect(struct control_routes *control)
{
    AUTO_TEXT struct text text = {0};
    bool good;

    if (!control_slot_collect(control->slot, &good, &text) || !control->waiting || control->resumed)
        return false;
    control->answered = true;
    control->good = good;
    control->text = text;
    text = (struct text){0};
    resume(control);
    return true;
}

bool control_routes_expire(struct control_routes *control, uint64_t now_ns)
{
    if (!control->waiting || control->resumed || now_ns < control->deadline_ns)
        return false;
    control_slot_abandon(control->slot);
    resume(control);
    return true;
}

void control_routes_completed(struct control_routes *control, const struct MHD_Connection *mhd)
{
    if (control->waiting != mhd)
        return;
    control->waiting = NULL;
    text_done(&control->text);
}

void control_routes_done(struct control_routes *control)
{
    if (control->waiting && !control->resumed) {
        control_slot_abandon(control->slot);
        resume(control);
    }
}
