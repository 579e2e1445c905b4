/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The thread owns the sampler and the store, so neither has a lock. Others hand it questions and
 * what the configuration wants, under a lock that is held for a few instructions, and ring a bell.
 * What fails is tried again after a while: a kernel that refuses the program today may be given the
 * right tomorrow, and a process that reads files, once ended, is gone for this run.
 */
#include "service/profiler.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "base/clock.h"
#include "log/log.h"
#include "profile/sampler.h"
#include "reader/object_reader.h"
#include "service/profile_keeper.h"
#include "service/profiler_status.h"
#include "sys/call_with_deadline.h"
#include "sys/cpu_births.h"
#include "sys/thread.h"

#define SECOND_NS  NS_PER_SECOND
#define RETRY_NS   (60 * NS_PER_SECOND)
#define REFUSED_NS (60 * NS_PER_SECOND) /* between two files that are logged */
#define FOREVER_MS (-1)

#define NO_ROOM   "the limit of open files has no room for what samples"
#define NO_MEMORY "the limit of memory has no room for what samples"
#define NO_READER "the process that reads programs has ended, or could not be started"

#define LEAST_BYTES ((uint64_t)4 << 20) /* as of the configuration */

/* How the memory of the configuration is shared out: half of it is for tables in the kernel. */
#define TABLE_SHARE    2
#define SLICE_SHARE    8
#define RECENT_SHARE   8
#define RECENT_BYTES   16
#define NODE_SHARE     8
#define NODE_BYTES     24 /* with its place in the hash */
#define FUNCTION_SHARE 8
#define FUNCTION_BYTES 48 /* with a name of usual length */

/* A recording may take so much of the functions, each of which has a node or more. */
#define RECORDED_SHARE 2

/* What the configuration wants. */
struct profile_wish {
    bool enabled, has_room, is_v1;
    unsigned rate_hz;
    uint64_t bytes;
    size_t cgroups, processes;
};

struct profiler {
    struct profiler_setup setup;
    pthread_t thread;
    bool is_running; /* known to who starts and stops it */
    int bell_fd;
    struct profile_questions questions;
    pthread_mutex_t lock; /* of what follows */
    bool is_stopping;
    struct profile_wish wish;
    /* the thread's own */
    struct profile_wish granted; /* by which the sampler was made */
    struct profile_store *store;
    struct profile_keeper *keeper;
    struct sampler *sampler;     /* NULL: nothing is sampled */
    struct cpu_births *cpus;     /* those that are sampled */
    struct profile_status ended; /* what samplers have counted that have ended */
    const char *reason;          /* why nothing is sampled; NULL: it is. Static */
    const char *logged;          /* the reason that the log has */
    uint64_t retry_ns, second_ns;
    uint64_t refused_ns; /* no file that is refused is logged before */
};

struct profiler *profiler_new(const struct profiler_setup *setup)
{
    struct profiler *profiler = calloc(1, sizeof(*profiler));

    if (!profiler)
        return NULL;
    profiler->setup = *setup;
    profiler->bell_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    profiler->keeper = profile_keeper_new(setup->history, profiler->bell_fd);
    if (profiler->bell_fd < 0 || !profiler->keeper) {
        (void)profile_keeper_free(profiler->keeper);
        cleanup_close(&profiler->bell_fd);
        free(profiler);
        return NULL;
    }
    profile_questions_init(&profiler->questions);
    (void)pthread_mutex_init(&profiler->lock, NULL);
    return profiler;
}

struct profiler *profiler_free(struct profiler *profiler)
{
    if (!profiler)
        return NULL;
    profiler_stop(profiler);
    (void)sampler_free(profiler->sampler);
    (void)profile_store_free(profiler->store);
    (void)profile_keeper_free(profiler->keeper);
    (void)cpu_births_free(profiler->cpus);
    profile_questions_done(&profiler->questions);
    (void)pthread_mutex_destroy(&profiler->lock);
    (void)close(profiler->bell_fd);
    free(profiler);
    return NULL;
}

static void ring(const struct profiler *profiler)
{
    const uint64_t one = 1;

    (void)!write(profiler->bell_fd, &one, sizeof(one));
}

