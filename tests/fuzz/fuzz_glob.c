/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "target/glob.h"
#include "target/glob_steps.h"

/*
 * A pattern and a path, with a NUL between them. What the matcher says is what
 * the definition says, told by the simplest matcher there is, which goes back
 * (on short inputs, for it takes exponential time); what is said of directories,
 * and by the quick look at a pattern, agrees with that; and the number of its
 * steps is bounded.
 */

#define SHORT_PATTERN 12
#define SHORT_PATH    20

/* By the definition. `first` is where the pattern began. */
static bool reference(const char *first, const char *pattern, const char *path)
{
    bool any = pattern[0] == '*' && pattern[1] == '*';
    const char *after = pattern + (any ? 2 : 1);

    if (!*pattern)
        return !*path;
    if (any && pattern > first && pattern[-1] == '/' && *after == '/' &&
        reference(first, after + 1, path))
        return true;
    if (*pattern == '*') {
        for (;; path++) {
            if (reference(first, after, path))
                return true;
            if (!*path || (!any && *path == '/'))
                return false;
        }
    }
    if (*pattern == '?')
        return *path && *path != '/' && reference(first, after, path + 1);
    if (*pattern == '\\' && pattern[1])
        after = ++pattern + 1;
    return *path == *pattern && reference(first, after, path + 1);
}

static bool is_path(const char *path)
{
    size_t n = strlen(path);

    return path[0] == '/' && n > 1 && path[n - 1] != '/' && !strstr(path, "//");
}

static void fuzz_directories(const char *pattern, const char *path, bool matches)
{
    AUTO_FREE char *directory = strdup(path);
    char *slash;

    while (directory && (slash = strrchr(directory, '/'))) {
        *slash = '\0';
        FUZZ_CHECK(!matches || glob_may_match_below(pattern, *directory ? directory : "/"));
        FUZZ_CHECK(matches || !glob_matches_all_below(pattern, *directory ? directory : "/"));
    }
}

static void fuzz(const char *pattern, const char *path)
{
    const char *wrong = glob_check(pattern);
    uint64_t steps;
    bool matches = glob_match_counted(pattern, path, &steps);

    FUZZ_CHECK(steps <= (uint64_t)strlen(path) * (strlen(pattern) + 1));
    FUZZ_CHECK(!wrong || *wrong);
    (void)glob_may_match_below(pattern, path);
    (void)glob_matches_all_below(pattern, path);
    if (wrong || !is_path(path))
        return;
    FUZZ_CHECK(matches == glob_match(pattern, path));
    FUZZ_CHECK(!matches || glob_may_match(pattern, path));
    fuzz_directories(pattern, path, matches);
    if (strlen(pattern) <= SHORT_PATTERN && strlen(path) <= SHORT_PATH)
        FUZZ_CHECK(matches == reference(pattern, pattern, path));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_FREE char *copy = calloc(1, size + 2);

    if (!copy)
        return 0;
    if (size > 0)
        memcpy(copy, data, size);
    fuzz(copy, copy + strlen(copy) + 1);
    return 0;
}
