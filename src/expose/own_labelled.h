/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Appends the families about the exporter whose samples have labels. */

#include "expose/page.h"

void own_labelled_append(struct page *page, const struct snapshot *snapshot,
                         const struct exposition_facts *facts);
