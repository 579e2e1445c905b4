/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What a PMU says of itself in sysfs, in bus/event_source/devices/PMU: the directory `format` names
 * the fields of its codes, `events` has events with their codes. Units and scales of events are in
 * files beside them ("energy-pkg.unit").
 */

#include <stdbool.h>
#include <stddef.h>

#include "event/pmu_terms.h"

#define PMU_TEXT_SIZE 4097 /* sysfs writes at most a page */

#define PMU_EVENTS  "events"
#define PMU_FORMATS "format"

/*
 * Reads the one line of a file, without its newline. folder: PMU_EVENTS or PMU_FORMATS. 0; -ENOENT:
 * there is no such file; -EINVAL: it holds something else than one line of text; -errno.
 */
int pmu_file_read(int sysfs_fd, const char *pmu, const char *folder, const char *name,
                  char ret_text[PMU_TEXT_SIZE]);

struct pmu_file_visitor {
    /* 0: go on; anything else ends the visit, and is returned by it. */
    int (*visit)(void *object, const char *name);
    void *object;
};

/*
 * Shows the names of the fields or events of the PMU in no order; not the files that only say more
 * of an event, as its unit. 0, or what the visitor returned. A folder that cannot be read is empty.
 */
int pmu_files_visit(int sysfs_fd, const char *pmu, const char *folder,
                    const struct pmu_file_visitor *visitor);

/* Finds a name as the PMU spells it, whose upper and lower case may differ. False: it has none. */
bool pmu_file_find(int sysfs_fd, const char *pmu, const char *folder, const char *name,
                   char ret_name[PMU_WORD_SIZE]);
