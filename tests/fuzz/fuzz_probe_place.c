/* SPDX-License-Identifier: Apache-2.0 */

/* Places of probes, and their names. */

#include <string.h>

#include "base/cleanup.h"
#include "event/probe.h"
#include "fuzz/fuzz.h"

static void check_place(enum probe_kind kind, const struct probe_place *place)
{
    FUZZ_CHECK(place->symbol && place->symbol[0] && !strpbrk(place->symbol, " \t\n%/"));
    FUZZ_CHECK((kind == PROBE_KERNEL) == !place->file && (kind == PROBE_USDT) == !!place->provider);
    FUZZ_CHECK(!place->file || place->file[0] == '/');
    FUZZ_CHECK(!place->is_return || place->offset == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);

    FUZZ_CHECK(text);
    for (enum probe_kind kind = PROBE_KERNEL; kind < PROBE_KIND_COUNT_; kind++) {
        struct probe_place place;

        FUZZ_CHECK(probe_place_expected(kind)[0]);
        if (probe_place_parse(kind, text, &place) < 0)
            continue;
        check_place(kind, &place);
        probe_place_done(&place);
    }
    FUZZ_CHECK(!probe_name_valid(text) || !strpbrk(text, ":%+/ "));
    return 0;
}
