/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * What tests of the bpf mechanism share: the real program on the real kernel, which they skip aloud
 * where there is no bpf, and page faults, which it can count on any machine.
 */
#include "support/check.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "count/bpf/mechanism.h"
#include "count/counter_set.h"

/* The CPUs that are online. The caller frees them. */
static inline struct cpu_list *read_online_cpus(void)
{
    struct cpu_list *cpus;
    int sysfs = open("/sys", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(cpu_list_read_online(sysfs, &cpus), 0);
    assert_int_equal(close(sysfs), 0);
    return cpus;
}

/*
 * The mechanism with a program of this size, of which n_cpus is filled in here. NULL where the
 * kernel refuses it: the reason is printed, and the test is to skip().
 */
static inline struct mechanism *make_real_bpf(const struct cpu_list *cpus,
                                              struct switch_program_size size)
{
    enum bpf_refusal refusal = BPF_REFUSAL_NONE;
    struct mechanism *bpf;

    size.n_cpus = (size_t)cpus->cpus[cpus->n - 1].value + 1;
    if (mechanism_bpf_new(&perf_ops_kernel, &size, &bpf, &refusal) < 0) {
        print_message("skipped: no bpf: %s\n", bpf_refusal_text(refusal));
        return NULL;
    }
    bpf->descriptors = 1000;
    return bpf;
}

/* Frees it (it may be NULL), and wants every counter closed before: no test may leak one. */
static inline void free_real_bpf(struct mechanism *bpf)
{
    if (bpf)
        assert_int_equal(bpf->open_counters, 0);
    (void)mechanism_free(bpf);
}

/*
 * The fixture of the test, which is skipped if there is no mechanism. The first member of the
 * fixture is a struct mechanism *; make_real_bpf() has printed why it is NULL.
 */
static inline void *need_bpf(void **state)
{
    struct mechanism *const *bpf = *state;

    if (!*bpf)
        skip();
    return *state;
}

static inline struct counter_set *open_counter_set(struct mechanism *bpf,
                                                   const struct event_groups *groups,
                                                   const struct scope *scope)
{
    struct counter_set *set;

    assert_int_equal(counter_set_new(bpf, groups, scope, &set), 0);
    assert_int_equal(bpf->open(bpf, &set, 1), 0);
    return set;
}

/* The events of the sample, up to now: what a CPU has not written down yet is asked of it before.
 */
static inline const struct event_sample *
read_counter_set(struct mechanism *bpf, struct counter_set *set, struct sample *sample)
{
    mechanism_refresh(bpf);
    counter_set_read(set, clock_monotonic_ns(), sample);
    return sample->events;
}

/* Touches n new pages of ordinary size: that is a page fault each. */
static inline void fault(size_t n)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    volatile char *pages =
        mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(pages != MAP_FAILED);
    (void)madvise((void *)pages, n * page, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < n; i++)
        pages[i * page] = 1;
    (void)munmap((void *)pages, n * page);
}
