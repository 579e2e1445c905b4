/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Looks at what processes have mapped, of which not all is known: they have changed, or were
 * sampled before anything was known of them. Whoever maps without end has us look for so long only.
 */
#include "profile/sampler_parts.h"

#include <errno.h>

#include "base/clock.h"
#include "sys/call_with_deadline.h"

#define LOOK_AT_ALL_NS  NS_PER_SECOND        /* no more often */
#define ALL_SHARE       10                   /* at most this part of a CPU, if they take long */
#define LOOKS_SHARE     5                    /* likewise, for looks at single processes */
#define LOOKS_NS        (NS_PER_SECOND / 25) /* CPU time in a turn; the last look may exceed it */
#define LOOKS_WALL_NS   (NS_PER_SECOND / 2)  /* likewise, by the clock */
#define LOOKS_OF_A_TURN 64
#define PUT_OFF_NS      (10 * NS_PER_SECOND)
#define LONG_LOOK_NS    (NS_PER_SECOND / 100) /* CPU time: that of some ten thousand mappings */
#define LONG_SHARE      20   /* looks that take so long have this part of a CPU for themselves */
#define MOST_LOOKS      1024 /* at processes that were sampled, or have ended by now */

/*
 * Notes which processes the kernel says to have mapped something. True: some of that was lost, so
 * that any may have; those that are sampled now are noted.
 */
static bool note_mapped(struct sampler *sampler)
{
    struct profile_mapped mapped;
    bool is_lost = sampler->has_lost_records;

    sampler->n_mapped = 0;
    for (; profile_program_next_mapped(sampler->program, &mapped, &is_lost); sampler->n_mapped++)
        is_lost |= !changed_processes_note(sampler->changed, mapped.pid, mapped.time_ns);
    sampler->has_lost_records = false;
    for (size_t at = 0; is_lost && at < sampler->taken.n_bytes;) {
        const struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

        if (!changed_processes_note(sampler->changed, (pid_t)sample->pid, 0))
            changed_processes_doubt_all(sampler->changed);
    }
    return is_lost;
}

/* Notes which processes were sampled though not all was known that they had mapped. */
static void note_unknown(struct sampler *sampler)
{
    for (size_t at = 0; at < sampler->taken.n_bytes;) {
        const struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

        if (sample->outcome == PROFILE_YOUNG || sample->outcome == PROFILE_NO_MAPPING)
            (void)changed_processes_note(sampler->changed, (pid_t)sample->pid, UINT64_MAX);
    }
}

/* What this thread has taken, and the processes that look for it. */
static uint64_t cpu_ns(void)
{
    return clock_thread_cpu_ns() + call_with_deadline_cpu_ns();
}

/* The looks of a turn, which are bounded: who maps without end is looked at for so long only. */
struct looks {
    struct sampler *sampler;
    uint64_t now_ns;
    uint64_t begin_ns; /* CPU time */
    uint64_t end_ns;   /* by the clock */
    int n, n_there;
};

static bool may_look(const struct looks *looks, uint64_t most_ns)
{
    return !looks->sampler->looks_at_all && looks->n < MOST_LOOKS &&
           looks->n_there < LOOKS_OF_A_TURN && cpu_ns() < looks->begin_ns + most_ns &&
           clock_monotonic_ns() < looks->end_ns;
}

static struct put_off *find_put_off(struct sampler *sampler, pid_t pid)
{
    for (size_t i = 0; i < ARRAY_SIZE(sampler->put_off); i++)
        if (sampler->put_off[i].pid == pid && sampler->put_off[i].until_ns > 0)
            return &sampler->put_off[i];
    return NULL;
}

/*
 * A process that took too long last time is not looked at for a while: its mappings are locked, or
 * are too many for the load that there is. It is not known then.
 */
static bool is_put_off(struct sampler *sampler, pid_t pid, uint64_t now_ns)
{
    const struct put_off *known = find_put_off(sampler, pid);

    return known && (now_ns < known->until_ns || now_ns < sampler->put_off_ns);
}

/* Remembers how long a look took, if that was long. */
static void weigh(const struct looks *looks, pid_t pid, uint64_t took_ns, bool is_too_long)
{
    struct sampler *sampler = looks->sampler;
    struct put_off *known = find_put_off(sampler, pid);

    if (!is_too_long && took_ns < LONG_LOOK_NS) {
        if (known)
            *known = (struct put_off){0};
        return;
    }
    if (!known)
        known = &sampler->put_off[sampler->next_put_off++ % ARRAY_SIZE(sampler->put_off)];
    *known = (struct put_off){pid, looks->now_ns + (is_too_long ? PUT_OFF_NS : 0)};
}

/*
 * Whoever is known for long looks pays for them alone, and the others do not wait for that; the
 * first one that takes long is everybody's.
 */
