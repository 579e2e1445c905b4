/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The thread opens the counters without the lock, since that may take long; whatever it reads later
 * it reads with the lock, so that others see whole rows. A slot is free again when the historian
 * has kept what was counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "config/config_error.h"
#include "service/runs_parts.h"

#define IDLE_NS     (10 * NS_PER_SECOND) /* the thread looks around so often at least */
#define RETRY_NS    (NS_PER_SECOND / 10) /* where the historian has no room */
#define NEWS_NS     (NS_PER_SECOND / 10) /* streams are told of rows no more often */
#define LAST_TRIES  50                   /* at the end, for what is not kept yet */
#define LAST_TRY_NS 20000000

/* Counters of the PMU that runs hold. The lock is held. */
static size_t held_counters(const struct runs *runs)
{
    size_t n = 0;

    for (size_t i = 0; i < RUNS_AT_ONCE; i++)
        if (runs->slots[i].session)
            n += run_session_counters(runs->slots[i].session);
    return n;
}

static struct mechanism *mechanism_of(const struct run_slot *slot)
{
    return slot->record ? run_record_mechanism(slot->record) : slot->runs->mechanism;
}

/* How many descriptors all runs have open. */
static size_t count_descriptors(const struct runs *runs)
{
    size_t n = runs->mechanism->open_counters;

    for (size_t i = 0; i < RUNS_AT_ONCE; i++)
        if (runs->slots[i].record)
            n += run_record_mechanism(runs->slots[i].record)->open_counters;
    return n;
}

/* What the mechanism may open: what neither targets nor other runs hold now. The lock is held. */
static void set_descriptors(const struct runs *runs, const struct snapshot *snapshot,
                            struct mechanism *mechanism)
{
    const struct exporter_status *status = snapshot ? &snapshot->status : NULL;
    const size_t of_targets =
        status ? (size_t)(status->open_counters + status->target_descriptors) : 0;
    const size_t taken = of_targets + count_descriptors(runs);

    mechanism->descriptors =
        mechanism->open_counters + (runs->descriptors > taken ? runs->descriptors - taken : 0);
}

static int open_session(struct run_slot *slot, struct run_session **ret_session,
                        struct text *message)
{
    struct runs *runs = slot->runs;
    AUTO(snapshot) struct snapshot *snapshot = snapshot_slot_get(runs->setup.slot);
    struct run_setup setup = {
        .machine = {.sysfs_fd = runs->sysfs_fd,
                    .procfs_fd = runs->procfs_fd,
                    .cgroupfs = runs->setup.cgroupfs},
        .mechanism = mechanism_of(slot),
        .spare = {.takes_free = slot->request.takes_free},
        .status = snapshot ? &snapshot->status : NULL,
        .processes = slot->processes,
        .n_processes = slot->n_processes,
        .over_budget = "limits.pmu_counters of the configuration leaves no counter for it now; "
                       "\"counters\": \"free\" also takes those that are kept free for others"};

    if (slot->request.place == RUN_OF_PROCESSES && slot->n_processes == 0) {
        text_append_format(message,
                           "no process is counted as %s now; the configuration's "
                           "targets.processes say which are",
                           SHOWN(slot->request.place_name));
        return -ENOENT;
    }
    (void)pmu_list_read(runs->sysfs_fd, &slot->pmus); /* without it there are no kinds of cores */
    setup.machine.pmus = slot->pmus;
    (void)pthread_mutex_lock(&runs->lock);
    setup.spare.limit = runs->pmu_counters;
    setup.ring_bytes = (size_t)runs->schedule_ring;
    setup.spare.held = held_counters(runs);
    set_descriptors(runs, snapshot, setup.mechanism);
    setup.mechanism->paused = runs->is_paused;
    (void)pthread_mutex_unlock(&runs->lock);
    return run_session_open(&slot->request, &setup, ret_session, message);
}

static void free_processes(struct run_slot *slot)
{
    free(TAKE(slot->processes));
    slot->n_processes = 0;
}

/* Refuses what was asked for; the slot is free again. */
static void refuse(struct run_slot *slot, int error, struct text *message)
{
    struct deferred *answer = TAKE(slot->answer);

    run_request_done(&slot->request);
    slot->pmus = pmu_list_free(slot->pmus);
    slot->record = run_record_free(slot->record);
    (void)pthread_mutex_lock(&slot->runs->lock);
    slot->state = SLOT_FREE;
    (void)pthread_mutex_unlock(&slot->runs->lock);
    if (message->length == 0)
        text_append_string(message, strerror(-error));
    deferred_refuse(answer, error, message);
}

