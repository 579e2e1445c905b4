/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "resolve/resolution.h"

/*
 * Makes the plan of each class, and the catalogue of all plans, for what the classes count now.
 * Called once, when that is decided. 0 or -ENOMEM.
 */
int resolution_make_catalogue(struct resolution *resolution);
