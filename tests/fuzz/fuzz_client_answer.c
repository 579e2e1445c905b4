/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/answer.h"
#include "client/client.h"
#include "client/event_stream.h"
#include "fuzz/fuzz.h"

/* Each label that is a text is found by its name. */
static void find_labels(const struct pmu_row *row)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)row->labels, name, value)
        FUZZ_CHECK(pmu_row_label(row, name) == json_string_value(value));
    FUZZ_CHECK(!pmu_row_label(row, "no label"));
}

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
        for (size_t j = 0; j < table->n_rows; j++) {
            find_labels(&table->rows[j]);
            for (size_t k = 0; k < table->n_columns; k++) {
                FUZZ_CHECK(table->columns[k].name);
                sum += table->rows[j].values[k];
            }
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

/* What is no JSON comes as it is, and is refused in the words in which a value is refused. */
static void read_bytes(const struct answer *answer)
{
    char words[64] = "", of_value[64] = "";
    json_t *value = NULL;
    char *bytes = NULL;
    size_t n = 0;
    const int r = answer_read_bytes(answer, &bytes, &n, words, sizeof(words));

    if (r == 0) {
        FUZZ_CHECK(n == answer->length && memcmp(bytes, answer->body, n) == 0 && bytes[n] == '\0');
        free(bytes);
        return;
    }
    FUZZ_CHECK(!bytes && *words && strlen(words) < sizeof(words) && !strchr(words, '\n'));
    FUZZ_CHECK(answer_read(answer, &value, of_value, sizeof(of_value)) == r && !value);
    FUZZ_CHECK(strcmp(words, of_value) == 0);
}

/* Each status but those in the 200s is a refusal, whatever stands in the body. */
static void read_statuses(const char *type, const char *data, size_t size)
{
    static const struct {
        int status, r;
    } of[] = {{200, 0},        {204, 0},          {400, -EINVAL},   {401, -EPERM},
              {403, -EPERM},   {404, -ENOENT},    {429, -EBUSY},    {503, -EAGAIN},
              {0, -EREMOTEIO}, {302, -EREMOTEIO}, {500, -EREMOTEIO}};

    for (size_t i = 0; i < ARRAY_SIZE(of); i++) {
        const struct answer answer = {of[i].status, type, data, size};
        char words[64];
        char *bytes = NULL;
        size_t n;

        FUZZ_CHECK(answer_read_bytes(&answer, &bytes, &n, words, sizeof(words)) == of[i].r);
        free(bytes);
        read_bytes(&answer);
    }
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
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *const text = (const char *)data;

    read_answer("application/json", 200, text, size);
    read_answer("application/json", 400, text, size);
    read_answer("text/plain", 200, text, size);
    read_answer("text/plain", 503, text, size);
    read_statuses("text/plain", text, size);
    read_bytes(&(struct answer){403, "application/json; charset=utf-8", text, size});
    FUZZ_CHECK(read_stream(text, size, 1) == read_stream(text, size, size + 1));
    FUZZ_CHECK(read_stream(text, size, 7) == read_stream(text, size, size + 1));
    return 0;
}
