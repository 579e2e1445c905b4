/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/thread_cpus.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* Large enough for every CPU that a kernel can be built for; glibc's cpu_set_t stops at 1024. */
#define MOST_CPUS 8192

struct thread_cpus {
    unsigned char bits[MOST_CPUS / 8];
};

int thread_move_to_cpu(struct cpu_number cpu)
{
    struct thread_cpus wanted = {0};

    if (cpu.value < 0 || cpu.value >= MOST_CPUS)
        return -EINVAL;
    CPU_SET_S((size_t)cpu.value, sizeof(wanted.bits), (cpu_set_t *)(void *)wanted.bits);
    if (sched_setaffinity(0, sizeof(wanted.bits), (cpu_set_t *)(void *)wanted.bits) < 0)
        return -errno;
    return 0;
}

struct thread_cpus *thread_cpus_save(void)
{
    struct thread_cpus *cpus = calloc(1, sizeof(*cpus));

    if (cpus && sched_getaffinity(0, sizeof(cpus->bits), (cpu_set_t *)(void *)cpus->bits) < 0) {
        free(cpus);
        return NULL;
    }
    return cpus;
}

struct thread_cpus *thread_cpus_restore(struct thread_cpus *cpus)
{
    if (cpus)
        (void)sched_setaffinity(0, sizeof(cpus->bits), (cpu_set_t *)(void *)cpus->bits);
    free(cpus);
    return NULL;
}
