/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A bpf mechanism is made for a number of CPUs, of cgroups and of events. One that does not fit
 * a new configuration is replaced: its collector reads it once more, and the totals go over.
 */
#include "app/service_mechanism.h"

#include <errno.h>
#include <string.h>

#include "app/log.h"

static bool is_listed(const struct config_words *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++)
        if (strcmp(names->words[i].text, name) == 0)
            return true;
    return false;
}

static bool is_of_cgroups(const struct config *config, const char *group)
{
    for (size_t i = 0; i < config->n_cgroups; i++)
        if (is_listed(&config->cgroups[i].groups, group))
            return true;
    return false;
}

/* When a group changes in a reload, what it was is open until the successor has taken over. */
static size_t lanes_of(const struct config *config)
{
    size_t n = 0;

    for (size_t i = 0; i < config->n_groups; i++)
        if (is_of_cgroups(config, config->groups[i].name.text))
            n += 2 * SWITCH_GROUP_LANES(config->groups[i].events.n);
    return n;
}

/* In a cycle all cgroups may end, and as many begin before what the first counted is folded. */
static int size_for(const struct service *service, const struct config *config,
                    struct switch_program_size *ret_size)
{
    AUTO(cpu_list) struct cpu_list *online = NULL;
    int r = cpu_list_read_online(service->sysfs_fd, &online);

    if (r < 0)
        return r;
    *ret_size = (struct switch_program_size){
        .n_cpus = (size_t)online->cpus[online->n - 1].value + 1,
        .n_slots = 2 * (size_t)config->limits.cgroups + SWITCH_PROGRAM_FIRST,
        .n_lanes = lanes_of(config),
        .v1 = !service->root.v2,
    };
    return 0;
}

static bool is_same_size(const struct switch_program_size *a, const struct switch_program_size *b)
{
    return a->n_cpus == b->n_cpus && a->n_slots == b->n_slots && a->n_lanes == b->n_lanes &&
           a->v1 == b->v1;
}

/* Makes another one, or leaves it at direct. */
static void make_bpf(const struct service *service, struct mechanism_choice *choice)
{
    enum switch_refusal refusal;
    int r = mechanism_bpf_new(&perf_ops_kernel, &choice->size, &choice->bpf, &refusal);

    if (r >= 0) {
        choice->bpf->paused = service->mechanism->paused;
        return;
    }
    choice->reason = switch_refusal_text(refusal);
    log_warning("cgroups are counted direct, although bpf is configured", "reason", choice->reason,
                "error", strerror(-r));
}

struct mechanism_choice service_choose_mechanism(const struct service *service,
                                                 const struct config *config, bool afresh)
{
    struct mechanism_choice choice = {.reason = "configured"};
    int r;

    if (config->counting == CONFIG_COUNTING_AUTO)
        choice.reason = "bpf is taken only where it is configured";
    if (config->counting != CONFIG_COUNTING_BPF || config->n_cgroups == 0 || service->root.fd < 0)
        return choice;
    r = size_for(service, config, &choice.size);
    if (r < 0) {
        choice.reason = "CPUs cannot be read";
        return choice;
    }
    if (service->bpf && !afresh && is_same_size(&choice.size, &service->bpf_size))
        choice.bpf = service->bpf;
    else
        make_bpf(service, &choice);
    return choice;
}

void service_take_mechanism(struct service *service, const struct mechanism_choice *choice)
{
    if (service->bpf != choice->bpf)
        (void)mechanism_free(service->bpf);
    service->bpf = choice->bpf;
    service->bpf_size = choice->size;
}

void service_reject_mechanism(const struct service *service, const struct mechanism_choice *choice)
{
    if (choice->bpf != service->bpf)
        (void)mechanism_free(choice->bpf);
}
