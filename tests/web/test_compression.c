/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libdeflate.h>

#include "web/compression.h"

static void fill(struct text *text, size_t length)
{
    text_clear(text);
    while (text->length < length)
        text_append_format(text, "pmu_cgroup_cycles_total{cgroup=\"/%zu\"} 1\n",
                           text->length % 7919);
    text->length = length;
}

static bool is_gzip_of(const struct text *gzip, const struct text *text)
{
    struct libdeflate_decompressor *const decompressor = libdeflate_alloc_decompressor();
    AUTO_FREE char *room = malloc(text->length);
    size_t length = 0;
    enum libdeflate_result result;

    assert_non_null(room);
    result = libdeflate_gzip_decompress(decompressor, gzip->data, gzip->length, room, text->length,
                                        &length);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS && length == text->length &&
           memcmp(room, text->data, length) == 0;
}

static void texts_of_any_length_come_back(void **state)
{
    static const size_t lengths[] = {COMPRESSION_LEAST, 5000, 3000000, 2000, 100000};
    struct compression compression = {0};
    AUTO_TEXT struct text text = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++) {
        AUTO_TEXT struct text gzip = {0};

        fill(&text, lengths[i]);
        assert_true(compression_add(&compression, &text, &gzip));
        assert_true(gzip.length < text.length);
        assert_true(is_gzip_of(&gzip, &text));
    }
    compression_done(&compression);
}

static void what_would_not_get_shorter_stays_as_it_is(void **state)
{
    struct compression compression = {0};
    AUTO_TEXT struct text text = {0}, gzip = {0};
    uint64_t random = 1;

    (void)state;
    fill(&text, COMPRESSION_LEAST - 1);
    assert_false(compression_add(&compression, &text, &gzip));
    text_clear(&text);
    for (unsigned i = 0; i < 5000; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        text_append_char(&text, (char)(random >> 56));
    }
    assert_false(compression_add(&compression, &text, &gzip));
    assert_int_equal(0, gzip.length);
    compression_done(&compression);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_of_any_length_come_back),
        cmocka_unit_test(what_would_not_get_shorter_stays_as_it_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
