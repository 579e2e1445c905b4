/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <errno.h>
#include <string.h>

#include "history/open_rows.h"
#include "history/thinning.h"

#define SECONDS 60
#define NUMBERS 11

/* Rows of a minute; some totals are unknown now and then, one always, one is extreme. */
static void fill(struct open_rows *open, struct chunk_rows *rows)
{
    assert_int_equal(open_rows_init(open, NUMBERS), 0);
    assert_int_equal(chunk_rows_init(rows, SECONDS, NUMBERS), 0);
    for (size_t i = 0; i < SECONDS; i++) {
        uint64_t *totals = &rows->totals[i * NUMBERS];

        rows->monotonic_us[i] = 5000000 + i * 1000003;
        rows->realtime_ms[i] = 1795370575578 + i * 1000 - (i > 30 ? 7200000 : 0);
        for (size_t j = 0; j < NUMBERS; j++)
            totals[j] = (i + j) % 7 == 0 ? ROW_UNKNOWN : i * j * 12345;
        totals[3] = ROW_UNKNOWN;
        totals[4] = i % 2 ? UINT64_MAX - 1 : 0;
        assert_int_equal(
            open_rows_append(open, rows->monotonic_us[i], rows->realtime_ms[i], totals), 0);
    }
}

static void assert_same(const struct chunk_rows *a, const struct chunk_rows *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->has_base, b->has_base);
    assert_memory_equal(a->monotonic_us, b->monotonic_us, a->n_rows * sizeof(uint64_t));
    assert_memory_equal(a->realtime_ms, b->realtime_ms, a->n_rows * sizeof(uint64_t));
    assert_memory_equal(a->totals, b->totals, a->n_rows * a->n_numbers * sizeof(uint64_t));
}

static void rows__that_are_open_are_read_as_they_were_appended(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, read = {0};
    struct open_rows open;

    (void)state;
    fill(&open, &rows);
    assert_int_equal(open_rows_read(&open, &read), 0);
    assert_same(&read, &rows);
    open_rows_done(&open);
}

static void rows__that_go_on_have_a_base_with_what_was_known_last(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, read = {0};
    struct open_rows open;

    (void)state;
    fill(&open, &rows);
    assert_int_equal(open_rows_restart(&open), 0);
    assert_int_equal(open_rows_read(&open, &read), 0);
    assert_int_equal(read.n_rows, 1);
    assert_true(read.has_base);
    assert_true(read.totals[3] == ROW_UNKNOWN); /* it never was known */
    for (size_t j = 0; j < NUMBERS; j++)
        if (j != 3 && j != 4) {
            const size_t last = (SECONDS - 1 + j) % 7 == 0 ? SECONDS - 2 : SECONDS - 1;

            assert_true(read.totals[j] == last * j * 12345);
        }
    open_rows_done(&open);
}

static void chunk__is_decoded_as_it_was(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, read = {0};
    AUTO_TEXT struct text blob = {0};
    struct open_rows open;

    (void)state;
    fill(&open, &rows);
    open_rows_done(&open);
    rows.has_base = true;
    assert_int_equal(chunk_encode(&rows, &blob), 0);
    assert_int_equal(chunk_decode(blob.data, blob.length, NUMBERS, &read), 0);
    assert_same(&read, &rows);
}

static void chunk__that_is_cut_or_changed_is_refused(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, read = {0};
    AUTO_TEXT struct text blob = {0};
    struct open_rows open;

    (void)state;
    fill(&open, &rows);
    open_rows_done(&open);
    assert_int_equal(chunk_encode(&rows, &blob), 0);
    for (size_t i = 0; i < blob.length; i++) {
        assert_int_equal(chunk_decode(blob.data, i, NUMBERS, &read), -EBADMSG);
        for (unsigned bit = 0; bit < 8; bit++) {
            int r;

            blob.data[i] = (char)(blob.data[i] ^ (char)(1 << bit));
            r = chunk_decode(blob.data, blob.length, NUMBERS, &read);
            if (r == 0) { /* a bit of the frame's head that means nothing */
                assert_same(&read, &rows);
                chunk_rows_done(&read);
            } else {
                assert_int_equal(r, -EBADMSG);
            }
            blob.data[i] = (char)(blob.data[i] ^ (char)(1 << bit));
        }
    }
    assert_int_equal(chunk_decode(blob.data, blob.length, NUMBERS + 1, &read), -EBADMSG);
}

static void thinning__keeps_what_was_counted_between_the_rows_it_keeps(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows rows = {0}, thin = {0};

    (void)state;
    assert_int_equal(chunk_rows_init(&rows, 125, 1), 0);
    for (size_t i = 0; i < 125; i++) {
        rows.monotonic_us[i] = (i + 1) * 1000000;
        rows.realtime_ms[i] = 100000 + i * 1000;
        rows.totals[i] = i * i;
    }
    rows.has_base = true;
    assert_int_equal(thinning_thin(&rows, 10000, &thin), 0);
    assert_true(thin.has_base);
    assert_int_equal(thin.n_rows, 1 + 13); /* the base, twelve steps, and the last */
    assert_true(thin.totals[0] == 0 && thin.totals[13] == 124 * 124);
    for (size_t i = 1; i < 13; i++)
        assert_true(thin.realtime_ms[i] % 10000 == 9000);
}

static void thinning__joins_chunks_that_follow_each_other_and_no_others(void **state)
{
    AUTO_CHUNK_ROWS struct chunk_rows first = {0}, second = {0};

    (void)state;
    assert_int_equal(chunk_rows_init(&first, 2, 1), 0);
    assert_int_equal(chunk_rows_init(&second, 2, 1), 0);
    first.monotonic_us[0] = 1;
    first.monotonic_us[1] = second.monotonic_us[0] = 2;
    second.monotonic_us[1] = 3;
    assert_int_equal(thinning_join(&first, &second), 0); /* without a base */
    second.has_base = true;
    assert_int_equal(thinning_join(&first, &second), 1);
    assert_int_equal(first.n_rows, 3);
    assert_int_equal(first.monotonic_us[2], 3);
    assert_int_equal(thinning_join(&first, &second), 0); /* this base is not the last row */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows__that_are_open_are_read_as_they_were_appended),
        cmocka_unit_test(rows__that_go_on_have_a_base_with_what_was_known_last),
        cmocka_unit_test(chunk__is_decoded_as_it_was),
        cmocka_unit_test(chunk__that_is_cut_or_changed_is_refused),
        cmocka_unit_test(thinning__keeps_what_was_counted_between_the_rows_it_keeps),
        cmocka_unit_test(thinning__joins_chunks_that_follow_each_other_and_no_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
