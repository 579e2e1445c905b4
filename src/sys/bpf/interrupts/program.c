/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/interrupts/program.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/tracepoint.h"

#include <interrupts.skel.h>

/* The vectors of softirqs are 10, and of interrupts a CPU handles some. */
#define ENTRIES_PER_CPU 32

static int open_interrupts(struct keyed_object *object)
{
    struct interrupts_bpf *skeleton = interrupts_bpf__open();
    const int n_cpus = libbpf_num_possible_cpus();
    int r;

    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    r = n_cpus < 0 ? n_cpus : bpf_map__set_max_entries(skeleton->maps.cpus, (uint32_t)n_cpus);
    return r < 0 ? r : bpf_share_table(skeleton->obj, object->program.table);
}

static bool has_hooks(void)
{
    static const char *const hooks[] = {"softirq_entry", "softirq_exit", "irq_handler_entry",
                                        "irq_handler_exit"};

    return bpf_tracepoints_exist(hooks, ARRAY_SIZE(hooks));
}

int interrupts_program_load(const struct switch_program *of, size_t entries,
                            struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loader = {.open = open_interrupts, .has_hooks = has_hooks};
    const int n_cpus = libbpf_num_possible_cpus();

    if (n_cpus > 0 && entries < (size_t)n_cpus * ENTRIES_PER_CPU)
        entries = (size_t)n_cpus * ENTRIES_PER_CPU;
    return keyed_object_load(&loader, of, entries, ret_program, ret_refusal);
}
