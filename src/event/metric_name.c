/* SPDX-License-Identifier: Apache-2.0 */
#include "event/metric_name.h"

#include <string.h>

#include "base/text.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* isalnum() and tolower() depend on the locale, which names must not. */
static char legal_letter(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return (c >= 'a' && c <= 'z') || is_digit(c) ? c : '\0';
}

static void append_words(struct text *name, const char *base)
{
    bool separated = false;

    for (; *base; base++) {
        char letter = legal_letter(*base);

        if (!letter) {
            separated = name->length > 0;
            continue;
        }
        if (separated)
            text_append_char(name, '_');
        else if (name->length == 0 && is_digit(letter))
            text_append_string(name, "event_");
        separated = false;
        text_append_char(name, letter);
    }
    if (name->length == 0)
        text_append_string(name, "event");
}

char *metric_name_from_event(const char *base, const struct event_code *modifiers)
{
    AUTO_TEXT struct text name = {0};

    append_words(&name, base);
    if (modifiers->exclude_user || modifiers->exclude_kernel || modifiers->exclude_hypervisor) {
        if (!modifiers->exclude_user)
            text_append_string(&name, "_user");
        if (!modifiers->exclude_kernel)
            text_append_string(&name, "_kernel");
        if (!modifiers->exclude_hypervisor)
            text_append_string(&name, "_hypervisor");
    }
    if (modifiers->exclude_host)
        text_append_string(&name, "_guest");
    if (modifiers->exclude_guest)
        text_append_string(&name, "_host");
    if (modifiers->exclude_idle)
        text_append_string(&name, "_not_idle");
    return text_take(&name);
}

bool metric_name_valid(const char *name)
{
    static const char reserved[] = "_total";
    size_t length = strlen(name), ending = strlen(reserved);

    if (length == 0 || is_digit(name[0]))
        return false;
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != length)
        return false;
    return length < ending || strcmp(name + length - ending, reserved) != 0;
}
