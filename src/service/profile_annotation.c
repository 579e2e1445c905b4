/* SPDX-License-Identifier: Apache-2.0 */
#include "service/profile_annotation.h"

#include <errno.h>
#include <inttypes.h>

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

/* A range may reach back to where samples are kept by functions only, as those on disk are. */
static int tell_too_few(uint64_t samples, const struct profile_places *places,
                        const struct profile_arguments *arguments, struct text *text)
{
    text_append_format(text,
                       "%" PRIu64
                       " samples were taken at instructions of %.256s; at least %d are needed to "
                       "tell its instructions apart",
                       samples, arguments->function, ANNOTATION_SAMPLES_LEAST);
    if (places->from_ns > arguments->choice.start_ns)
        text_append_format(text,
                           ", which are known of %.1f s of this range only: of what was sampled "
                           "since the service began, and for as long as single samples are kept",
                           seconds_of(places));
    return -ENOENT;
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
    if (r == -ESRCH || (*ret_places)->samples < ANNOTATION_SAMPLES_LEAST)
        return tell_too_few((*ret_places)->samples, *ret_places, arguments, text);
    if ((*ret_places)->kind == PROFILE_USER)
        return 0;
    text_append_format(text, "%.256s is in no file of which the code could be shown",
                       arguments->function);
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
