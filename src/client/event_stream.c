/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Events are taken apart where they are: what is left of a line without its field's name is
 * shorter than the line, so lines of data move together towards the front.
 */
#include "client/event_stream.h"

#include <stdbool.h>
#include <string.h>

/* One line, without its end. */
struct line {
    char *at;
    size_t length;
};

/* Gives the next line, and moves *at behind it. False: the bytes end before the line does. */
static bool next_line(char **at, const char *end, struct line *ret_line)
{
    char *const feed = memchr(*at, '\n', (size_t)(end - *at));

    if (!feed)
        return false;
    ret_line->at = *at;
    ret_line->length = (size_t)(feed - *at);
    if (ret_line->length > 0 && feed[-1] == '\r')
        ret_line->length--;
    *at = feed + 1;
    return true;
}

/* Returns how many bytes the first event has, with the empty line behind it; 0: it is not whole. */
static size_t find_end(struct event_stream *stream, const struct buffer *buffer)
{
    char *at = buffer->data + stream->searched;
    struct line line;

    while (next_line(&at, buffer->data + buffer->length, &line)) {
        stream->searched = (size_t)(at - buffer->data);
        if (line.length == 0)
            return stream->searched;
    }
    return 0;
}

static void drop_used(struct event_stream *stream, struct buffer *buffer)
{
    if (stream->used == 0)
        return;
    memmove(buffer->data, buffer->data + stream->used, buffer->length - stream->used);
    buffer->length -= stream->used;
    *stream = (struct event_stream){0};
}

/* Whether the line is of this field; then it is its value. One space behind the colon is none. */
static bool take_field(struct line *line, const char *field)
{
    const size_t n = strlen(field);

    if (line->length <= n || memcmp(line->at, field, n) != 0 || line->at[n] != ':')
        return false;
    line->at += n + 1;
    line->length -= n + 1;
    if (line->length > 0 && line->at[0] == ' ') {
        line->at++;
        line->length--;
    }
    line->at[line->length] = '\0';
    return true;
}

/* Joins a line of data to those before it. */
static void add_data(struct stream_event *event, char *data, const struct line *line)
{
    if (event->data)
        data[event->data_length++] = '\n';
    event->data = data;
    memmove(data + event->data_length, line->at, line->length);
    event->data_length += line->length;
}

/* Takes one event apart, of which the empty line is the end. */
static struct stream_event read_event(char *at, const char *end)
{
    struct stream_event event = {.name = "message", .id = ""};
    char *data = NULL;
    struct line line;

    while (next_line(&at, end, &line)) {
        if (take_field(&line, "data")) {
            data = data ? data : line.at;
            add_data(&event, data, &line);
        } else if (take_field(&line, "event")) {
            event.name = line.at;
        } else if (take_field(&line, "id")) {
            event.id = line.at;
        }
    }
    if (data)
        data[event.data_length] = '\0';
    return event;
}

int event_stream_next(struct event_stream *stream, struct buffer *buffer,
                      struct stream_event *ret_event)
{
    for (;;) {
        struct stream_event event;

        drop_used(stream, buffer);
        stream->used = buffer->length > 0 ? find_end(stream, buffer) : 0;
        if (stream->used == 0)
            return 0;
        event = read_event(buffer->data, buffer->data + stream->used);
        if (event.data) {
            *ret_event = event;
            return 1;
        }
    }
}
