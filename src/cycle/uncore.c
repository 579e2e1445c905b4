/* SPDX-License-Identifier: Apache-2.0 */

/*
 * They are found when a collector is made. When a CPU goes offline on which such a PMU is opened,
 * the kernel moves the PMU's counters, and its `cpumask`, to another CPU of the socket. What is
 * open then goes on, and is read a last time by the predecessor; its successor, which is made since
 * a CPU has gone, opens the PMU where the kernel now says.
 */
#include "cycle/uncore.h"

#include <errno.h>
#include <stdio.h>

#include "cycle/collector_parts.h"
#include "resolve/uncore.h"

size_t uncore_most_targets(const struct uncore *uncore)
{
    return uncore->n < UNCORE_TARGETS_MAX ? uncore->n : UNCORE_TARGETS_MAX;
}

/* Adds the target that these places of one socket are. 0 or -ENOMEM. */
static int add_target(struct uncore *uncore, size_t class_index, const struct uncore_place *places,
                      size_t n)
{
    struct uncore_target *targets = reallocarray(uncore->targets, uncore->n + 1, sizeof(*targets));
    struct uncore_target target = {.class_index = class_index, .socket = places[0].socket};

    if (!targets)
        return -ENOMEM;
    uncore->targets = targets;
    target.cpus = malloc(sizeof(*target.cpus) + n * sizeof(target.cpus->cpus[0]));
    target.types = calloc(n, sizeof(*target.types));
    targets[uncore->n++] = target;
    if (!target.cpus || !target.types)
        return -ENOMEM;
    target.cpus->n = n;
    for (size_t i = 0; i < n; i++) {
        target.cpus->cpus[i] = places[i].cpu;
        target.types[i] = places[i].type;
    }
    return 0;
}

static int find_of_class(struct collector *collector, size_t class_index)
{
    const char *pmu = collector->resolution->classes[class_index].pmu;
    AUTO_FREE struct uncore_places *places = NULL;
    int r = uncore_places_read(collector->setup.sysfs_fd, collector->cpus.pmus, pmu, &places);

    for (size_t first = 0, next = 0; r >= 0 && first < places->n; first = next) {
        while (next < places->n && places->places[next].socket == places->places[first].socket)
            next++;
        r = add_target(&collector->uncore, class_index, &places->places[first], next - first);
    }
    return r;
}

int collector_find_uncore(struct collector *collector)
{
    const struct resolution *resolution = collector->resolution;
    int r = 0;

    for (size_t i = resolution->first_uncore; i < resolution->n_classes && r >= 0; i++)
        r = find_of_class(collector, i);
    return r;
}

/* Enters one. Where no room can be made for it, it is entered without an account. */
static int enter(struct collector *collector, const struct uncore_target *target)
{
    AUTO(identity) struct identity *identity = NULL;
    struct entry *entry;
    char socket[16] = "";
    int r;

    if (target->socket >= 0)
        (void)snprintf(socket, sizeof(socket), "%d", target->socket);
    identity = identity_new(
        (struct label[]){{"pmu", collector->resolution->classes[target->class_index].pmu},
                         {"socket", socket}},
        2, NULL, 0);
    if (!identity)
        return -ENOMEM;
    r = ledger_add(&collector->ledger, target->class_index, NULL, identity, 0, &entry);
    if (r < 0)
        return r;
    TAKE(identity);
    entry->cpus = target->cpus;
    entry->uncore = target;
    return 0;
}

int collector_enter_uncore(struct collector *collector)
{
    int r = 0;

    for (size_t i = 0; i < collector->uncore.n && r >= 0; i++)
        r = enter(collector, &collector->uncore.targets[i]);
    return r;
}

size_t collector_uncore_descriptors(const struct collector *collector)
{
    const struct resolution *resolution = collector->resolution;
    size_t n = 0;

    for (size_t i = 0; i < collector->uncore.n; i++) {
        const struct uncore_target *target = &collector->uncore.targets[i];

        n += target->cpus->n * resolution->classes[target->class_index].groups->n_opened;
    }
    return n;
}

void uncore_done(struct uncore *uncore)
{
    for (size_t i = 0; i < uncore->n; i++) {
        (void)cpu_list_free(uncore->targets[i].cpus);
        free(uncore->targets[i].types);
    }
    free(uncore->targets);
    *uncore = (struct uncore){0};
}
