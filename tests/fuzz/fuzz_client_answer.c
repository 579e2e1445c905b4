/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/answer.h"
#include "client/client.h"
#include "client/event_stream.h"
#include "fuzz/fuzz.h"

/* What a value says of targets, if it does: all of it can be read. */
static void read_targets(const json_t *value)
{
    struct pmu_targets *targets;
    const char *expected = NULL;
    double sum = 0;

    if (pmu_targets_read(value, &targets, &expected) < 0) {
        FUZZ_CHECK(expected);
        return;
    }
    for (size_t i = 0; i < targets->n_tables; i++) {
        const struct pmu_table *const table = &targets->tables[i];

        FUZZ_CHECK(table->kind);
        for (size_t j = 0; j < table->n_rows; j++)
            for (size_t k = 0; k < table->n_columns; k++) {
                FUZZ_CHECK(table->columns[k].name);
                sum += table->rows[j].values[k];
            }
    }
    FUZZ_CHECK(sum <= 0 || sum >= 0 || targets->n_tables > 0);
    (void)pmu_targets_free(targets);
}

static void read_answer(const char *type, int status, const char *data, size_t size)
{
    const struct answer answer = {status, type, data, size};
    char words[64] = "";
    json_t *value = NULL;
    const int r = answer_read(&answer, &value, words, sizeof(words));

    FUZZ_CHECK(r == 0 ? value != NULL : *words != '\0');
    if (r == 0)
        read_targets(value);
    json_decref(value);
}

/* The bytes come in pieces of this size; the events are the same for each. */
static size_t read_stream(const char *data, size_t size, size_t step)
{
    struct event_stream stream = {0};
    struct buffer buffer = {.data = malloc(size + 1)};
    struct stream_event event;
    size_t sum = 0;

    for (size_t at = 0; buffer.data && at < size; at += step) {
        const size_t n = size - at < step ? size - at : step;

        memcpy(buffer.data + buffer.length, data + at, n);
        buffer.length += n;
        while (event_stream_next(&stream, &buffer, &event) == 1)
            sum = 31 * sum + strlen(event.name) + strlen(event.id) + event.data_length + 1;
    }
    free(buffer.data);
    return sum;
}

/* The answer of an exporter, or of whoever listens in its place. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *const data = (const char *)bytes;

    read_answer("application/json", 200, data, size);
    read_answer("application/json", 400, data, size);
    read_answer("text/plain", 200, data, size);
    read_answer("text/plain", 503, data, size);
    FUZZ_CHECK(read_stream(data, size, 1) == read_stream(data, size, size + 1));
    FUZZ_CHECK(read_stream(data, size, 7) == read_stream(data, size, size + 1));
    return 0;
}
