/* SPDX-License-Identifier: Apache-2.0 */

/* Arguments of requests about profiles: whatever they are, a range of a target, or words. */

#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "fuzz/fuzz.h"
#include "service/profile_arguments.h"

static void check_arguments(const struct profile_arguments *arguments)
{
    const struct profile_range range = profile_choice_range(&arguments->choice);

    FUZZ_CHECK(arguments->form < PROFILE_FORM_COUNT_);
    FUZZ_CHECK(range.from_ns <= range.to_ns && range.scope == arguments->choice.scope);
    FUZZ_CHECK(!arguments->choice.name == !arguments->choice.label);
    FUZZ_CHECK(arguments->part == PROFILE_ALL || (arguments->owner && arguments->function));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int (*const readers[])(const struct query *, struct text *,
                                  struct profile_arguments **) = {
        profile_arguments_read,
        profile_arguments_read_seconds,
        profile_arguments_read_annotation,
        profile_arguments_read_difference,
        profile_arguments_read_pprof,
    };
    AUTO_FREE char *text = strndup((const char *)data, size);
    AUTO_TEXT struct text why = {0};
    struct query query AUTO_QUERY = {0};

    FUZZ_CHECK(text);
    if (query_parse(text, &query) < 0)
        return 0;
    for (size_t i = 0; i < ARRAY_SIZE(readers); i++) {
        AUTO_TEXT struct text words = {0};
        struct profile_arguments *arguments = NULL;
        const int r = readers[i](&query, &words, &arguments);

        FUZZ_CHECK(r == 0 ? arguments != NULL : r == -EINVAL && words.length > 0 && !arguments);
        if (r == 0)
            check_arguments(arguments);
        profile_arguments_free(arguments);
    }
    FUZZ_CHECK(profile_target_check(text, &why) == 0 || why.length > 0);
    return 0;
}
