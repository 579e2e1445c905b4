/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The leader of a group is opened disabled, and the group is enabled as a whole when it is
 * complete. There are two reasons. On some kernels the siblings of a software leader that was
 * opened enabled count 0 for ever (seen on 6.18). And the events of a group that grows while it
 * counts would have been enabled for different times.
 */
#include "count/perf_group.h"

#include <errno.h>
#include <string.h>

#include "count/core_kinds.h"
#include "sys/cgroup_root.h"

static void set_attributes(struct perf_event_attr *attr, const struct event_code *code,
                           const struct scope *scope, bool leader)
{
    *attr = (struct perf_event_attr){
        .size = sizeof(*attr),
        .type = code->type,
        .config = code->config,
        .config1 = code->config1_text ? (uintptr_t)code->config1_text->text : code->config1,
        .config2 = code->config2,
        .read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = leader,
        .enable_on_exec = leader && scope->starts_at_exec,
        .inherit = scope->inherit != INHERIT_NOTHING,
        .inherit_thread = scope->inherit == INHERIT_THREADS,
        .exclude_user = code->exclude_user,
        .exclude_kernel = code->exclude_kernel,
        .exclude_hv = code->exclude_hypervisor,
        .exclude_host = code->exclude_host,
        .exclude_guest = code->exclude_guest,
        .exclude_idle = code->exclude_idle,
    };
}

/*
 * Sets the filter of an event that has just been opened; closes it if that fails. Returns the
 * descriptor or -errno: -EINVAL, if the tracepoint does not have a field that the filter names.
 */
static int set_filter(const struct perf_ops *ops, const struct event_code *code, int fd)
{
    int r;

    if (fd < 0 || !code->filter)
        return fd;
    r = ops->ioctl(ops->context, fd, PERF_EVENT_IOC_SET_FILTER, (uintptr_t)code->filter->text);
    if (r >= 0)
        return fd;
    ops->close(ops->context, fd);
    return r;
}

/*
 * Has a thread close what is slow to close. Tracepoints of the machine are: our last event of each
 * closes when a reload gives up a wildcard. Those of cgroups are not marked, since cgroups come and
 * go by the hundred, and a descriptor that waits keeps a removed one in memory.
 */
static void mark_slow(const struct perf_ops *ops, const struct event_code *code,
                      const struct scope *scope, int fd)
{
    if (event_code_is_probe(code))
        ops->mark_slow(ops->context, fd, LATE_CLOSE_PROBE);
    else if (code->type == PERF_TYPE_TRACEPOINT && scope->kind == SCOPE_SYSTEM)
        ops->mark_slow(ops->context, fd, LATE_CLOSE_TRACEPOINT);
}

static int open_code(const struct perf_ops *ops, const struct event_code *code,
                     const struct scope *scope, size_t place, int group_fd)
{
    unsigned long flags = PERF_FLAG_FD_CLOEXEC;
    struct perf_event_attr attr;
    pid_t pid = -1;
    int cpu = -1, fd;

    if (event_code_is_probe(code) && scope->inherit != INHERIT_NOTHING)
        return -EOPNOTSUPP;
    set_attributes(&attr, code, scope, group_fd < 0);
    if (scope->pmu_types)
        attr.type = scope->pmu_types[place];
    if (scope_is_of_threads(scope))
        pid = scope->tasks[place];
    else
        cpu = scope->cpus->cpus[place].value;
    if (scope->kind == SCOPE_CGROUP) {
        pid = scope->cgroup_fd;
        flags |= PERF_FLAG_PID_CGROUP;
    }
    fd = ops->open(ops->context, &attr, pid, cpu, group_fd, flags);
    if (fd >= 0 && ops->mark_slow)
        mark_slow(ops, code, scope, fd);
    return set_filter(ops, code, fd);
}

