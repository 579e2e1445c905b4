/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/places.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/suggest.h"
#include "profile/store_targets.h"

struct profile_places *profile_places_free(struct profile_places *places)
{
    if (!places)
        return NULL;
    free(places->owner);
    free(places->name);
    free(places->likely);
    free(places);
    return NULL;
}

/* Samples of the ring that are asked for. */
struct search {
    const struct profile_store *store;
    const bool *is_in; /* [target] */
    uint64_t from_ms, to_ms;
};

static uint64_t greatest(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The part of a range of which the ring has all samples. A ring without room has none. */
static void set_range(struct search *search, const struct profile_range *range)
{
    const struct profile_store *store = search->store;
    const uint64_t end_ns = least(range->to_ns, store->latest_ns + NS_PER_MS);

    search->from_ms = greatest(range->from_ns, store->began_ns) / NS_PER_MS;
    search->from_ms =
        greatest(search->from_ms, least(store->recent.whole_from_ms, UINT64_MAX / NS_PER_MS));
    search->to_ms = greatest(end_ns / NS_PER_MS, search->from_ms);
}

/* The function in which a sample was taken; NAME_NONE: it is none that is asked for. */
static uint32_t function_of(const struct search *search, const struct recent_sample *sample)
{
    const uint64_t time_ms = recent_time_ms(&search->store->recent, sample);

    if (sample->target == RECENT_NO_TARGET || !search->is_in[sample->target] ||
        time_ms < search->from_ms || time_ms >= search->to_ms || sample->node == 0)
        return NAME_NONE;
    return search->store->trie.nodes[sample->node].function;
}

static bool has_name(const struct profile_function_name *function,
                     const struct profile_wanted_function *wanted)
{
    return strcmp(function->name, wanted->name) == 0 &&
           (!wanted->owner || strcmp(function->owner, wanted->owner) == 0);
}

/* Counts the samples of each function, and returns how many they are. */
static uint64_t count_functions(const struct search *search, uint64_t *counts)
{
    const struct recent *recent = &search->store->recent;
    uint64_t all = 0;

    for (size_t i = 0; i < recent->n; i++) {
        const uint32_t function = function_of(search, &recent->samples[i]);

        if (function == NAME_NONE)
            continue;
        counts[function]++;
        all++;
    }
    return all;
}

/* Chooses the function of this name with most samples, and counts those of all others. */
static void choose(const struct search *search, const uint64_t *counts,
                   const struct profile_wanted_function *wanted, struct profile_places *places)
{
    const struct name_table *names = &search->store->names;
    uint64_t sum = 0;

    places->function = NAME_NONE;
    for (uint32_t i = 0; i < names->n; i++) {
        if (counts[i] == 0 || !has_name(&names->names[i], wanted))
            continue;
        sum += counts[i];
        if (counts[i] > places->samples) {
            places->samples = counts[i];
            places->function = i;
        }
    }
    places->elsewhere = sum - places->samples;
}

static int compare_places(const void *left, const void *right)
{
    const struct profile_place *a = left, *b = right;

    return (a->place > b->place) - (a->place < b->place);
}

/* Makes one of those that have the same place. */
static void add_up(struct profile_places *places)
{
    size_t n = 0;

    qsort(places->places, places->n, sizeof(places->places[0]), compare_places);
    for (size_t i = 0; i < places->n; i++)
        if (n > 0 && places->places[n - 1].place == places->places[i].place)
            places->places[n - 1].samples += places->places[i].samples;
        else
            places->places[n++] = places->places[i];
    places->n = n;
}

static void take_places(const struct search *search, struct profile_places *places)
{
    const struct recent *recent = &search->store->recent;

    for (size_t i = 0; i < recent->n; i++) {
        const struct recent_sample *sample = &recent->samples[i];

        if (function_of(search, sample) == places->function && sample->place != PROFILE_NO_PLACE)
            places->places[places->n++] = (struct profile_place){sample->place, 1};
    }
    add_up(places);
}

/* Whoever asks shall not keep the thread of profiles busy: more are not looked at. */
#define MOST_WORDS 1000

/* Words that differ more in length are not near each other. */
static bool may_be_near(const char *name, const char *wanted)
{
    const size_t length = strlen(name), other = strlen(wanted);

    return length <= other + other / 3 + 1 && other <= length + other / 3 + 1;
}

/*
 * A name that has samples, and may have been meant: the one with most of those that contain what
 * was given, as "push_back" is part of "std::vector<int>::push_back(int)"; or the nearest one.
 */
static const char *find_likely(const struct search *search, const uint64_t *counts,
                               const struct profile_wanted_function *wanted)
{
    const struct name_table *names = &search->store->names;
    const char *words[MOST_WORDS];
    const char *likely = NULL;
    uint64_t most = 0;
    size_t n = 0;

    for (uint32_t i = 0; i < names->n; i++) {
        const struct profile_function_name *function = &names->names[i];

        if (counts[i] == 0 || (wanted->owner && strcmp(wanted->owner, function->owner) != 0))
            continue;
        if (n < MOST_WORDS && may_be_near(function->name, wanted->name))
            words[n++] = function->name;
        if (*wanted->name && counts[i] > most && strcasestr(function->name, wanted->name)) {
            most = counts[i];
            likely = function->name;
        }
    }
    return likely ? likely : suggest_nearest(wanted->name, words, n);
}

/* Room for the places of the function that is chosen. NULL: no memory. */
static struct profile_places *make_places(const struct search *search,
                                          const struct profile_wanted_function *wanted)
{
    AUTO_FREE uint64_t *counts = calloc(search->store->names.n + 1, sizeof(*counts));
    struct profile_places head = {.from_ns = search->from_ms * NS_PER_MS,
                                  .to_ns = search->to_ms * NS_PER_MS,
                                  .rate_hz = search->store->rate_hz};
    struct profile_places *places;

    if (!counts)
        return NULL;
    head.all = count_functions(search, counts);
    choose(search, counts, wanted, &head);
    places = calloc(1, sizeof(*places) + head.samples * sizeof(places->places[0]));
    if (!places)
        return NULL;
    *places = head;
    if (head.function == NAME_NONE) {
        const char *likely = find_likely(search, counts, wanted);

        places->likely = likely ? strdup(likely) : NULL;
    }
    return places;
}

static int set_names(const struct profile_store *store, struct profile_places *places)
{
    const struct profile_function_name *function = &store->names.names[places->function];

    places->kind = function->kind;
    places->owner = strdup(function->owner);
    places->name = strdup(function->name);
    return places->owner && places->name ? 0 : -ENOMEM;
}

int profile_store_places(const struct profile_store *store, const struct profile_range *range,
                         const struct profile_wanted_function *wanted,
                         struct profile_places **ret_places)
{
    AUTO_FREE bool *is_in = calloc(store->n_targets, sizeof(*is_in));
    AUTO(profile_places) struct profile_places *places = NULL;
    struct search search = {.store = store, .is_in = is_in};
    int r = 0;

    if (!is_in)
        return -ENOMEM;
    if (!store_targets_in(store, range, is_in))
        return -ENOENT;
    set_range(&search, range);
    places = make_places(&search, wanted);
    if (!places)
        return -ENOMEM;
    if (places->function == NAME_NONE) {
        *ret_places = TAKE(places);
        return -ESRCH;
    }
    r = set_names(store, places);
    if (r < 0)
        return r;
    take_places(&search, places);
    *ret_places = TAKE(places);
    return 0;
}
