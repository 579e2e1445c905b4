/* SPDX-License-Identifier: Apache-2.0 */
#include "run/event_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int event_names_begin(struct event_name_list *list, bool is_group)
{
    struct event_names *groups = reallocarray(list->groups, list->n + 1, sizeof(*groups));

    if (!groups)
        return -ENOMEM;
    list->groups = groups;
    groups[list->n++] = (struct event_names){.is_group = is_group};
    return 0;
}

/* Takes the name over, which may be NULL without memory. */
static int append_owned(struct event_name_list *list, char *name)
{
    struct event_names *group = &list->groups[list->n - 1];
    AUTO_FREE char *owned = name;
    struct event_name *names =
        owned ? reallocarray(group->names, group->n + 1, sizeof(*names)) : NULL;

    if (!names)
        return -ENOMEM;
    group->names = names;
    names[group->n++] = (struct event_name){.name = TAKE(owned)};
    return 0;
}

int event_names_append(struct event_name_list *list, const char *name)
{
    return append_owned(list, strdup(name));
}

int event_names_set_filter(struct event_name_list *list, const char *filter)
{
    struct event_names *group = list->n > 0 ? &list->groups[list->n - 1] : NULL;
    char *copy;

    if (!group || group->n == 0)
        return -ENOENT;
    copy = strdup(filter);
    if (!copy)
        return -ENOMEM;
    free(group->names[group->n - 1].filter);
    group->names[group->n - 1].filter = copy;
    return 0;
}

int event_names_add(struct event_name_list *list, const char *name)
{
    const int r = event_names_begin(list, false);

    return r < 0 ? r : event_names_append(list, name);
}

void event_names_done(struct event_name_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        for (size_t k = 0; k < list->groups[i].n; k++) {
            free(list->groups[i].names[k].name);
            free(list->groups[i].names[k].filter);
        }
        free(list->groups[i].names);
    }
    free(list->groups);
    *list = (struct event_name_list){0};
}

/*
 * Tells how long the name is that begins here: up to a comma or brace that stands outside of
 * slashes. An open pair of slashes goes on to the end of the argument.
 */
static size_t name_length(const char *text)
{
    bool between_slashes = false;
    size_t n = 0;

    while (text[n] && (between_slashes || !strchr(",{}", text[n]))) {
        between_slashes ^= text[n] == '/';
        n++;
    }
    return n;
}

static int refuse(struct event_names_error *error, size_t offset, const char *expected)
{
    *error = (struct event_names_error){.offset = offset, .expected = expected};
    return -EINVAL;
}

/* Parses the names up to a closing brace, or the one name that stands alone. */
static int parse_names(const char *argument, size_t *at, struct event_name_list *list,
                       struct event_names_error *ret_error)
{
    const bool in_braces = list->groups[list->n - 1].is_group;
    int r = 0;

    while (r == 0) {
        const size_t length = name_length(argument + *at);

        if (length == 0)
            return refuse(ret_error, *at, "the name of an event");
        r = append_owned(list, strndup(argument + *at, length));
        *at += length;
        if (!in_braces || argument[*at] != ',')
            return r;
        (*at)++;
    }
    return r;
}

/* Gives each event of the last group the modifiers that stand behind its brace: "u" or ":u". */
static int add_modifiers(struct event_name_list *list, const char *modifiers, size_t length)
{
    struct event_names *group = &list->groups[list->n - 1];

    if (length > 0 && *modifiers == ':') {
        modifiers++;
        length--;
    }
    for (size_t i = 0; i < group->n && length > 0; i++) {
        AUTO_TEXT struct text text = {0};
        char *name;

        /* Behind a slash modifiers stand without a colon: "cpu/event=1/u". */
        text_append_string(&text, group->names[i].name);
        if (text.length > 0 && text.data[text.length - 1] != '/')
            text_append_char(&text, ':');
        text_append(&text, modifiers, length);
        name = text_take(&text);
        if (!name)
            return -ENOMEM;
        free(group->names[i].name);
        group->names[i].name = name;
    }
    return 0;
}

static int parse_braces(const char *argument, size_t *at, struct event_name_list *list,
                        struct event_names_error *ret_error)
{
    size_t length;
    int r;

    (*at)++;
    r = parse_names(argument, at, list, ret_error);
    if (r < 0)
        return r;
    if (argument[*at] != '}')
        return refuse(ret_error, *at, "a comma or }");
    (*at)++;
    length = strcspn(argument + *at, ",{}");
    r = add_modifiers(list, argument + *at, length);
    *at += length;
    return r;
}

int event_names_parse(const char *argument, struct event_name_list *list,
                      struct event_names_error *ret_error)
{
    size_t at = 0;

    for (;;) {
        const bool in_braces = argument[at] == '{';
        int r = event_names_begin(list, in_braces);

        if (r == 0)
            r = in_braces ? parse_braces(argument, &at, list, ret_error)
                          : parse_names(argument, &at, list, ret_error);
        if (r < 0 || !argument[at])
            return r;
        if (argument[at] != ',')
            return refuse(ret_error, at, "a comma");
        at++;
    }
}
