/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* The cycle, over a tree of ordinary directories and a kernel of the test's own. */
#include "support/check.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cycle/collector.h"
#include "support/fake_perf.h"
#include "support/fixture_tree.h"

#define PAGE_FAULTS PERF_COUNT_SW_PAGE_FAULTS

struct fixture {
    struct fixture_tree tree; /* it stands for the mount of cgroups */
    int root_fd, sysfs_fd;
    int procfs_fd;      /* -1: the test has no processes */
    size_t descriptors; /* that a collector is given when it is made */
    struct fake_perf perf;
    struct config *config;
    struct event_resolver *resolver;
    struct snapshot_slot *slot;
    struct mechanism *mechanism;
    struct profile_targets *profiles;           /* NULL: nobody samples */
    struct profile_status_slot *profile_status; /* likewise */
    struct collector *collector;
    struct snapshot *snapshot;
};

static const char lingering[] = "linger: 60s\n"
                                "groups: [{name: software, events: [page-faults]}]\n"
                                "targets: {cgroups: [{include: [\"/*\"], groups: [software]}]}\n";

static inline int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof(*f));

    f->tree = fixture_tree_open_in("/dev/shm");
    f->root_fd = f->tree.fd;
    f->sysfs_fd = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    f->procfs_fd = -1;
    f->descriptors = 200;
    fake_perf_init(&f->perf);
    assert_int_equal(event_resolver_new(f->sysfs_fd, &f->resolver), 0);
    f->slot = snapshot_slot_new();
    f->mechanism = mechanism_direct_new(&f->perf.ops);
    *state = f;
    return 0;
}

/* The machine is that of a tree that stands for sysfs, which the caller closes. */
static inline void use_machine(struct fixture *f, const struct fixture_tree *sysfs)
{
    (void)close(f->sysfs_fd);
    (void)event_resolver_free(f->resolver);
    f->sysfs_fd = dup(sysfs->fd);
    assert_int_equal(event_resolver_new(f->sysfs_fd, &f->resolver), 0);
}

static inline int tear_down(void **state)
{
    struct fixture *f = *state;

    (void)snapshot_unref(f->snapshot);
    (void)collector_free(f->collector);
    assert_int_equal(f->perf.n_open, 0);
    (void)mechanism_free(f->mechanism);
    (void)snapshot_slot_free(f->slot);
    (void)event_resolver_free(f->resolver);
    (void)config_free(f->config);
    (void)close(f->sysfs_fd);
    fixture_tree_close(&f->tree);
    free(f);
    return 0;
}

static inline void keep_all_cpus(struct mechanism *mechanism, const struct cpu_list *cpus)
{
    (void)mechanism;
    (void)cpus;
}

/* Makes a mechanism that stands for a program: what it has open, no other one takes over. */
static inline struct mechanism *program_new(struct fixture *f)
{
    struct mechanism *program = mechanism_direct_new(&f->perf.ops);

    program->keep_cpus = keep_all_cpus;
    return program;
}

static inline struct config *parse(const char *yaml)
{
    struct config *config = NULL;
    struct config_error error;

    if (config_parse(yaml, strlen(yaml), &config, &error) < 0)
        fail_msg("%s", error.message);
    return config;
}

static inline struct collector_setup make_setup(struct fixture *f, const struct config *config)
{
    return (struct collector_setup){.config = config,
                                    .resolver = f->resolver,
                                    .perf = &f->perf.ops,
                                    .direct = f->mechanism,
                                    .mechanism_reason = "",
                                    .sysfs_fd = f->sysfs_fd,
                                    .procfs_fd = f->procfs_fd,
                                    .cgroup_root_fd = f->root_fd,
                                    .descriptors = f->descriptors,
                                    .profiles = f->profiles,
                                    .profile_status = f->profile_status,
                                    .slot = f->slot};
}

static inline void start(struct fixture *f, const char *yaml)
{
    struct collector_setup setup;

    f->config = parse(yaml);
    setup = make_setup(f, f->config);
    assert_int_equal(collector_new(&setup, NULL, &f->collector), 0);
}

/*
 * Does what a reload does: a successor takes over, with the configuration of its setup. -errno: it
 * could not be made, and the collector goes on; the configuration is freed.
 */
static inline int try_successor(struct fixture *f, const struct collector_setup *setup,
                                struct config *config)
{
    struct collector *successor;
    int r = collector_new(setup, f->collector, &successor);

    if (r < 0) {
        (void)config_free(config);
        return r;
    }
    (void)collector_free(f->collector);
    (void)config_free(f->config);
    f->collector = successor;
    f->config = config;
    return 0;
}

static inline void start_successor(struct fixture *f, const char *yaml)
{
    struct config *config = parse(yaml);
    struct collector_setup setup = make_setup(f, config);

    assert_int_equal(try_successor(f, &setup, config), 0);
}

static inline void make(struct fixture *f, const char *name)
{
    assert_int_equal(mkdirat(f->root_fd, name, 0755), 0);
}

/* Writes the CPU time that a cgroup has used until now. The test removes the file. */
static inline void write_usage(struct fixture *f, const char *name, unsigned long usec)
{
    char path[32];
    AUTO_CLOSE int fd = -1;

    (void)snprintf(path, sizeof(path), "%s/cpu.stat", name);
    fd = openat(f->root_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(dprintf(fd, "usage_usec %lu\nuser_usec 1\n", usec) > 0);
}

static inline void remove_usage(struct fixture *f, const char *name)
{
    char path[32];

    (void)snprintf(path, sizeof(path), "%s/cpu.stat", name);
    assert_int_equal(unlinkat(f->root_fd, path, 0), 0);
}

static inline void destroy(struct fixture *f, const char *name)
{
    assert_int_equal(unlinkat(f->root_fd, name, AT_REMOVEDIR), 0);
}

static inline void cycle(struct fixture *f)
{
    assert_int_equal(collector_cycle(f->collector, 0), 0);
    (void)snapshot_unref(f->snapshot);
    f->snapshot = snapshot_slot_get(f->slot);
}

/* Lets every open group on the first CPU run and count that many page faults. */
static inline void count(struct fixture *f, uint64_t faults)
{
    for (int i = 0; i < f->perf.next; i++)
        if (f->perf.events[i].open && f->perf.events[i].cpu == 0) {
            f->perf.events[i].value += faults;
            f->perf.events[i].time_enabled += 1000000;
            f->perf.events[i].time_running += 1000000;
        }
}

/*
 * The row of a cgroup by its path, of a group of processes by its name, of a CPU by its number, or
 * of the machine by "". False: nobody of that name has a series.
 */
static inline bool find_row(const struct fixture *f, const char *name, struct snapshot_row *ret_row)
{
    const struct label labels[] = {{"cgroup", name}, {"groupname", name}, {"cpu", name}};

    for (size_t i = 0; i < ARRAY_SIZE(labels); i++)
        if (snapshot_find(f->snapshot, &labels[i], *name ? 1 : 0, ret_row))
            return true;
    return false;
}

/* The first column of a kind in the row of the target of that name; NULL: it has no such series. */
static inline const union number *find(const struct fixture *f, const char *name,
                                       enum column_kind kind)
{
    struct snapshot_row row;

    if (!find_row(f, name, &row))
        return NULL;
    for (size_t i = 0; i < row.plan->n_columns; i++)
        if (row.plan->columns[i].kind == kind)
            return &row.numbers[i];
    return NULL;
}

static inline uint64_t total(const struct fixture *f, const char *path)
{
    const union number *number = find(f, path, COLUMN_TOTAL);

    assert_non_null(number);
    return number->count;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
