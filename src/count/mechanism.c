/* SPDX-License-Identifier: Apache-2.0 */
#include "count/mechanism.h"

struct mechanism *mechanism_free(struct mechanism *mechanism)
{
    return mechanism ? mechanism->free(mechanism) : NULL;
}

void mechanism_refresh(struct mechanism *mechanism)
{
    if (mechanism->refresh)
        mechanism->refresh(mechanism);
}
