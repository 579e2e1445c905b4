/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/event_stream.h"

/* Adds bytes to the end of what came. */
static void come(struct buffer *buffer, const char *text, size_t n)
{
    buffer->data = realloc(buffer->data, buffer->length + n + 1);
    memcpy(buffer->data + buffer->length, text, n);
    buffer->length += n;
    buffer->capacity = buffer->length + 1;
}

static void assert_event(struct event_stream *stream, struct buffer *buffer, const char *name,
                         const char *id, const char *data)
{
    struct stream_event event;

    assert_int_equal(1, event_stream_next(stream, buffer, &event));
    assert_string_equal(name, event.name);
    assert_string_equal(id, event.id);
    assert_string_equal(data, event.data);
    assert_int_equal(strlen(data), event.data_length);
}

static void assert_no_event(struct event_stream *stream, struct buffer *buffer)
{
    struct stream_event event;

    assert_int_equal(0, event_stream_next(stream, buffer, &event));
}

static void an_event_has_its_name_its_id_and_its_data(void **state)
{
    static const char text[] = "event: snapshot\nid: 12\ndata: {\"a\": 1}\n\n";
    struct event_stream stream = {0};
    struct buffer buffer = {0};

    (void)state;
    come(&buffer, text, strlen(text));
    assert_event(&stream, &buffer, "snapshot", "12", "{\"a\": 1}");
    assert_no_event(&stream, &buffer);
    free(buffer.data);
}

static void an_event_is_the_same_however_its_bytes_come(void **state)
{
    static const char text[] = ": a comment\r\n\r\nretry: 5\n\nid:1\r\ndata:x\r\ndata: y\r\n\r\n"
                               "event: e\ndata:\n\ndata: last\n\n";

    (void)state;
    for (size_t step = 1; step <= strlen(text); step++) {
        static const struct {
            const char *name, *id, *data;
        } expected[] = {{"message", "1", "x\ny"}, {"e", "", ""}, {"message", "", "last"}};
        struct event_stream stream = {0};
        struct buffer buffer = {0};
        struct stream_event event;
        size_t n = 0;

        for (size_t at = 0; at < strlen(text); at += step) {
            come(&buffer, text + at, strlen(text) - at < step ? strlen(text) - at : step);
            while (event_stream_next(&stream, &buffer, &event) == 1) {
                assert_in_range(n, 0, ARRAY_SIZE(expected) - 1);
                assert_string_equal(expected[n].name, event.name);
                assert_string_equal(expected[n].id, event.id);
                assert_string_equal(expected[n].data, event.data);
                n++;
            }
        }
        assert_int_equal(ARRAY_SIZE(expected), n);
        free(buffer.data);
    }
}

static void an_event_that_is_not_whole_is_none(void **state)
{
    static const char text[] = "data: {}\n";
    struct event_stream stream = {0};
    struct buffer buffer = {0};

    (void)state;
    assert_no_event(&stream, &buffer);
    come(&buffer, text, strlen(text));
    assert_no_event(&stream, &buffer);
    come(&buffer, "\n", 1);
    assert_event(&stream, &buffer, "message", "", "{}");
    free(buffer.data);
}

static void lines_that_are_no_field_are_ignored(void **state)
{
    static const char text[] = "database: 1\ndata\ndata: 2\nid\n\n";
    struct event_stream stream = {0};
    struct buffer buffer = {0};

    (void)state;
    come(&buffer, text, strlen(text));
    assert_event(&stream, &buffer, "message", "", "2");
    free(buffer.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_has_its_name_its_id_and_its_data),
        cmocka_unit_test(an_event_is_the_same_however_its_bytes_come),
        cmocka_unit_test(an_event_that_is_not_whole_is_none),
        cmocka_unit_test(lines_that_are_no_field_are_ignored),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
