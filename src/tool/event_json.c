/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/event_json.h"

#include "resolve/absence_advice.h"

json_t *event_trial_to_json(const struct event_trial *trial)
{
    if (trial->absence != ABSENCE_NONE)
        return json_pack("{s:b, s:s, s:s}", "counted", 0, "absence", absence_name(trial->absence),
                         "advice", absence_advice(trial->absence));
    return json_pack("{s:b, s:s}", "counted", 1, "scope", scope_kind_name(trial->scope));
}
