/* SPDX-License-Identifier: Apache-2.0 */
#include "event/modifiers.h"

#include <string.h>

enum {
    USER = 1,
    KERNEL = 2,
    HYPERVISOR = 4,
    GUEST = 8,
    HOST = 16,
    NOT_IDLE = 32,
    SAMPLE = 64,
    MODES = USER | KERNEL | HYPERVISOR,
    SIDES = GUEST | HOST,
    EVERY_MODIFIER = MODES | SIDES | NOT_IDLE | SAMPLE,
};

static const struct {
    char letter;
    unsigned bit;
} known[] = {
    {'u', USER}, {'k', KERNEL},   {'h', HYPERVISOR}, {'G', GUEST},
    {'H', HOST}, {'I', NOT_IDLE}, {'S', SAMPLE},
};

static const struct {
    char letter;
    const char *reason;
} refused[] = {
    {'p', "asks for precise addresses of samples; a count is the same without it"},
    {'P', "asks for precise addresses of samples; a count is the same without it"},
    {'D', "would pin the event to the PMU and leave fewer counters to everybody else; "
          "limits.pmu_counters says how many may be held"},
    {'e', "would take the PMU for this group alone and leave no counter to anybody else"},
    {'W', "would break a group that does not fit; here the configuration says what is counted "
          "together"},
    {'b', "would count by perf's own BPF program; here counting: chooses the mechanism"},
};

static unsigned find_bit(char letter)
{
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (known[i].letter == letter)
            return known[i].bit;
    return 0;
}

/* The modifiers that the letters are; 0: some letter is none of the allowed ones. */
static unsigned parse_letters(const char *text, size_t length, unsigned allowed)
{
    unsigned bits = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned bit = find_bit(text[i]) & allowed;

        if (!bit || (bits & bit))
            return 0;
        bits |= bit;
    }
    return bits;
}

static bool is_hexadecimal(const char *text, size_t length)
{
    return strspn(text, "0123456789abcdefABCDEF") >= length;
}

/*
 * Whether a name is one of a CPU's manual: those have capitals, and no `-` or `/`, which all other
 * names with capitals have ("L1-dcache-loads"), but for raw codes.
 */
static bool is_of_manual(const char *name, size_t length)
{
    bool has_capital = false;

    if (name[0] == 'r' && is_hexadecimal(name + 1, length - 1))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '-' || name[i] == '/')
            return false;
        has_capital |= name[i] >= 'A' && name[i] <= 'Z';
    }
    return has_capital;
}

static void exclude(unsigned counted, struct event_code *ret_modifiers)
{
    const unsigned modes = counted & MODES, sides = counted & SIDES;

    *ret_modifiers = (struct event_code){0};
    if (modes) {
        ret_modifiers->exclude_user = !(modes & USER);
        ret_modifiers->exclude_kernel = !(modes & KERNEL);
        ret_modifiers->exclude_hypervisor = !(modes & HYPERVISOR);
    }
    if (sides) {
        ret_modifiers->exclude_host = !(sides & HOST);
        ret_modifiers->exclude_guest = !(sides & GUEST);
    }
    ret_modifiers->exclude_idle = counted & NOT_IDLE;
}

/*
 * Where the modifiers of "PMU/EVENT/" begin: behind its last slash, and a colon if there is one.
 * NULL: the name has not that form. *ret_base is the length up to the slash.
 */
static const char *find_behind_slash(const char *name, size_t *ret_base)
{
    const char *first = strchr(name, '/'), *slash = strrchr(name, '/');
    const char *colon = strchr(name, ':');

    if (first == slash || (colon && colon < first))
        return NULL;
    *ret_base = (size_t)(slash - name) + 1;
    return slash[1] == ':' ? slash + 2 : slash + 1;
}

size_t modifiers_split(const char *name, struct event_code *ret_modifiers)
{
    size_t length = strlen(name), base;
    const char *behind = find_behind_slash(name, &base);
    unsigned counted = 0;

    if (behind) {
        counted = parse_letters(behind, strlen(behind), EVERY_MODIFIER);
        length = counted ? base : length;
    }
    while (!behind) {
        const char *colon = memrchr(name, ':', length);
        const size_t begin = colon ? (size_t)(colon - name) : 0;
        const unsigned allowed = is_of_manual(name, begin) ? MODES : EVERY_MODIFIER;
        const unsigned bits = colon ? parse_letters(colon + 1, length - begin - 1, allowed) : 0;

        if (begin == 0 || bits == 0 || (counted & bits))
            break;
        counted |= bits;
        length = begin;
    }
    exclude(counted, ret_modifiers);
    return length;
}

/* The letters in the order of the table. */
static unsigned counted_by(const struct event_code *code)
{
    unsigned counted = code->exclude_idle ? NOT_IDLE : 0;

    if (code->exclude_user || code->exclude_kernel || code->exclude_hypervisor)
        counted |= (code->exclude_user ? 0U : USER) | (code->exclude_kernel ? 0U : KERNEL) |
                   (code->exclude_hypervisor ? 0U : HYPERVISOR);
    if (code->exclude_host || code->exclude_guest)
        counted |= (code->exclude_host ? 0U : HOST) | (code->exclude_guest ? 0U : GUEST);
    return counted;
}

void modifiers_letters(const struct event_code *code, char ret_letters[MODIFIERS_SIZE])
{
    const unsigned counted = counted_by(code);
    size_t n = 0;

    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (counted & known[i].bit)
            ret_letters[n++] = known[i].letter;
    ret_letters[n] = '\0';
}

/* The first letter that perf knows and we do not take; all others must be letters of perf, too. */
static size_t find_refused(const char *letters)
{
    size_t found = ARRAY_SIZE(refused);

    for (; *letters; letters++) {
        size_t i = 0;

        if (find_bit(*letters))
            continue;
        while (i < ARRAY_SIZE(refused) && refused[i].letter != *letters)
            i++;
        if (i == ARRAY_SIZE(refused))
            return i;
        if (found == ARRAY_SIZE(refused))
            found = i;
    }
    return found;
}

struct event_bad_modifier modifiers_find_bad(const char *name, size_t *ret_base)
{
    struct event_bad_modifier bad = {0};
    struct event_code modifiers;
    const char *colon = strchr(name, ':');
    const char *text = find_behind_slash(name, ret_base);
    size_t found;

    if (!text && colon) {
        text = colon + 1;
        *ret_base = (size_t)(colon - name);
    }
    if (!text || *ret_base == 0 || !name[*ret_base] ||
        modifiers_split(name, &modifiers) == *ret_base)
        return bad;
    bad.text = text;
    found = find_refused(text);
    if (found < ARRAY_SIZE(refused)) {
        bad.reason = refused[found].reason;
        bad.letter = refused[found].letter;
    }
    return bad;
}