/* The number of the run that records, which begins and ends in this thread; 0: it has none yet. */
static uint64_t number_of_recorded(struct runs *runs)
{
    uint64_t id = 0;

    (void)pthread_mutex_lock(&runs->lock);
    for (size_t i = 0; i < RUNS_AT_ONCE; i++)
        if (runs->slots[i].record)
            id = runs->slots[i].id;
    (void)pthread_mutex_unlock(&runs->lock);
    return id;
}

/* Says how people come by the run that records already. */
static void tell_recorded(struct runs *runs, struct text *message)
{
    const uint64_t id = number_of_recorded(runs);

    if (id > 0)
        text_append_format(message,
                           ": it is run %" PRIu64 ", which pmutool runs stop %" PRIu64
                           " ends; pmutool runs lists all runs",
                           id, id);
    else
        text_append_string(message, ": pmutool runs lists it, and pmutool runs stop ID ends it");
}

/* A run of kind `record` needs the sampler's program before its events are opened. */
static int begin_record(struct run_slot *slot, struct text *message)
{
    const struct run_request *request = &slot->request;
    const struct profile_recording how = {.rate_hz = request->rate_hz,
                                          .is_of_threads = request->place == RUN_OF_PID ||
                                                           request->place == RUN_OF_PROCESSES};
    int r;

    if (request->kind != RUN_RECORDS)
        return 0;
    r = run_record_begin(slot->runs->setup.recorder, &how, &slot->record, message);
    if (r == -EBUSY)
        tell_recorded(slot->runs, message);
    return r;
}

/* Opens what was asked for, and has the historian keep it and answer. */
static void open_slot(struct run_slot *slot)
{
    struct text message = {0};
    struct run_session *session = NULL;
    int r = begin_record(slot, &message);

    if (r == 0)
        r = open_session(slot, &session, &message);
    free_processes(slot);
    if (r < 0) {
        refuse(slot, r, &message);
        return;
    }
    text_done(&message);
    run_request_done(&slot->request);
    (void)pthread_mutex_lock(&slot->runs->lock);
    slot->session = session;
    slot->state = SLOT_OPEN;
    (void)pthread_mutex_unlock(&slot->runs->lock);
    r = runs_keep_new(slot);
    if (r == 0)
        return;
    (void)pthread_mutex_lock(&slot->runs->lock);
    slot->session = run_session_free(slot->session);
    (void)pthread_mutex_unlock(&slot->runs->lock);
    text_append_string(&message, "too much waits to be kept");
    refuse(slot, r, &message);
}

/* Takes what was counted out of a session that has ended. The lock is held. */
static void close_slot(struct run_slot *slot)
{
    slot->recording = run_session_take_recording(slot->session);
    slot->session = run_session_free(slot->session);
    slot->pmus = pmu_list_free(slot->pmus);
    slot->state = SLOT_OVER;
    if (!slot->record)
        return;
    run_record_finish(slot->record);
    slot->state = SLOT_SETTLES;
    slot->ended_as = slot->recording->state;
    slot->recording->state = RUN_GOES_ON;
}

/* Ends a run whose samples are in. Returns whether it has ended. The lock is held. */
static bool settle_slot(struct run_slot *slot)
{
    const bool is_unwanted = slot->is_unwanted;

    if (!is_unwanted && !run_record_take(slot->record, slot->runs->is_stopping, slot->recording))
        return false;
    slot->record = run_record_free(slot->record);
    slot->recording->state = slot->ended_as;
    slot->state = SLOT_OVER;
    return true;
}

/* Reads, or ends, a run. Returns whether there is something new. The lock is held. */
static bool turn_slot(struct run_slot *slot, uint64_t now_ns)
{
    const bool is_due = now_ns >= run_session_due_ns(slot->session);

    if (slot->wanted == RUN_GOES_ON && (slot->is_unwanted || slot->runs->is_stopping))
        slot->wanted = RUN_CUT_SHORT;
    if (slot->wanted != RUN_GOES_ON)
        run_session_end(slot->session, slot->wanted, now_ns);
    else if (!is_due || run_session_turn(slot->session, now_ns) == RUN_GOES_ON)
        return is_due;
    close_slot(slot);
    return true;
}

static void follow_pause(struct runs *runs)
{
    if (runs->mechanism->paused == runs->is_paused)
        return;
    runs->mechanism->paused = runs->is_paused;
    for (size_t i = 0; i < RUNS_AT_ONCE; i++) {
        const struct run_slot *slot = &runs->slots[i];

        if (!slot->session)
            continue;
        mechanism_of(slot)->paused = runs->is_paused;
        run_session_follow_pause(slot->session);
    }
}

