/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/resolution_shown.h"

/* 0 or -ENOMEM. */
static int make_domains(enum config_by by, const struct cpu_list *cpus, int sysfs_fd,
                        struct cpu_domains **ret_domains)
{
    return by == CONFIG_BY_CPU ? cpu_domains_of_cpus(cpus, ret_domains)
                               : cpu_domains_of_nodes(cpus, sysfs_fd, ret_domains);
}

int resolution_show_domains(struct resolution *resolution, const struct cpu_list *cpus,
                            int sysfs_fd, bool counts_processes,
                            struct cpu_domains *domains[static CONFIG_BYS_])
{
    int r = 0;

    for (size_t i = 0; i < resolution->n_classes && r >= 0; i++) {
        struct target_class *class = &resolution->classes[i];

        if (class->by == CONFIG_BY_ALL || (class->kind == SCOPE_PROCESS && !counts_processes))
            continue;
        if (!domains[class->by])
            r = make_domains(class->by, cpus, sysfs_fd, &domains[class->by]);
        class->spec.domains = domains[class->by];
    }
    return r;
}

void resolution_show_profiles(struct resolution *resolution, bool are_sampled)
{
    for (size_t i = 0; i < resolution->n_classes; i++) {
        struct target_class *class = &resolution->classes[i];

        class->spec.profiles =
            are_sampled && (class->kind == SCOPE_CGROUP || class->kind == SCOPE_PROCESS);
    }
}