static bool is_same_wish(const struct profile_wish *a, const struct profile_wish *b)
{
    return a->enabled == b->enabled && a->has_room == b->has_room && a->is_v1 == b->is_v1 &&
           a->rate_hz == b->rate_hz && a->bytes == b->bytes && a->cgroups == b->cgroups &&
           a->processes == b->processes;
}

void profiler_configure(struct profiler *profiler, const struct config *config, bool has_room,
                        size_t most_bytes, bool is_v1)
{
    const uint64_t bytes = config->profiles.bytes;
    const struct profile_wish wish = {.enabled = config->profiles.enabled,
                                      .has_room = has_room,
                                      .is_v1 = is_v1,
                                      .rate_hz = (unsigned)config->profiles.rate_hz,
                                      .bytes = bytes < most_bytes ? bytes : most_bytes,
                                      .cgroups = (size_t)config->limits.cgroups,
                                      .processes = (size_t)config->limits.processes};
    bool is_new;

    (void)pthread_mutex_lock(&profiler->lock);
    is_new = !is_same_wish(&wish, &profiler->wish);
    profiler->wish = wish;
    (void)pthread_mutex_unlock(&profiler->lock);
    if (is_new)
        ring(profiler);
}

int profiler_ask(struct profiler *profiler, const struct profile_question *question,
                 struct deferred *answer, struct text *text)
{
    int r = profile_questions_add(&profiler->questions, question, answer, text);

    if (r == 0)
        ring(profiler);
    return r;
}

static struct profile_limits limits_of(const struct profile_wish *wish)
{
    const size_t bytes = (size_t)wish->bytes;

    return (struct profile_limits){.nodes = bytes / NODE_SHARE / NODE_BYTES,
                                   .functions = bytes / FUNCTION_SHARE / FUNCTION_BYTES,
                                   .slice_bytes = bytes / SLICE_SHARE,
                                   .recent = bytes / RECENT_SHARE / RECENT_BYTES,
                                   .targets = 2 * (wish->cgroups + wish->processes)};
}

static struct profile_status make_status(const struct profiler *profiler)
{
    const struct profiler_facts facts = {.wanted = profiler->granted.enabled,
                                         .reason = profiler->reason,
                                         .rate_hz = profiler->granted.rate_hz,
                                         .store = profiler->store,
                                         .sampler = profiler->sampler,
                                         .ended = &profiler->ended,
                                         .cpu_ns =
                                             clock_thread_cpu_ns() + call_with_deadline_cpu_ns()};

    return profiler_status_make(&facts);
}

/* Ends the sampling; what was sampled stays, unless the store is to end, too. */
static void end_sampling(struct profiler *profiler, const char *reason, bool ends_store)
{
    struct profile_store *store = profiler->store;

    if (profiler->sampler)
        profile_recorder_cut(profiler->setup.recorder, profiler->sampler);
    if (!ends_store)
        profiler->store = NULL; /* it goes on counting */
    else if (store)
        profile_keeper_end(profiler->keeper, store);
    profiler->ended = make_status(profiler);
    profiler->store = ends_store ? profile_store_free(store) : store;
    profiler->sampler = sampler_free(profiler->sampler);
    profiler->cpus = cpu_births_free(profiler->cpus);
    profiler->reason = reason;
}

static bool write_reason(const struct profiler *profiler)
{
    if (!profiler->reason)
        return log_info("sampling for profiles has begun");
    if (!profiler->granted.enabled)
        return log_info("nothing is sampled for profiles", "reason", profiler->reason);
    return log_warning("nothing is sampled for profiles", "reason", profiler->reason, "hint",
                       "pmutool check config tells more; profiles.enabled: false leaves them out");
}

/* A start has much to tell, and may leave no room for this in its second: it is tried again. */
static void log_reason(struct profiler *profiler)
{
    if (profiler->reason != profiler->logged && write_reason(profiler))
        profiler->logged = profiler->reason;
}