static void look_at(struct looks *looks, struct changed_process *process)
{
    struct sampler *sampler = looks->sampler;
    const bool is_known = find_put_off(sampler, process->pid);
    const uint64_t begin_ns = cpu_ns();
    uint64_t took_ns;
    int r;

    process->was_looked_at = true;
    if (is_put_off(sampler, process->pid, looks->now_ns)) {
        process->change = (struct space_change){.n_lost = SPACE_LOST_MOST + 1};
        return;
    }
    r = address_spaces_look(sampler->spaces, process->pid, &process->change);
    took_ns = cpu_ns() - begin_ns;
    weigh(looks, process->pid, took_ns, r == -ETIME);
    if (is_known) {
        sampler->put_off_ns = looks->now_ns + LONG_SHARE * took_ns;
        looks->begin_ns += took_ns;
    }
    sampler->looks_at_all |= r == -EOPNOTSUPP;
    looks->n++;
    looks->n_there += r == 0; /* it has not ended */
}

/*
 * Those that were sampled come first: their samples wait for it. Half of the time is for those that
 * wait longest: whoever is sampled in each turn, and takes long, does not keep us from them.
 */
static void look_at_sampled(struct looks *looks)
{
    struct sampler *sampler = looks->sampler;

    for (size_t at = 0; at < sampler->taken.n_bytes;) {
        const struct profile_sample *sample = sample_list_next(&sampler->taken, &at);
        struct changed_process *process =
            changed_processes_find(sampler->changed, (pid_t)sample->pid);

        if (!process)
            continue;
        if (!may_look(looks, LOOKS_NS / 2))
            return;
        look_at(looks, process);
    }
}

/* What there was no time for is looked at in a later turn; until then it is not known. */
static void look_at_each(struct sampler *sampler, uint64_t now_ns)
{
    struct looks looks = {.sampler = sampler,
                          .now_ns = now_ns,
                          .begin_ns = cpu_ns(),
                          .end_ns = clock_monotonic_ns() + LOOKS_WALL_NS};
    struct changed_process *process;

    if (now_ns < sampler->look_ns)
        return;
    look_at_sampled(&looks);
    while ((process = changed_processes_next(sampler->changed)) && may_look(&looks, LOOKS_NS))
        look_at(&looks, process);
    sampler->look_ns = now_ns + LOOKS_SHARE * (cpu_ns() - looks.begin_ns);
}

/*
 * Looks at all processes, but the more seldom the longer that takes. False: it is not time yet, or
 * a process has kept us from the others.
 */
static bool look_at_all(struct sampler *sampler, uint64_t now_ns)
{
    uint64_t begin_ns;
    int r;

    if (now_ns < sampler->look_at_all_ns)
        return false;
    begin_ns = clock_monotonic_ns();
    r = address_spaces_look_at_all(sampler->spaces);
    sampler->look_at_all_ns =
        now_ns + LOOK_AT_ALL_NS + ALL_SHARE * (clock_monotonic_ns() - begin_ns);
    return r != -ETIME;
}

static void look(struct sampler *sampler, uint64_t now_ns)
{
    look_at_each(sampler, now_ns);
    if (sampler->looks_at_all && changed_processes_next(sampler->changed) &&
        look_at_all(sampler, now_ns))
        changed_processes_note_all(sampler->changed);
}

/* What is not known of a process that is put off will not be known soon either. */
static void tell_put_off(struct sampler *sampler, struct profile_sample *sample, uint64_t now_ns)
{
    const enum profile_outcome outcome = (enum profile_outcome)sample->outcome;

    if ((outcome == PROFILE_YOUNG || outcome == PROFILE_NO_MAPPING || outcome == PROFILE_CHANGED) &&
        is_put_off(sampler, (pid_t)sample->pid, now_ns))
        sample->outcome = PROFILE_NOT_LOOKED_AT;
}

/* Cuts stacks at what their processes had mapped in doubtful times. */
static void cut_doubtful(struct sampler *sampler, uint64_t now_ns)
{
    for (size_t at = 0; at < sampler->taken.n_bytes;) {
        struct profile_sample *sample = sample_list_next(&sampler->taken, &at);

        stack_cut(sample,
                  changed_processes_change(sampler->changed, (pid_t)sample->pid, sample->time_ns));
        tell_put_off(sampler, sample, now_ns);
    }
}

void sampler_look(struct sampler *sampler, uint64_t now_ns)
{
    const bool is_lost = note_mapped(sampler);

    note_unknown(sampler);
    look(sampler, now_ns);
    /* Those that are sampled later may have changed now, too: until all have been looked at, each
     * turn takes those that it has sampled for changed. */
    if (is_lost && !look_at_all(sampler, now_ns))
        sampler->has_lost_records = true;
    cut_doubtful(sampler, now_ns);
}
