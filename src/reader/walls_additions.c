/* SPDX-License-Identifier: Apache-2.0 */
#include "reader/walls_additions.h"

const int wall_additions[] = {-1};
const size_t n_wall_additions = 0;
const bool walls_limit_addresses = true;
const bool walls_keep_errors = false;
