/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * A resolver on a machine that we do not have (support/machine_tree.h). To be included after
 * cmocka.h.
 */

#include <stdbool.h>

#include "base/cleanup.h"
#include "event/resolver.h"
#include "support/machine_tree.h"

static struct fixture_tree sysfs; /* of the machine that the test is on */
static struct event_resolver *resolver;

static inline void show_machine(const char *name)
{
    sysfs = machine_tree_open(name);
    assert_int_equal(event_resolver_new(sysfs.fd, &resolver), 0);
}

static inline int leave_machine(void **state)
{
    (void)state;
    resolver = event_resolver_free(resolver);
    fixture_tree_close(&sysfs);
    return 0;
}

#define ON(machine)                                                                                \
    static inline int on_##machine(void **state)                                                   \
    {                                                                                              \
        (void)state;                                                                               \
        show_machine(#machine);                                                                    \
        return 0;                                                                                  \
    }
ON(intel_server)
ON(hybrid_client)
ON(amd_server)
ON(arm_server)
ON(arm_big_little)

/* The numbers that perf_event_open(2) gets. */
struct numbers {
    const char *name;
    uint32_t type;
    uint64_t config, config1, config2;
};

static inline struct event *resolved(const char *name)
{
    struct event *event = NULL;

    assert_int_equal(event_resolve(resolver, name, &event), 0);
    return event;
}

static inline void check_numbers(const struct numbers *expected, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        AUTO(event) struct event *event = resolved(expected[i].name);

        if (event->absence != ABSENCE_NONE)
            fail_msg("%s: %s, %s", expected[i].name, absence_name(event->absence),
                     event->why ? event->why : "without a reason");
        if (event->code.type != expected[i].type || event->code.config != expected[i].config ||
            event->code.config1 != expected[i].config1 ||
            event->code.config2 != expected[i].config2)
            fail_msg("%s: type %u config %#llx config1 %#llx config2 %#llx", expected[i].name,
                     event->code.type, (unsigned long long)event->code.config,
                     (unsigned long long)event->code.config1,
                     (unsigned long long)event->code.config2);
    }
}

/* A test on that machine. */
#define TEST(name, machine) cmocka_unit_test_setup_teardown(name, on_##machine, leave_machine)
