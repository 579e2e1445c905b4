/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_keeper.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "log/log.h"

#define HOUR 60 /* minutes */

/* So many minutes are over before one is kept: names are found out by then. */
#define DELAY 1

struct profile_keeper {
    struct history *history;
    int bell_fd;
    pthread_mutex_t lock; /* of what follows */
    bool is_asked;        /* the historian is reading */
    bool has_read;        /* it has read what follows, with this result */
    int result;
    uint64_t id;
    struct history_profiles read;
    struct text bytes;
    /* the thread's own */
    bool has_begun, is_loaded;
    bool begins_anew;       /* what is being read is for a store that has ended */
    uint32_t began;         /* the first minute that was open then */
    uint32_t minutes_until; /* before this minute all are kept */
    uint32_t hours_until;   /* before this minute, which begins an hour, all hours are kept */
    uint64_t next_try_ns;   /* when the historian may have room again */
};

struct profile_keeper *profile_keeper_new(struct history *history, int bell_fd)
{
    struct profile_keeper *keeper = calloc(1, sizeof(*keeper));

    if (!keeper)
        return NULL;
    keeper->history = history;
    keeper->bell_fd = bell_fd;
    (void)pthread_mutex_init(&keeper->lock, NULL);
    return keeper;
}

struct profile_keeper *profile_keeper_free(struct profile_keeper *keeper)
{
    if (!keeper)
        return NULL;
    text_done(&keeper->bytes);
    (void)pthread_mutex_destroy(&keeper->lock);
    free(keeper);
    return NULL;
}

/* On the historian's thread. Whoever has asked looks at nothing of this until it is told. */
static void read_next(struct history_store *history, void *context)
{
    struct profile_keeper *keeper = context;
    struct history_profiles read = {0};
    struct text bytes = {0};
    uint64_t id = keeper->id;
    const int r = history_store_next_profiles(history, &id, &read, &bytes);
    const uint64_t one = 1;

    (void)pthread_mutex_lock(&keeper->lock);
    keeper->result = r;
    keeper->id = id;
    keeper->read = read;
    keeper->bytes = bytes;
    keeper->has_read = true;
    (void)pthread_mutex_unlock(&keeper->lock);
    (void)!write(keeper->bell_fd, &one, sizeof(one));
}

static void ask(struct profile_keeper *keeper)
{
    const int r = history_submit(keeper->history, read_next, keeper);

    keeper->is_asked = r == 0;
    keeper->is_loaded = r == -EOPNOTSUPP;
}

static bool take_answer(struct profile_keeper *keeper)
{
    bool has_read;

    (void)pthread_mutex_lock(&keeper->lock);
    has_read = keeper->has_read;
    keeper->has_read = false;
    (void)pthread_mutex_unlock(&keeper->lock);
    if (has_read)
        keeper->is_asked = false;
    return has_read;
}

static void log_damage(const struct history_profiles *read)
{
    char when[24];

    (void)snprintf(when, sizeof(when), "%llu", 60 * (unsigned long long)read->minute);
    log_warning("profiles that were kept are damaged, and are left out", "unix_time", when);
}

/* Minutes of hours that are over become hours soon. */
static void note_kept(struct profile_keeper *keeper, const struct history_profiles *read)
{
    if (read->end - read->minute < HOUR && read->minute < keeper->hours_until)
        keeper->hours_until = read->minute / HOUR * HOUR;
}

/* Takes in what the historian has read, if it has, and asks for more. */
static void load(struct profile_keeper *keeper, struct profile_store *store)
{
    int r;

    if (keeper->is_asked && !take_answer(keeper))
        return;
    if (keeper->begins_anew) {
        keeper->begins_anew = false;
        keeper->id = 0;
        text_clear(&keeper->bytes);
        keeper->result = 0;
    }
    r = keeper->result;
    if (keeper->bytes.length > 0 && r == 0) {
        r = profile_store_unpack(store, keeper->bytes.data, keeper->bytes.length);
        note_kept(keeper, &keeper->read);
    }
    text_done(&keeper->bytes);
    if (r == -EBADMSG && keeper->read.end > 0)
        log_damage(&keeper->read);
    keeper->read = (struct history_profiles){0};
    keeper->result = 0;
    if (r < 0 && r != -EBADMSG)
        keeper->is_loaded = true;
    else
        ask(keeper);
}

