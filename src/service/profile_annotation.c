/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_annotation.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "expose/annotation_json.h"
#include "service/profile_answer.h"
#include "service/profile_arguments.h"

/* Says why the code of a function cannot be listed. Returns what the question is refused with. */
static int tell_no_code(int r, const struct profile_places *places, struct text *text)
{
    static const struct {
        int error;
        const char *reason;
    } reasons[] = {
        {-ENXIO, "no process has its file mapped any more"},
        {-ENOENT, "its file cannot be opened any more"},
        {-EACCES, "not everybody may read its file"},
        {-ESTALE, "another file is at its place by now"},
        {-EFBIG, "it is too long"},
        {-EIO, "its file could not be read"},
        {-EOPNOTSUPP, "libcapstone is not installed"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
        if (reasons[i].error == r) {
            text_append_format(text, "the code of %.256s of %.256s is not to be had: %s",
                               places->name, places->owner, reasons[i].reason);
            return -ENOENT;
        }
    return r;
}

static double seconds_of(const struct profile_places *places)
{
    return (double)(places->to_ns - places->from_ns) / (double)NS_PER_SECOND;
}

/* Of how much of the range samples are kept one by one, where that is not all of it. */
static void append_known(const struct profile_places *places,
                         const struct profile_arguments *arguments, struct text *text)
{
    if (places->from_ns > arguments->choice.start_ns)
        text_append_format(text,
                           "; samples are known one by one of only %.1f s of this range: of what "
                           "was taken since the service began, and for as long as they are kept",
                           seconds_of(places));
}

static int tell_none_of_it(const struct profile_places *places,
                           const struct profile_arguments *arguments, struct text *text)
{
    const char *target = arguments->choice.name;

    if (places->all == 0)
        text_append_format(text, "there are no samples of %.256s in this range", target);
    else
        text_append_format(text,
                           "none of the %" PRIu64 " samples of %.256s was taken at "
                           "instructions of a function %.256s",
                           places->all, target, arguments->function);
    if (places->all > 0 && arguments->owner)
        text_append_format(text, " of %.256s", arguments->owner);
    append_known(places, arguments, text);
    if (places->likely && strcmp(places->likely, arguments->function) != 0)
        text_append_format(text, " (did you mean %.512s?)", places->likely);
    return -ENOENT;
}

/* A range may reach back to where samples are kept by functions only, as those on disk are. */
static int tell_too_few(uint64_t samples, const struct profile_places *places,
                        const struct profile_arguments *arguments, struct text *text)
{
    text_append_format(text,
                       "%" PRIu64
                       " samples were taken at instructions of %.256s; at least %d are needed to "
                       "tell its instructions apart, as a longer range may have",
                       samples, arguments->function, ANNOTATION_SAMPLES_LEAST);
    append_known(places, arguments, text);
    return -ENOENT;
}

/* Where code is that is in no file that could be read. */
static const char *where_it_is(enum profile_kind kind)
{
    if (kind == PROFILE_KERNEL)
        return "in the kernel";
    return kind == PROFILE_JIT ? "made at run time, and in no file" : "no function";
}

static int find_places(const struct profile_sources *sources,
                       const struct profile_arguments *arguments, struct text *text,
                       struct profile_places **ret_places)
{
    const struct profile_range range = profile_choice_range(&arguments->choice);
    const struct profile_wanted_function wanted = {arguments->owner, arguments->function};
    int r = profile_store_places(sources->store, &range, &wanted, ret_places);

    if (r < 0 && r != -ESRCH)
        return profile_tell_none(r, sources, &arguments->choice, text);
    if (r == -ESRCH)
        return tell_none_of_it(*ret_places, arguments, text);
    if ((*ret_places)->samples < ANNOTATION_SAMPLES_LEAST)
        return tell_too_few((*ret_places)->samples, *ret_places, arguments, text);
    if ((*ret_places)->kind == PROFILE_USER)
        return 0;
    text_append_format(text, "the code of %.256s cannot be shown: it is %s", arguments->function,
                       where_it_is((*ret_places)->kind));
    return -ENOENT;
}

int profile_annotation_work(const struct profile_sources *sources, const void *object,
                            struct text *text)
{
    AUTO(profile_places) struct profile_places *places = NULL;
    AUTO(annotation) struct annotation *annotation = NULL;
    int r = find_places(sources, object, text, &places);

    if (r < 0)
        return r;
    if (!sources->sampler)
        return profile_tell_no_sampler(sources, text);
    r = sampler_annotate(sources->sampler, places, &annotation);
    if (r < 0)
        return tell_no_code(r, places, text);
    if (annotation->placed < ANNOTATION_SAMPLES_LEAST)
        return tell_too_few(annotation->placed, places, object, text);
    return annotation_json_write(places, annotation, text);
}
