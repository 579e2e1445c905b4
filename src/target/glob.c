/* SPDX-License-Identifier: Apache-2.0 */
#include "target/glob.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "target/glob_steps.h"

/*
 * Users of the machine choose the names that are matched, so no name may cost much more than
 * another. A matcher that goes back when its guess of what a star covers was wrong can take
 * exponential time. This one follows all guesses at once: it keeps the set of places in the pattern
 * that the bytes read so far can lead to. One byte of the path moves each place of the set by at
 * most one token, so the cost is at most the length of the path times that of the pattern.
 *
 * The same set answers what may match *below* a directory: something may, if any place is left when
 * "directory/" has been read.
 */

enum token_kind {
    TOKEN_BYTE,      /* a literal byte */
    TOKEN_NOT_SLASH, /* `?`: one byte that is not `/` */
    TOKEN_STAR,      /* `*`: any bytes except for `/` */
    TOKEN_ANYTHING,  /* `**`: any bytes */
    TOKEN_END,       /* the end of the pattern */
};

struct token {
    enum token_kind kind;
    char byte;
    size_t next;          /* the place behind the token */
    bool between_slashes; /* `**` is a whole name, and so may stand for no name at all */
};

/* A set of places in the pattern: one bit for each byte, and one for the end. */
struct places {
    uint64_t words[(GLOB_PATTERN_MAX + 1 + 63) / 64];
};

struct matcher {
    const char *pattern;
    size_t length, n_words;
    struct places sets[2];
    struct places *now;  /* places that the bytes read so far lead to */
    struct places *next; /* places that the next byte leads to */
    uint64_t steps;
};

static struct token token_at(const struct matcher *matcher, size_t place)
{
    const char *at = matcher->pattern + place;

    switch (*at) {
    case '\0':
        return (struct token){.kind = TOKEN_END, .next = place};
    case '?':
        return (struct token){.kind = TOKEN_NOT_SLASH, .next = place + 1};
    case '*':
        if (at[1] != '*')
            return (struct token){.kind = TOKEN_STAR, .next = place + 1};
        return (struct token){
            .kind = TOKEN_ANYTHING,
            .next = place + 2,
            .between_slashes = place > 0 && at[-1] == '/' && at[2] == '/',
        };
    case '\\':
        if (at[1])
            return (struct token){.kind = TOKEN_BYTE, .byte = at[1], .next = place + 2};
        break;
    default:
        break;
    }
    return (struct token){.kind = TOKEN_BYTE, .byte = *at, .next = place + 1};
}

static bool has(const struct places *places, size_t place)
{
    return places->words[place / 64] >> place % 64 & 1;
}

/* Adds a place to the next set. False if it is in the set already. */
static bool add_to_next(struct matcher *matcher, size_t place)
{
    uint64_t *word = &matcher->next->words[place / 64];
    uint64_t before = *word;

    *word |= UINT64_C(1) << place % 64;
    return *word != before;
}

/*
 * Adds a place to the next set, with all places that can be reached from it without reading a byte:
 * a star may cover nothing.
 */
static void add_place(struct matcher *matcher, size_t place)
{
    for (;;) {
        struct token token = token_at(matcher, place);
        bool new = add_to_next(matcher, place);

        if (token.kind != TOKEN_STAR && token.kind != TOKEN_ANYTHING)
            return;
        place = token.next;
        if (token.between_slashes) {
            (void)add_to_next(matcher, place++);
            new = !has(matcher->next, place);
        }
        if (!new)
            return;
    }
}

/* The star at this place covers one more byte: it may go on, or end here. */
static void continue_star(struct matcher *matcher, size_t place, struct token token)
{
    if (add_to_next(matcher, place))
        add_place(matcher, token.next);
}

/* Makes the next set the present one. False if it is empty. */
static bool take_next_set(struct matcher *matcher)
{
    struct places *now = matcher->next;
    uint64_t any = 0;

    matcher->next = matcher->now;
    matcher->now = now;
    memset(matcher->next->words, 0, matcher->n_words * sizeof(uint64_t));
    for (size_t word = 0; word < matcher->n_words; word++)
        any |= now->words[word];
    return any;
}

static void advance_place(struct matcher *matcher, size_t place, char byte)
{
    struct token token = token_at(matcher, place);

    matcher->steps++;
    switch (token.kind) {
    case TOKEN_BYTE:
        if (byte == token.byte)
            add_place(matcher, token.next);
        break;
    case TOKEN_NOT_SLASH:
        if (byte != '/')
            add_place(matcher, token.next);
        break;
    case TOKEN_STAR:
        if (byte != '/')
            continue_star(matcher, place, token);
        break;
    case TOKEN_ANYTHING:
        continue_star(matcher, place, token);
        break;
    case TOKEN_END:
        break;
    }
}

