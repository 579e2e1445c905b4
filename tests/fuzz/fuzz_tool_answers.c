/* SPDX-License-Identifier: Apache-2.0 */

/* What pmutool is answered about profiles and distributions, by an exporter or by somebody else. */

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "tool/latency/distribution.h"
#include "tool/profile/answer.h"

static void read_profile(const json_t *answer)
{
    struct profile_columns columns;
    struct profile_head head;
    const char *name;
    json_t *column;

    if (profile_head_read(answer, &head) == 0)
        FUZZ_CHECK(isfinite(head.from) && isfinite(head.to) && isfinite(head.samples));
    if (profile_columns_read(answer, "functions", &columns) < 0)
        return;
    json_object_foreach((json_t *)(uintptr_t)columns.object, name, column)
    {
        FUZZ_CHECK(json_array_size(column) == columns.n);
        for (size_t i = 0; i <= columns.n; i++) {
            const size_t place = profile_place(&columns, name, i);

            FUZZ_CHECK(profile_word(&columns, name, i));
            FUZZ_CHECK(place == SIZE_MAX || place < UINT32_MAX);
        }
    }
}

static void check_distribution(const struct distribution *distribution)
{
    FUZZ_CHECK(distribution->family && distribution->n <= DISTRIBUTION_BUCKETS);
    (void)distribution_quantile(distribution, 0.5);
    (void)distribution_quantile(distribution, 0.999);
}

/* What is taken from itself leaves nothing. */
static void read_distributions(const json_t *answer)
{
    struct distributions earlier, later;
    int r = distributions_read(answer, &earlier);

    FUZZ_CHECK(r == 0 || r == -EPROTO);
    if (r < 0)
        return;
    FUZZ_CHECK(distributions_read(answer, &later) == 0 && later.n == earlier.n);
    for (size_t i = 0; i < earlier.n; i++)
        check_distribution(&earlier.all[i]);
    FUZZ_CHECK(distributions_subtract(&later, &earlier) == 0);
    for (size_t i = 0; i < later.n; i++) {
        FUZZ_CHECK(!(distribution_count(&later.all[i]) > 0));
        (void)distribution_is_shown(&later.all[i]);
    }
    distributions_done(&earlier);
    distributions_done(&later);
}

/* A target, in a request that has no other bytes than an address has. */
static void append_path(const char *target)
{
    AUTO_TEXT struct text path = {0};

    distributions_append_path(&path, target, "run_queue");
    FUZZ_CHECK(!path.failed);
    for (size_t i = 0; i < path.length; i++)
        FUZZ_CHECK(path.data[i] > ' ' && path.data[i] < '\x7f' && path.data[i] != '#');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);
    json_t *const answer = json_loadb((const char *)data, size, JSON_DECODE_INT_AS_REAL, NULL);

    FUZZ_CHECK(text);
    append_path(text);
    if (!answer)
        return 0;
    read_profile(answer);
    read_distributions(answer);
    json_decref(answer);
    return 0;
}
