/* SPDX-License-Identifier: Apache-2.0 */

/* Whatever a PMU's files in sysfs hold: a field, terms, a unit and a scale of which all is sound.
 */

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "event/pmu_format.h"
#include "event/pmu_terms.h"
#include "event/pmu_unit.h"
#include "fuzz/fuzz.h"

/* The number that the field is in is found by its name, and is one of the code's, or config3. */
static void check_number(enum code_number number)
{
    struct event_code code = {0};
    uint64_t *const place = code_number_of(&code, number);
    const char *const name = code_number_name(number);
    enum code_number found;

    FUZZ_CHECK(code_number_parse(name, &found) == strlen(name) && found == number);
    FUZZ_CHECK(!place == (number == CODE_CONFIG3));
    for (enum code_number other = 0; place && other < CODE_NUMBER_COUNT_; other++)
        FUZZ_CHECK((place == code_number_of(&code, other)) == (other == number));
}

/* Written bit by bit, from the last one, it is the same field. */
static void check_written(const struct pmu_format *format)
{
    AUTO_TEXT struct text text = {0};
    struct pmu_format again;
    char before = ':';

    text_append_string(&text, code_number_name(format->number));
    for (unsigned bit = 64; bit-- > 0;)
        if (format->bits >> bit & 1) {
            text_append_format(&text, "%c%u", before, bit);
            before = ',';
        }
    text_append_char(&text, '\0');
    FUZZ_CHECK(pmu_format_parse(text.data, &again) == 0);
    FUZZ_CHECK(again.number == format->number && again.bits == format->bits);
}

static void read_format(const char *text)
{
    struct pmu_format format;

    if (pmu_format_parse(text, &format) < 0)
        return;
    FUZZ_CHECK(format.bits != 0 && format.number < CODE_NUMBER_COUNT_);
    FUZZ_CHECK(pmu_format_spread(&format, pmu_format_maximum(&format)) == format.bits);
    FUZZ_CHECK(pmu_format_spread(&format, 0) == 0);
    check_number(format.number);
    check_written(&format);
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
