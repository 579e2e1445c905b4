/* SPDX-License-Identifier: Apache-2.0 */
#include "target/target_news.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/array.h"

static struct target_mark *mark_of(const struct target_news *news, const void *target)
{
    return (struct target_mark *)(void *)((char *)(uintptr_t)target + news->mark_offset);
}

void target_news_init(struct target_news *news, size_t mark_offset)
{
    *news = (struct target_news){.mark_offset = mark_offset};
}

void target_news_done(struct target_news *news)
{
    free(news->born);
    free(news->gone);
    *news = (struct target_news){.mark_offset = news->mark_offset};
}

void target_news_begin(struct target_news *news)
{
    size_t n_kept = 0;

    if (!news->reported)
        return;
    for (size_t i = 0; i < news->n_born; i++) {
        struct target_mark *mark = mark_of(news, news->born[i]);

        mark->birth_index = mark->given_back ? n_kept : SIZE_MAX;
        if (mark->given_back)
            news->born[n_kept++] = news->born[i];
        mark->given_back = false;
    }
    news->n_born = n_kept;
    news->n_gone = news->n_given_back = 0;
    news->reported = false;
}

int target_news_reserve(struct target_news *news, size_t n_standing)
{
    void **born = array_reserve(news->born, sizeof(void *), &news->born_capacity, news->n_born + 1);
    void **gone;

    if (!born)
        return -ENOMEM;
    news->born = born;
    gone = array_reserve(news->gone, sizeof(void *), &news->gone_capacity,
                         news->n_gone + n_standing + 1);
    if (!gone)
        return -ENOMEM;
    news->gone = gone;
    return 0;
}

void target_news_add_birth(struct target_news *news, void *target)
{
    *mark_of(news, target) = (struct target_mark){.birth_index = news->n_born};
    news->born[news->n_born++] = target;
}

/* The last birth moves to the place of the one that is taken back. */
static void take_back_birth(struct target_news *news, size_t index)
{
    void *last = news->born[--news->n_born];

    news->born[index] = last;
    mark_of(news, last)->birth_index = index;
}

bool target_news_add_end(struct target_news *news, void *target)
{
    const size_t birth_index = mark_of(news, target)->birth_index;

    if (birth_index != SIZE_MAX) {
        take_back_birth(news, birth_index);
        return false;
    }
    news->gone[news->n_gone++] = target;
    return true;
}

bool target_news_birth_is_taken(const struct target_news *news, const void *target)
{
    return mark_of(news, target)->birth_index == SIZE_MAX;
}

bool target_news_give_back(struct target_news *news, void *target)
{
    struct target_mark *mark = mark_of(news, target);

    assert(news->reported && mark->birth_index != SIZE_MAX);
    if (mark->given_back)
        return false;
    news->n_given_back++;
    mark->given_back = true;
    return true;
}
