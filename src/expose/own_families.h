/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Appends what the exporter tells of itself: the families pmu_exporter_* and process_*. */

#include "expose/page.h"

void own_families_append(struct page *page, const struct snapshot *snapshot,
                         const struct exposition_facts *facts);
