/* SPDX-License-Identifier: Apache-2.0 */
#include "expose/page.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/suggest.h"

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:"

void page_begin(struct page *page, const struct exposition_order *order, struct text *text)
{
    *page = (struct page){.text = text, .order = order};
    if (order->n_names == 0)
        return;
    page->found = calloc(order->n_names, sizeof(*page->found));
    page->failed = !page->found;
}

static void remember(struct page *page, const char *name)
{
    const char **names =
        array_reserve(page->names, sizeof(*names), &page->capacity, page->n_names + 1);

    if (!names) {
        page->failed = true;
        return;
    }
    page->names = names;
    names[page->n_names++] = name;
}

static bool is_called(struct family_name name, const char *called)
{
    const size_t base = format_base_length(name);

    return strcmp(name.text, called) == 0 ||
           (strncmp(name.text, called, base) == 0 && called[base] == '\0');
}

bool page_wants(struct page *page, struct family_name name)
{
    bool is_wanted = false;

    if (page->order->n_names == 0)
        return true;
    if (page->failed)
        return false;
    remember(page, name.text);
    for (size_t i = 0; i < page->order->n_names; i++)
        if (is_called(name, page->order->names[i]))
            is_wanted = page->found[i] = true;
    return is_wanted;
}

void page_append_head(struct page *page, struct family_name name, const char *help)
{
    format_append_head(page->text, page->order->format, name, help);
}

/* Only what could be a name is repeated to a client, whose terminal may show it. */
static void refuse(struct page *page, const char *name)
{
    const char *meant = suggest_nearest(name, page->names, page->n_names);

    text_clear(page->text);
    if (*name == '\0' || name[strspn(name, NAME_CHARACTERS)] != '\0') {
        text_append_string(page->text, "name[]= takes the name of a metric family\n");
        return;
    }
    text_append_format(page->text, "there is no metric family %s", name);
    if (meant)
        text_append_format(page->text, "; did you mean %s?", meant);
    text_append_char(page->text, '\n');
}

static int judge(struct page *page)
{
    if (page->failed)
        return -ENOMEM;
    for (size_t i = 0; i < page->order->n_names; i++)
        if (!page->found[i]) {
            refuse(page, page->order->names[i]);
            return text_error(page->text) < 0 ? -ENOMEM : -EINVAL;
        }
    if (page->order->format == EXPOSITION_OPENMETRICS)
        text_append_string(page->text, "# EOF\n");
    return text_error(page->text);
}

int page_end(struct page *page)
{
    const int r = judge(page);

    free(page->names);
    free(page->found);
    return r;
}
