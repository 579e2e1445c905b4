/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "service/service_state.h"

/*
 * Reads the configuration again and has a successor of the collector count by it: whole or not at
 * all. Sends that to the service manager, shows it on /metrics, logs what goes wrong, and writes
 * the outcome as a line for people. Returns 0, or -errno: the configuration before goes on.
 */
int reload(struct service *service, struct text *outcome);