int perf_event_open_at(const struct perf_ops *ops, const struct event *event,
                       const struct perf_site *site, int group_fd)
{
    const struct scope *scope = site->scope;
    const struct event_code code = core_event_code(
        &event->code, scope_core(scope, site->place, site->part), scope_is_of_threads(scope));

    return open_code(ops, &code, scope, site->place, group_fd);
}

int perf_group_set_enabled(const struct perf_ops *ops, int leader, bool enabled)
{
    return ops->ioctl(ops->context, leader,
                      enabled ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
                      PERF_IOC_FLAG_GROUP);
}

static int open_keeper(const struct perf_ops *ops, const struct event *event,
                       const struct perf_site *site, int group_fd)
{
    const struct event_code code =
        core_time_keeper(&event->code, scope_core(site->scope, site->place, site->part));

    return open_code(ops, &code, site->scope, site->place, group_fd);
}

/* Whether the part counts nothing on its kind of core, and so does not follow the thread there. */
static bool wants_keeper(const struct event_group *group, const struct perf_site *site)
{
    return event_group_parts(group, site->scope) > 1 &&
           event_group_n_on(group, scope_core(site->scope, site->place, site->part)) == 0;
}

int perf_group_open(const struct perf_ops *ops, const struct event_group *group,
                    const struct perf_site *site, bool enabled, int *ret_descriptors)
{
    int descriptors[EVENT_GROUP_MAX] = {-1};
    bool wants = wants_keeper(group, site);
    int r = 0;

    for (size_t i = 0; i < group->n_opened; i++) {
        const struct event *event = group->members[group->opened[i]].event;
        const int group_fd = i == 0 ? -1 : descriptors[0];

        if (wants && event_code_is_of_core(&event->code)) {
            r = open_keeper(ops, event, site, group_fd);
            wants = false;
        } else {
            r = perf_event_open_at(ops, event, site, group_fd);
        }
        if (r < 0) {
            perf_group_close(ops, descriptors, i);
            return r;
        }
        descriptors[i] = r;
    }
    if (enabled)
        r = perf_group_set_enabled(ops, descriptors[0], true);
    if (r < 0) {
        perf_group_close(ops, descriptors, group->n_opened);
        return r;
    }
    memcpy(ret_descriptors, descriptors, group->n_opened * sizeof(*descriptors));
    return 0;
}

int perf_group_read(const struct perf_ops *ops, int leader, size_t n_values,
                    struct group_reading *ret_reading)
{
    size_t size = offsetof(struct group_reading, values) + n_values * sizeof(*ret_reading->values);
    ssize_t n = ops->read(ops->context, leader, ret_reading, size);

    if (n < 0)
        return (int)n;
    /* End of file means PERF_EVENT_STATE_ERROR: the event never counts again (perf_read()). */
    if ((size_t)n != size || ret_reading->n_values != n_values)
        return -EIO;
    return 0;
}

void perf_group_close(const struct perf_ops *ops, int *descriptors, size_t n)
{
    while (n-- > 0)
        ops->close(ops->context, TAKE_FD(descriptors[n]));
}

enum absence perf_group_absence(int error, const struct scope *scope)
{
    switch (-error) {
    case EACCES:
    case EPERM:
        return ABSENCE_NOT_PERMITTED;
    case EBUSY:
    case EAGAIN:
    case ENOSPC:
        return ABSENCE_PMU_BUSY;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        return ABSENCE_NO_DESCRIPTORS;
    case ESRCH:
        return ABSENCE_TARGET_GONE;
    case ENODEV:
    case ENXIO:
        return ABSENCE_CPU_OFFLINE;
    case ENOENT:
        if (scope->kind == SCOPE_CGROUP && cgroup_is_removed(scope->cgroup_fd))
            return ABSENCE_TARGET_GONE;
        return ABSENCE_NOT_SUPPORTED;
    default:
        return ABSENCE_NOT_SUPPORTED;
    }
}

enum absence perf_event_absence(int error, const struct event *event, const struct scope *scope)
{
    if (error == -EINVAL && event->code.filter)
        return ABSENCE_BAD_FILTER;
    return perf_group_absence(error, scope);
}
