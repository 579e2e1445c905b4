/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Decides what a configuration comes to on a machine of the test's own: it has one CPU, a PMU of
 * six counters, and a tree of directories for cgroups.
 */
#include "support/capture.h"

#include <string.h>
#include <unistd.h>

#include "config/config_cgroups.h"
#include "resolve/resolution_decide.h"
#include "support/fake_perf.h"
#include "support/fixture_tree.h"

#define CORE   "groups: [{name: core, events: [cycles, instructions, branches]}]\n"
#define SYSTEM "  system: {groups: [core]}\n"
#define CGROUPS                                                                                    \
    "  cgroups: [{include: [\"/**\"], groups: [core]}, {include: [/x], groups: [core]}]\n"
#define PROCESSES "  processes: [{comm: [x], groups: [core]}]\n"

struct decision_fixture {
    struct fixture_tree sysfs, cgroups;
    struct fake_perf perf;
    struct event_resolver *resolver;
    struct cpu_list *online;
    struct resolution_machine machine; /* a test changes it before it decides */
    /* What the last decision was made of, and what came of it. */
    struct config *config;
    struct cgroup_rules *rules;
    struct resolution *resolution;
    struct pmu_share share;
    struct capture capture;
};

static inline void forget(struct decision_fixture *f)
{
    f->resolution = resolution_free(f->resolution);
    f->rules = cgroup_rules_free(f->rules);
    f->config = config_free(f->config);
}

static inline int set_up(void **state)
{
    struct decision_fixture *f = calloc(1, sizeof(*f));

    f->sysfs = fixture_tree_open();
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/cpu/type", "4\n");
    fixture_tree_write(&f->sysfs, "bus/event_source/devices/software/type", "1\n");
    fixture_tree_write(&f->sysfs, "devices/system/cpu/online", "0\n");
    f->cgroups = fixture_tree_open();
    fake_perf_init(&f->perf);
    f->perf.counters = 6;
    assert_int_equal(event_resolver_new(f->sysfs.fd, &f->resolver), 0);
    assert_int_equal(cpu_list_read_online(f->sysfs.fd, &f->online), 0);
    f->machine = (struct resolution_machine){.perf = &f->perf.ops,
                                             .online = f->online,
                                             .system_cpus = f->online,
                                             .cgroup_root_fd = f->cgroups.fd,
                                             .self = getpid(),
                                             .inherits_threads = true};
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    struct decision_fixture *f = *state;

    assert_int_equal(f->perf.n_open, 0);
    forget(f);
    (void)cpu_list_free(f->online);
    (void)event_resolver_free(f->resolver);
    fixture_tree_close(&f->sysfs);
    fixture_tree_close(&f->cgroups);
    free(f);
    return 0;
}

/* Lays a configuration out, and does not decide yet. */
static inline void resolve(struct decision_fixture *f, const char *yaml)
{
    struct config_error error;

    forget(f);
    if (config_parse(yaml, strlen(yaml), &f->config, &error) < 0)
        fail_msg("%s", error.message);
    assert_int_equal(config_cgroups_make(f->config, &f->rules), 0);
    f->machine.cgroup_rules = f->config->n_cgroups ? f->rules : NULL;
    assert_int_equal(resolution_new(f->config, f->resolver, &f->resolution), 0);
}

/* Decides what a configuration comes to. */
static inline void decide(struct decision_fixture *f, const char *yaml)
{
    static const struct resolution_predecessor none;

    resolve(f, yaml);
    assert_int_equal(resolution_decide(f->resolution, &f->machine, &none, &f->share), 0);
}

/* Returns what `print` writes to standard output of the last decision. */
static inline const char *printed(struct decision_fixture *f,
                                  void print(const struct decision_fixture *f))
{
    capture_begin(&f->capture, STDOUT_FILENO);
    print(f);
    return capture_end(&f->capture);
}

/* As perf.refuse_open it is a kernel that permits nothing. */
static inline int refuse_all(struct fake_perf *perf, const struct perf_event_attr *attr, int cpu,
                             int group_fd)
{
    (void)perf;
    (void)attr;
    (void)cpu;
    (void)group_fd;
    return -EACCES;
}

#define DECISION_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
