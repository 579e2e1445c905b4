/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers that are kept have the headers of the protection under which they were used: when another
 * one is in force they are made anew. Those that are under way stay as they are.
 */
#include "web/site.h"

bool site_turn_gate(struct site *site)
{
    const unsigned news = gate_turn(&site->gate);

    if (news & GATE_PROTECTED) {
        answers_done(&site->answers);
        routing_forget_bodies(&site->routing);
        (void)answers_init(&site->answers);
    }
    return (news & GATE_RESUMED) != 0;
}
