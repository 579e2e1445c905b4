/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The file is the user's own and stands in the configuration, so it may be a link, other than what
 * is read of the host.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fnv.h"
#include "sys/host_files.h"
#include "target/target_names_parts.h"

#define MOST_BYTES ((size_t)1024 * 1024)

void names_watch_begin(struct names_watch *watch, char *file)
{
    if (!file || !watch->file || strcmp(file, watch->file) != 0)
        watch->rules = name_rules_free(watch->rules);
    free(watch->file);
    watch->file = file;
    watch->stamp = (struct file_stamp){0};
    watch->failure = 0;
    watch->hash = 0;
    watch->is_first = watch->is_new = true;
}

void names_watch_done(struct names_watch *watch)
{
    names_watch_begin(watch, NULL);
}

int names_file_check(const char *path, struct text *ret_errors, size_t *ret_n_errors)
{
    AUTO(name_rules) struct name_rules *rules = NULL;
    AUTO_FREE char *text = NULL;
    size_t n = 0;
    int r = own_file_read(path, MOST_BYTES, &text, &n);

    return r < 0 ? r : name_rules_parse(text, n, &rules, ret_errors, ret_n_errors);
}

/* Returns 1 if the text is that of before, so that there are no new rules; 0 or -errno. */
static int read_rules(struct names_watch *watch, struct name_rules **ret_rules, struct text *errors,
                      size_t *ret_n_errors)
{
    AUTO_FREE char *text = NULL;
    size_t n = 0;
    uint64_t hash;
    int r = own_file_read(watch->file, MOST_BYTES, &text, &n);

    if (r < 0)
        return r;
    hash = fnv1a(text, n) | 1; /* 0 is none */
    if (hash == watch->hash && watch->failure == 0)
        return 1;
    r = name_rules_parse(text, n, ret_rules, errors, ret_n_errors);
    if (r == 0)
        watch->hash = hash;
    return r;
}

/* The first line of the errors. */
static void copy_first(const struct text *errors, char *ret_message, size_t size)
{
    const char *end = errors->length ? memchr(errors->data, '\n', errors->length) : NULL;

    (void)snprintf(ret_message, size, "%.*s", end ? (int)(end - errors->data) : 0,
                   end ? errors->data : "");
}

static bool read_again(struct names_watch *watch, struct names_file_news *news,
                       struct name_rules **ret_rules)
{
    AUTO_TEXT struct text errors = {0};
    struct name_rules *rules = NULL;
    int r = read_rules(watch, &rules, &errors, &news->n_wrong);

    if (r > 0)
        return false;
    (void)snprintf(news->file, sizeof(news->file), "%s", watch->file);
    if (r < 0) {
        const bool is_told = watch->failure == r;

        watch->failure = r;
        news->unreadable = true;
        (void)snprintf(news->message, sizeof(news->message), "%s", strerror(-r));
        return !is_told;
    }
    watch->failure = 0;
    copy_first(&errors, news->message, sizeof(news->message));
    *ret_rules = rules;
    return true;
}

bool names_watch_look(struct names_watch *watch, struct names_file_news *ret_news,
                      struct name_rules **ret_rules)
{
    const uint64_t begun_ns = clock_realtime_ns();
    struct file_stamp now;

    *ret_news = (struct names_file_news){0};
    *ret_rules = NULL;
    if (!watch->file)
        return false;
    now = file_stamp_of(watch->file);
    if (!watch->is_new && file_stamp_is(&now, &watch->stamp))
        return false;
    watch->is_new = file_stamp_is_in_doubt(&now, begun_ns);
    watch->stamp = now;
    return read_again(watch, ret_news, ret_rules);
}
