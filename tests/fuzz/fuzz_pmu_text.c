/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever a PMU's files in sysfs hold: a field, terms, a unit and a scale of which all is sound.
 */

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "event/pmu_format.h"
#include "event/pmu_terms.h"
#include "event/pmu_unit.h"
#include "fuzz/fuzz.h"

static void read_format(const char *text)
{
    struct pmu_format format;

    if (pmu_format_parse(text, &format) < 0)
        return;
    FUZZ_CHECK(format.bits != 0 && format.number < CODE_NUMBER_COUNT_);
    FUZZ_CHECK(pmu_format_spread(&format, pmu_format_maximum(&format)) == format.bits);
    FUZZ_CHECK(pmu_format_spread(&format, 0) == 0);
}

static void read_terms(const char *text)
{
    const char *rest = text;
    struct pmu_term term;
    int r;

    while ((r = pmu_term_next(&rest, &term)) > 0) {
        FUZZ_CHECK(term.name[0] && strlen(term.name) < PMU_WORD_SIZE);
        FUZZ_CHECK(strlen(term.word) < PMU_WORD_SIZE);
        FUZZ_CHECK(rest > text && rest <= text + strlen(text));
        text = rest;
    }
    FUZZ_CHECK(r == 0 ? *rest == '\0' || *rest == ' ' : r < 0);
}

static void read_unit(const char *unit, const char *scale)
{
    struct pmu_unit parsed;

    if (!pmu_unit_parse(unit, scale, &parsed))
        return;
    FUZZ_CHECK(strspn(parsed.word, "abcdefghijklmnopqrstuvwxyz") == strlen(parsed.word));
    FUZZ_CHECK(strlen(parsed.word) < PMU_UNIT_SIZE);
    FUZZ_CHECK(isfinite(parsed.scale) && parsed.scale > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *text = strndup((const char *)data, size);

    FUZZ_CHECK(text);
    read_format(text);
    read_terms(text);
    read_unit(text, NULL);
    read_unit(NULL, text);
    read_unit("MiB", text);
    return 0;
}
