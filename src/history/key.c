/* SPDX-License-Identifier: Apache-2.0 */

/* How targets are called, and how their labels are stored: strings that end with '\0'. */
#include "history/key.h"

#include <pthread.h>
#include <string.h>

#include "base/keyed_hash.h"
#include "history/history_store.h"
#include "metric/target_filter.h"

void history_append_key(struct text *text, const char *prefix, const struct identity *identity)
{
    size_t n;
    const struct label *labels = identity_labels(identity, &n);

    target_filter_write(prefix, labels, n, text);
}

void key_append_kind(struct text *text, const char *prefix)
{
    static const char common[] = "pmu_";
    size_t length = strlen(prefix);

    if (strncmp(prefix, common, strlen(common)) == 0) {
        prefix += strlen(common);
        length -= strlen(common);
    }
    if (length > 0 && prefix[length - 1] == '_')
        length--;
    text_append(text, prefix, length);
}

void key_append_labels(struct text *text, const struct identity *identity)
{
    size_t n;
    const struct label *labels = identity_labels(identity, &n);

    for (size_t i = 0; i < n; i++) {
        text_append(text, labels[i].name, strlen(labels[i].name) + 1);
        text_append(text, labels[i].value, strlen(labels[i].value) + 1);
    }
}

static size_t count_strings(const char *bytes, size_t length)
{
    size_t n = 0;

    for (size_t i = 0; i < length; i++)
        n += bytes[i] == '\0';
    return n;
}

struct history_label *key_read_labels(const char *bytes, size_t length, size_t *ret_n)
{
    const size_t n = count_strings(bytes, length) / 2;
    struct history_label *labels = calloc(n + 1, sizeof(*labels));
    const char *at = bytes;

    if (!labels)
        return NULL;
    for (size_t i = 0; i < n; i++) {
        labels[i].name = strdup(at);
        at += strlen(at) + 1;
        labels[i].value = strdup(at);
        at += strlen(at) + 1;
        if (!labels[i].name || !labels[i].value) {
            key_free_labels(labels, n);
            return NULL;
        }
    }
    *ret_n = n;
    return labels;
}

void key_free_labels(struct history_label *labels, size_t n)
{
    for (size_t i = 0; labels && i < n; i++) {
        free(labels[i].name);
        free(labels[i].value);
    }
    free(labels);
}

static struct hash_key hash_key;

static void draw_key(void)
{
    hash_key_draw(&hash_key);
}

unsigned key_hash(const void *bytes, size_t length)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, draw_key);
    return (unsigned)keyed_hash(&hash_key, bytes, length);
}
