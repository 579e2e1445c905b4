/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Whatever somebody sends as a run: it is taken, or refused with words. What is taken reads back,
 * also packed.
 */

#include <errno.h>

#include "fuzz/fuzz.h"
#include "run/recording_text.h"
#include "run/request.h"

static void write_and_read_back(const struct recording *recording)
{
    AUTO_TEXT struct text text = {0}, bytes = {0};
    AUTO(recording) struct recording *copy = NULL;
    AUTO_FREE char *json = NULL;

    recording_append_csv(recording, &text);
    text_clear(&text);
    FUZZ_CHECK(recording_append_comparison(recording, recording, &text) ==
               (recording->n_columns > 0 ? 0 : -EINVAL));
    text_clear(&text);
    FUZZ_CHECK(recording_append_json(recording, false, &text) == 0);
    json = text_take(&text);
    FUZZ_CHECK(recording_read_head(json, &copy) == 0);
    FUZZ_CHECK(recording_pack(recording, &bytes) == 0);
    FUZZ_CHECK(recording_unpack(copy, bytes.data, bytes.length) == 0);
    FUZZ_CHECK(copy->n_rows == recording->n_rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_TEXT struct text message = {0};
    AUTO(recording) struct recording *recording = NULL;
    AUTO(recording) struct recording *packed = recording_new();
    struct run_request request;
    struct run_rename rename;
    int r = run_request_parse((const char *)data, size, &request, &message);

    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    run_request_done(&request);
    text_clear(&message);
    r = run_rename_parse((const char *)data, size, &rename, &message);
    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    run_rename_done(&rename);
    text_clear(&message);
    r = recording_parse_imported((const char *)data, size, &recording, &message);
    FUZZ_CHECK(r == 0 || (r == -EINVAL && message.length > 0));
    if (r == 0)
        write_and_read_back(recording);
    FUZZ_CHECK(recording_add_column(packed, "a", "", 1, RUN_TOTAL) == 0);
    FUZZ_CHECK(recording_add_column(packed, "b", "", 1, RUN_RATIO) == 0);
    (void)recording_unpack(packed, data, size);
    return 0;
}
