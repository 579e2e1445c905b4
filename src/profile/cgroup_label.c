/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/cgroup_label.h"

#include <string.h>

#include "base/parse.h"

/* Goes through the bytes of the path that a label stands for. */
struct path_reader {
    const char *at;
    bool is_encoded;
};

static struct path_reader read_path(const char *label)
{
    const bool is_encoded = *label == '%';

    return (struct path_reader){label + is_encoded, is_encoded};
}

/* The next byte, or -1 at the end. */
static int next_byte(struct path_reader *reader)
{
    if (!*reader->at)
        return -1;
    if (reader->is_encoded && reader->at[0] == '%' && digit_value(reader->at[1]) >= 0 &&
        digit_value(reader->at[2]) >= 0) {
        reader->at += 3;
        return digit_value(reader->at[-2]) * 16 + digit_value(reader->at[-1]);
    }
    return (unsigned char)*reader->at++;
}

bool cgroup_label_contains(const char *whole, const char *part)
{
    struct path_reader above = read_path(whole), below = read_path(part);
    int last = -1;

    for (;;) {
        const int wanted = next_byte(&above), found = next_byte(&below);

        if (wanted < 0)
            return found < 0 || found == '/' || last == '/';
        if (wanted != found)
            return false;
        last = found;
    }
}

size_t cgroup_label_top(const char *label)
{
    const char *end = strchr(label, '/');

    if (end)
        end = strchr(end + 1, '/');
    return end ? (size_t)(end - label) : strlen(label);
}

size_t cgroup_label_parent(const char *label)
{
    const char *last = strrchr(label, '/');

    return last && last - label > (*label == '%') ? (size_t)(last - label) : 0;
}
