/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which file is read next. Those go first for whom the reader has worked least of late, so that no
 * cgroup that is counted keeps it from the others with files that take long. Then tables go before
 * names, since without them stacks are cut; then it is the turn of the file that has waited
 * longest. Names that somebody waits for come as if nothing had been spent.
 */
#include "profile/known_file.h"

/* When a file is to be read: the lower the sooner, from the first member on. */
struct priority {
    uint64_t spent_seconds;
    enum object_job_kind kind;
    uint64_t since_ns;
};

_Static_assert(OBJECT_JOB_TABLE < OBJECT_JOB_NAMES, "tables go first");

static bool is_sooner(const struct priority *a, const struct priority *b)
{
    if (a->spent_seconds != b->spent_seconds)
        return a->spent_seconds < b->spent_seconds;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->since_ns < b->since_ns;
}

/* False: nothing of it is to be read now. */
static bool find_priority(const struct known_files *files, const struct known_file *file,
                          uint64_t now_ns, struct priority *ret_priority)
{
    if (file->state == FILE_WANTED)
        *ret_priority = (struct priority){.kind = OBJECT_JOB_TABLE, .since_ns = file->wanted_ns};
    else if (file->n_wanted > 0 && known_file_may_be_named(file) && now_ns >= file->names_ns)
        *ret_priority = (struct priority){.kind = OBJECT_JOB_NAMES, .since_ns = file->names_ns};
    else
        return false;
    if (file->n_hurried == 0)
        ret_priority->spent_seconds = reader_shares_seconds(&files->shares, file->cgroup);
    return true;
}

struct known_file *known_files_choose(const struct known_files *files, uint64_t now_ns,
                                      enum object_job_kind *ret_kind)
{
    struct known_file *file, *next, *best = NULL;
    struct priority priority, first;

    HASH_ITER(hh, files->by_key, file, next) {
        if (!find_priority(files, file, now_ns, &priority) ||
            (best && !is_sooner(&priority, &first)))
            continue;
        best = file;
        first = priority;
    }
    if (best)
        *ret_kind = first.kind;
    return best;
}

/* What several wait for is read for the one of them who has spent least. */
void known_file_ask_for(const struct known_files *files, struct known_file *file, uint32_t cgroup)
{
    const bool is_waiting = file->state == FILE_WANTED || file->n_wanted > 0;

    if (cgroup != file->cgroup &&
        (!is_waiting || reader_shares_seconds(&files->shares, cgroup) <
                            reader_shares_seconds(&files->shares, file->cgroup)))
        file->cgroup = cgroup;
}