struct kept {
    struct text bytes;
    struct history_profiles profiles;
    uint32_t oldest;
};

static void keep_on_disk(struct history_store *history, void *context)
{
    struct kept *kept = context;

    kept->profiles.data = kept->bytes.data;
    kept->profiles.bytes = kept->bytes.length;
    (void)history_store_add_profiles(history, &kept->profiles, kept->oldest);
    text_done(&kept->bytes);
    free(kept);
}

/* Whether these minutes are kept, or have no samples; else it is to be tried again. */
static bool keep(struct profile_keeper *keeper, const struct profile_store *store, uint32_t minute,
                 uint32_t end)
{
    struct kept *kept = calloc(1, sizeof(*kept));
    int r = kept ? profile_store_pack(store, minute, end, &kept->bytes) : -ENOMEM;

    if (r == 0 && kept->bytes.length > 0) {
        kept->profiles = (struct history_profiles){.minute = minute, .end = end};
        kept->oldest = profile_store_times(store).oldest;
        r = history_submit(keeper->history, keep_on_disk, kept);
        if (r == 0)
            return true;
    }
    if (kept)
        text_done(&kept->bytes);
    free(kept);
    return r == 0 || r == -EOPNOTSUPP;
}

static void keep_next(struct profile_keeper *keeper, const struct profile_store *store,
                      uint32_t *until, uint32_t minutes)
{
    if (keep(keeper, store, *until, *until + minutes))
        *until += minutes;
    else
        keeper->next_try_ns = clock_monotonic_ns() + NS_PER_SECOND;
}

/* A minute or an hour at a time, as it is some work. */
static void keep_closed(struct profile_keeper *keeper, const struct profile_store *store,
                        const struct profile_times *times)
{
    if (clock_monotonic_ns() < keeper->next_try_ns)
        return;
    if (keeper->minutes_until + DELAY < times->open_from)
        keep_next(keeper, store, &keeper->minutes_until, 1);
    else if (keeper->hours_until < times->minutes_from)
        keep_next(keeper, store, &keeper->hours_until, HOUR);
}

static uint32_t later(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/*
 * A clock that was set back by minutes begins anew. One that was set forward by years, as on a
 * machine whose clock has no battery, leaves no minutes that are not hours by now, and no hours
 * that are older than what is kept.
 */
static void follow_clock(struct profile_keeper *keeper, const struct profile_times *times)
{
    if (keeper->has_begun && keeper->minutes_until <= times->open_from) {
        keeper->minutes_until = later(keeper->minutes_until, times->minutes_from);
        keeper->hours_until = later(keeper->hours_until, times->oldest);
        return;
    }
    keeper->minutes_until = times->open_from;
    if (keeper->has_begun)
        return;
    keeper->has_begun = true;
    keeper->began = times->open_from;
    keeper->hours_until = times->minutes_from;
}

void profile_keeper_turn(struct profile_keeper *keeper, struct profile_store *store)
{
    const struct profile_times times = profile_store_times(store);

    if (times.open_from == 0 || !keeper->history)
        return;
    follow_clock(keeper, &times);
    if (!keeper->is_loaded)
        load(keeper, store);
    else
        keep_closed(keeper, store, &times);
}

/*
 * The two minutes in which it may have begun may be kept already, by who was here before. As long
 * as that is not taken in it must not be replaced.
 */
void profile_keeper_end(struct profile_keeper *keeper, struct profile_store *store)
{
    struct profile_times times;
    uint32_t minute;

    if (!keeper->has_begun)
        return;
    profile_store_close(store);
    times = profile_store_times(store);
    minute = keeper->minutes_until;
    if (!keeper->is_loaded && minute < keeper->began + 2)
        minute = keeper->began + 2;
    for (; minute <= times.open_from + 1; minute++)
        (void)keep(keeper, store, minute, minute + 1);
    keeper->has_begun = keeper->is_loaded = false;
    keeper->begins_anew = true;
}
