/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* What comes through the control slot is carried out between two cycles, in the main thread. */

#include "service/service_state.h"

/* Makes the control slot and puts it on the loop. Returns 0, or -errno, which is logged. */
int control_open(struct service *service);
void control_close(struct service *service);