/* One round over all slots. Returns whether there is something new for streams. */
static bool turn(struct runs *runs)
{
    bool has_news = false;

    (void)pthread_mutex_lock(&runs->lock);
    follow_pause(runs);
    for (size_t i = 0; i < RUNS_AT_ONCE; i++) {
        struct run_slot *slot = &runs->slots[i];

        if (slot->state == SLOT_NAMED && runs->is_stopping)
            slot->state = SLOT_ASKED; /* the collector's thread waits for us now */
        if (slot->state == SLOT_ASKED) {
            (void)pthread_mutex_unlock(&runs->lock);
            open_slot(slot);
            (void)pthread_mutex_lock(&runs->lock);
        }
        if (slot->state == SLOT_OPEN)
            has_news |= turn_slot(slot, clock_monotonic_ns());
        if (slot->state == SLOT_SETTLES)
            has_news |= settle_slot(slot);
        if (slot->state == SLOT_OVER && !slot->is_submitted)
            slot->is_submitted = runs_keep_ended(slot) == 0;
        if (slot->state == SLOT_KEPT && clock_monotonic_ns() >= slot->kept_ns) {
            slot->recording = recording_free(slot->recording);
            slot->state = SLOT_FREE;
        }
    }
    runs->held = count_descriptors(runs);
    (void)pthread_mutex_unlock(&runs->lock);
    return has_news;
}

/* CLOCK_MONOTONIC of what comes next. */
static uint64_t next_ns(struct runs *runs, uint64_t now_ns, bool has_news)
{
    uint64_t next = now_ns + (has_news ? NEWS_NS : IDLE_NS);

    (void)pthread_mutex_lock(&runs->lock);
    for (size_t i = 0; i < RUNS_AT_ONCE; i++) {
        const struct run_slot *slot = &runs->slots[i];
        uint64_t due = UINT64_MAX;

        if (slot->state == SLOT_OPEN)
            due = run_session_due_ns(slot->session);
        else if (slot->state == SLOT_SETTLES)
            due = now_ns + RUN_RECORD_LOOK_NS;
        else if (slot->state == SLOT_OVER && !slot->is_submitted)
            due = now_ns + RETRY_NS;
        else if (slot->state == SLOT_KEPT)
            due = slot->kept_ns;
        next = due < next ? due : next;
    }
    (void)pthread_mutex_unlock(&runs->lock);
    return next;
}

/* Waits until something is to be done. */
static void wait_for_work(struct runs *runs, bool has_news)
{
    const uint64_t now_ns = clock_monotonic_ns(), at_ns = next_ns(runs, now_ns, has_news);
    const uint64_t ns = at_ns > now_ns ? at_ns - now_ns : 0;
    const struct timespec time = {.tv_sec = (time_t)(ns / NS_PER_SECOND),
                                  .tv_nsec = (long)(ns % NS_PER_SECOND)};
    struct pollfd poll = {.fd = runs->wake_fd, .events = POLLIN};
    uint64_t number;

    (void)ppoll(&poll, 1, &time, NULL);
    (void)!read(runs->wake_fd, &number, sizeof(number));
}

static void tell_streams(struct runs *runs)
{
    (void)pthread_mutex_lock(&runs->lock);
    if (runs->server)
        http_server_news(runs->server);
    (void)pthread_mutex_unlock(&runs->lock);
}

static bool is_stopping(struct runs *runs)
{
    bool is;

    (void)pthread_mutex_lock(&runs->lock);
    is = runs->is_stopping;
    (void)pthread_mutex_unlock(&runs->lock);
    return is;
}

static bool is_all_kept(struct runs *runs)
{
    bool is = true;

    (void)pthread_mutex_lock(&runs->lock);
    for (size_t i = 0; i < RUNS_AT_ONCE; i++)
        is &= runs->slots[i].state == SLOT_FREE || runs->slots[i].state == SLOT_KEPT ||
              runs->slots[i].is_submitted;
    (void)pthread_mutex_unlock(&runs->lock);
    return is;
}

void *runs_work(void *context)
{
    static const struct timespec last_try = {.tv_nsec = LAST_TRY_NS};
    struct runs *runs = context;
    uint64_t told_ns = 0;
    bool has_news = false;

    while (!is_stopping(runs)) {
        wait_for_work(runs, has_news);
        has_news |= turn(runs);
        if (has_news && clock_monotonic_ns() >= told_ns + NEWS_NS) {
            tell_streams(runs);
            told_ns = clock_monotonic_ns();
            has_news = false;
        }
    }
    for (int i = 0; i < LAST_TRIES; i++) {
        (void)turn(runs);
        if (is_all_kept(runs))
            break;
        (void)nanosleep(&last_try, NULL);
    }
    return NULL;
}