/* Reads one byte of the path. False if no place is left, so that nothing can match any more. */
static bool read_byte(struct matcher *matcher, char byte)
{
    for (size_t word = 0; word < matcher->n_words; word++)
        for (uint64_t left = matcher->now->words[word]; left; left &= left - 1)
            advance_place(matcher, word * 64 + (size_t)__builtin_ctzll(left), byte);
    return take_next_set(matcher);
}

static bool read_path(struct matcher *matcher, const char *path)
{
    for (; *path; path++)
        if (!read_byte(matcher, *path))
            return false;
    return true;
}

static bool start(struct matcher *matcher, const char *pattern)
{
    size_t length = strnlen(pattern, GLOB_PATTERN_MAX + 1);

    if (length > GLOB_PATTERN_MAX)
        return false;
    *matcher = (struct matcher){
        .pattern = pattern,
        .length = length,
        .n_words = (length + 1 + 63) / 64,
        .now = &matcher->sets[0],
        .next = &matcher->sets[1],
    };
    add_place(matcher, 0);
    return take_next_set(matcher);
}

bool glob_match_counted(const char *pattern, const char *path, uint64_t *ret_steps)
{
    struct matcher matcher;
    bool matched;

    *ret_steps = 0;
    if (strcmp(path, "/") == 0)
        return strcmp(pattern, "/") == 0;
    if (!start(&matcher, pattern))
        return false;
    matched = read_path(&matcher, path) && has(matcher.now, matcher.length);
    *ret_steps = matcher.steps;
    return matched;
}

bool glob_match(const char *pattern, const char *path)
{
    uint64_t steps;

    return glob_match_counted(pattern, path, &steps);
}

bool glob_may_match(const char *pattern, const char *path)
{
    size_t left = strlen(path);
    bool behind_slash = false;

    while (*pattern) {
        const size_t n = strcspn(pattern, "*?\\");
        const char *found = memmem(path, left, pattern, n);

        if (!found)
            return false;
        left -= (size_t)(found - path) + n;
        path = found + n;
        behind_slash = n > 0 ? pattern[n - 1] == '/' : behind_slash;
        pattern += n;
        if (behind_slash && strncmp(pattern, "**/", 3) == 0) {
            pattern += 3; /* as a whole name it may be none, without a second slash */
            continue;
        }
        behind_slash = false;
        if (*pattern == '\\' && pattern[1])
            pattern++; /* what stands for itself is not looked for */
        if (*pattern)
            pattern++;
    }
    return true;
}

/* Reads "directory/". False if nothing below the directory can match. */
static bool read_directory(struct matcher *matcher, const char *directory)
{
    if (strcmp(directory, "/") == 0)
        return read_byte(matcher, '/');
    return read_path(matcher, directory) && read_byte(matcher, '/');
}

bool glob_may_match_below(const char *pattern, const char *directory)
{
    struct matcher matcher;

    if (!start(&matcher, pattern) || !read_directory(&matcher, directory))
        return false;
    /* the end of the pattern alone does not suffice: a name must still follow */
    for (size_t place = 0; place < matcher.length; place++)
        if (has(matcher.now, place))
            return true;
    return false;
}

bool glob_matches_all_below(const char *pattern, const char *directory)
{
    struct matcher matcher;

    if (!start(&matcher, pattern) || !read_directory(&matcher, directory))
        return false;
    for (size_t place = 0; place < matcher.length; place++) {
        struct token token = token_at(&matcher, place);

        if (has(matcher.now, place) && token.kind == TOKEN_ANYTHING && token.next == matcher.length)
            return true;
    }
    return false;
}

/* Says what is wrong with backslashes and stars, or NULL. */
static const char *check_tokens(const char *pattern)
{
    size_t stars = 0;

    for (; *pattern; pattern++) {
        stars = *pattern == '*' ? stars + 1 : 0;
        if (stars > 2)
            return "a pattern must not have more than two stars in a row";
        if (*pattern == '\\' && !*++pattern)
            return "a character must follow the last backslash";
    }
    return NULL;
}

const char *glob_check(const char *pattern)
{
    size_t length = strnlen(pattern, GLOB_PATTERN_MAX + 1);

    if (pattern[0] != '/')
        return "a pattern must begin with /";
    if (length > GLOB_PATTERN_MAX)
        return "a pattern must not be longer than 1024 bytes";
    if (length > 1 && pattern[length - 1] == '/')
        return "a pattern must not end in /";
    if (strstr(pattern, "//"))
        return "a pattern must not contain //, as no path does";
    return check_tokens(pattern);
}
