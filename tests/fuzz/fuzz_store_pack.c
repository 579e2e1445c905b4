/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Profiles as they are kept: whatever the bytes, the store that takes them in is whole, and what it
 * packs of them another one takes in without a complaint, with the same samples.
 */
#include <stdint.h>

#include "base/clock.h"
#include "base/text.h"
#include "fuzz/fuzz.h"
#include "profile/store.h"
#include "profile/tree.h"

#define NOW   (UINT64_C(20001) * 86400 * NS_PER_SECOND)
#define LAST  ((uint32_t)(NOW / NS_PER_SECOND / 60) + 2)
#define FIRST (LAST - 10 * 24 * 60)

static struct profile_store *make_store(void)
{
    const struct profile_limits limits = {
        .nodes = 4096, .functions = 1024, .slice_bytes = 1 << 20, .recent = 16, .targets = 64};
    struct profile_store *store = profile_store_new(&limits, 100);

    FUZZ_CHECK(store != NULL);
    profile_store_tick(store, NOW);
    return store;
}

static uint64_t samples_of(const struct profile_store *store)
{
    const struct profile_range all = {.scope = PROFILE_MACHINE,
                                      .label = "",
                                      .from_ns = FIRST * 60 * NS_PER_SECOND,
                                      .to_ns = UINT64_MAX};
    AUTO(profile_tree) struct profile_tree *tree = NULL;
    uint64_t sum = 0;

    if (profile_store_collect(store, &all, &tree) < 0)
        return 0;
    for (size_t i = 0; i < tree->n_nodes; i++)
        sum += tree->nodes[i].self;
    FUZZ_CHECK(sum == tree->nodes[0].total);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO(profile_store) struct profile_store *store = make_store(), *other = make_store();
    AUTO_TEXT struct text bytes = {0};

    (void)profile_store_unpack(store, data, size);
    FUZZ_CHECK(profile_store_pack(store, FIRST, LAST, &bytes) == 0);
    if (bytes.length > 0)
        FUZZ_CHECK(profile_store_unpack(other, bytes.data, bytes.length) == 0);
    FUZZ_CHECK(samples_of(other) == samples_of(store));
    profile_store_tick(store, NOW + 7200 * NS_PER_SECOND);
    (void)samples_of(store);
    return 0;
}