/* Samples the CPUs that are online now; the event of one that was away meanwhile stands still. */
static void follow_cpus(struct profiler *profiler)
{
    AUTO(cpu_births) struct cpu_births *now = NULL;
    AUTO(cpu_list) struct cpu_list *stayed = NULL;

    if (!profiler->sampler || cpu_births_read(profiler->setup.sysfs_fd, &now) < 0 ||
        (profiler->cpus && cpu_births_equal(profiler->cpus, now)))
        return;
    if (profiler->cpus && cpu_births_common(profiler->cpus, now, &stayed) < 0)
        return; /* it is tried again */
    if (stayed)
        (void)sampler_set_cpus(profiler->sampler, stayed);
    if (sampler_set_cpus(profiler->sampler, now->online) < 0)
        return;
    (void)cpu_births_free(profiler->cpus);
    profiler->cpus = TAKE(now);
}

static int count_cpus(const struct profiler *profiler, size_t *ret_n)
{
    AUTO(cpu_list) struct cpu_list *possible = NULL;
    int r = cpu_list_read_possible(profiler->setup.sysfs_fd, &possible);

    if (r < 0)
        return r;
    *ret_n = possible->n > 0 ? (size_t)possible->cpus[possible->n - 1].value + 1 : 1;
    return 0;
}

static int make_sampler(struct profiler *profiler, const struct profile_wish *wish,
                        enum bpf_refusal *ret_refusal)
{
    struct sampler_setup setup = {.store = profiler->store,
                                  .targets = profiler->setup.targets,
                                  .reader = profiler->setup.reader,
                                  .procfs_fd = profiler->setup.procfs_fd,
                                  .rate_hz = wish->rate_hz,
                                  .table_bytes = (size_t)wish->bytes / TABLE_SHARE,
                                  .cgroups = wish->cgroups,
                                  .processes = 2 * wish->processes,
                                  .is_v1 = wish->is_v1};
    int r = count_cpus(profiler, &setup.n_cpus);

    *ret_refusal = BPF_REFUSAL_OTHER;
    return r < 0 ? r : sampler_new(&setup, &profiler->sampler, ret_refusal);
}

/* Begins to sample as the wish says. */
static void begin_sampling(struct profiler *profiler, const struct profile_wish *wish)
{
    const struct profile_limits limits = limits_of(wish);
    const char *lack = !wish->has_room             ? NO_ROOM
                       : wish->bytes < LEAST_BYTES ? NO_MEMORY
                       : profiler->setup.reader    ? NULL
                                                   : NO_READER;
    enum bpf_refusal refusal;

    profiler->granted = *wish;
    profiler->retry_ns = clock_monotonic_ns() + RETRY_NS;
    if (lack) {
        end_sampling(profiler, lack, false);
        return;
    }
    if (!profiler->store)
        profiler->store = profile_store_new(&limits, wish->rate_hz);
    if (!profiler->store) {
        end_sampling(profiler, "there is no memory for them", false);
        return;
    }
    if (make_sampler(profiler, wish, &refusal) < 0) {
        end_sampling(profiler, bpf_refusal_text(refusal), false);
        return;
    }
    profiler->reason = NULL;
    follow_cpus(profiler);
}

/* Does what the configuration wants now, and tries again what has failed. */
static void follow_wish(struct profiler *profiler)
{
    struct profile_wish wish;

    (void)pthread_mutex_lock(&profiler->lock);
    wish = profiler->wish;
    (void)pthread_mutex_unlock(&profiler->lock);
    if (is_same_wish(&wish, &profiler->granted) &&
        (profiler->sampler || !wish.enabled || clock_monotonic_ns() < profiler->retry_ns))
        return;
    end_sampling(profiler, wish.enabled ? NULL : "the configuration wants none",
                 !wish.enabled || wish.bytes != profiler->granted.bytes);
    if (profiler->store)
        profile_store_set_rate(profiler->store, wish.rate_hz);
    profiler->granted = wish;
    if (wish.enabled)
        begin_sampling(profiler, &wish);
    profiler->second_ns = 0; /* it is told now */
    log_reason(profiler);
}

static void lose_reader(struct profiler *profiler)
{
    profiler->setup.reader = NULL; /* no other can be forked now that there are threads */
    end_sampling(profiler, NO_READER, false);
    profiler->second_ns = 0; /* it is told now: there may be no turn for long */
    log_reason(profiler);
}

