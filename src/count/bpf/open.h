/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "count/bpf/cells.h"

/* Opens what is closed of a set, as far as it can be (struct mechanism, open). */
void bpf_open_set(struct bpf *bpf, struct counter_set *set);
