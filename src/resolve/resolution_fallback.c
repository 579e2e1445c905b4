/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_fallback.h"

/* Why the kernel does not count one event for whatever runs on a CPU. */
static int ask(const struct resolution_machine *machine, const struct event *event,
               enum absence *ret_absence)
{
    const struct scope scope = {.kind = SCOPE_SYSTEM,
                                .cgroup_fd = -1,
                                .cpus = machine->online,
                                .hybrid = pmu_list_if_hybrid(machine->pmus)};
    const struct group_spec spec = {.name = "", .events = &event, .n_events = 1};
    AUTO(event_groups) struct event_groups *groups = NULL;
    int r = event_groups_new(SCOPE_SYSTEM, &spec, 1, &groups);

    if (r < 0)
        return r;
    if (event_groups_probe(groups, machine->perf, &scope, ret_absence) < 0)
        *ret_absence = ABSENCE_NO_DESCRIPTORS;
    return 0;
}

/* The nearest fallback that the kernel takes. NULL: it takes none. */
static int find_taken(const struct resolution_machine *machine, const struct event *event,
                      const struct event **ret_taken)
{
    *ret_taken = NULL;
    for (const struct event *next = event->fallback; next; next = next->fallback) {
        enum absence absence;
        int r = ask(machine, next, &absence);

        if (r < 0)
            return r;
        if (absence == ABSENCE_NONE) {
            *ret_taken = next;
            return 0;
        }
    }
    return 0;
}

static int fall_back(const struct resolution_machine *machine, struct event *event)
{
    const struct event *taken = NULL;
    enum absence absence;
    int r = ask(machine, event, &absence);

    if (r >= 0 && absence == ABSENCE_NOT_SUPPORTED)
        r = find_taken(machine, event, &taken);
    return r < 0 || !taken ? r : event_take_fallback(event, taken);
}

int resolution_fall_back(struct resolution *resolution, const struct resolution_machine *machine)
{
    int r = 0;

    for (size_t i = 0; i < resolution->n_events && machine->online->n > 0 && r >= 0; i++)
        if (resolution->events[i]->fallback)
            r = fall_back(machine, resolution->events[i]);
    return r;
}