/* Says which program it is that has no tables, but not of each of many. */
static void log_refused(struct profiler *profiler, uint64_t now_ns)
{
    AUTO_FREE char *path = NULL;
    enum object_outcome outcome;

    if (now_ns < profiler->refused_ns)
        return;
    path = sampler_take_refused(profiler->sampler, &outcome);
    if (!path)
        return;
    log_warning("tables of a program or library are not used, and stacks end in it", "file", path,
                "reason", object_outcome_name(outcome), "hint",
                outcome == OBJECT_TOO_LARGE
                    ? "more of profiles.memory may have room for it"
                    : "its functions are named, but not who has called them");
    profiler->refused_ns = now_ns + REFUSED_NS;
}

static void turn(struct profiler *profiler)
{
    const uint64_t now_ns = clock_monotonic_ns();
    struct profile_status status;

    if (profiler->sampler && sampler_turn(profiler->sampler) == -EPIPE)
        lose_reader(profiler);
    if (now_ns < profiler->second_ns)
        return;
    profiler->second_ns = now_ns + SECOND_NS;
    if (profiler->sampler && object_reader_has_ended(profiler->setup.reader))
        lose_reader(profiler);
    if (profiler->sampler)
        log_refused(profiler, now_ns);
    log_reason(profiler);
    follow_cpus(profiler);
    status = make_status(profiler);
    profile_status_slot_set(profiler->setup.status, &status);
}

static void wait_for_work(struct profiler *profiler)
{
    struct pollfd polls[] = {
        {.fd = profiler->bell_fd, .events = POLLIN},
        {.fd = profile_recorder_fd(profiler->setup.recorder), .events = POLLIN},
        {.fd = profiler->sampler ? sampler_fd(profiler->sampler) : -1, .events = POLLIN}};
    const uint64_t wait_ns = profiler->sampler ? sampler_wait_ns(profiler->sampler) : 0;
    const bool retries = !profiler->sampler && profiler->granted.enabled;
    uint64_t number;

    (void)poll(polls, ARRAY_SIZE(polls),
               profiler->sampler ? (int)(wait_ns / (NS_PER_SECOND / 1000))
               : retries         ? (int)(RETRY_NS / (NS_PER_SECOND / 1000))
                                 : FOREVER_MS);
    (void)!read(profiler->bell_fd, &number, sizeof(number));
}

static bool is_stopping(struct profiler *profiler)
{
    bool is;

    (void)pthread_mutex_lock(&profiler->lock);
    is = profiler->is_stopping;
    (void)pthread_mutex_unlock(&profiler->lock);
    return is;
}

static void answer_questions(struct profiler *profiler, struct sampler *sampler)
{
    const struct profile_sources sources = {profiler->store, sampler, profiler->reason};

    profile_questions_answer(&profiler->questions, &sources);
}

static void *run(void *context)
{
    struct profiler *profiler = context;

    while (!is_stopping(profiler)) {
        follow_wish(profiler);
        turn(profiler);
        if (profiler->store)
            profile_keeper_turn(profiler->keeper, profiler->store);
        answer_questions(profiler, profiler->sampler);
        profile_recorder_serve(profiler->setup.recorder, profiler->sampler,
                               limits_of(&profiler->granted).functions / RECORDED_SHARE,
                               profiler->reason);
        wait_for_work(profiler);
    }
    answer_questions(profiler, NULL);
    if (profiler->sampler)
        profile_recorder_cut(profiler->setup.recorder, profiler->sampler);
    if (profiler->store)
        profile_keeper_end(profiler->keeper, profiler->store);
    return NULL;
}

int profiler_start(struct profiler *profiler)
{
    int r = thread_start("profiler", THREAD_HAS_ALL, run, profiler, &profiler->thread);

    profiler->is_running = r >= 0;
    profile_questions_take(&profiler->questions, profiler->is_running);
    return r;
}

void profiler_stop(struct profiler *profiler)
{
    if (!profiler->is_running)
        return;
    profile_questions_take(&profiler->questions, false);
    (void)pthread_mutex_lock(&profiler->lock);
    profiler->is_stopping = true;
    (void)pthread_mutex_unlock(&profiler->lock);
    ring(profiler);
    (void)pthread_join(profiler->thread, NULL);
    profiler->is_running = false;
}
