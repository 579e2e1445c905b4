/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which file is read next. Those go first for whom the reader has worked least of late, so that
 * nobody keeps it from the others with files that take long. Of one user tables go before names,
 * since without them stacks are cut; then it is the turn of the file that has waited longest.
 * Names that somebody waits for come as if nothing had been spent.
 */
#include "profile/known_file.h"

/* When a file is to be read: the lower the sooner, from the first member on. */
struct turn {
    uint64_t spent_seconds;
    enum object_job_kind kind;
    uint64_t since_ns;
};

_Static_assert(OBJECT_JOB_TABLE < OBJECT_JOB_NAMES, "tables go first");

static bool is_sooner(const struct turn *a, const struct turn *b)
{
    if (a->spent_seconds != b->spent_seconds)
        return a->spent_seconds < b->spent_seconds;
    if (a->kind != b->kind)
        return a->kind < b->kind;
    return a->since_ns < b->since_ns;
}

/* False: nothing of it is to be read now. */
static bool find_turn(const struct known_files *files, const struct known_file *file,
                      uint64_t now_ns, struct turn *ret_turn)
{
    if (file->state == FILE_WANTED)
        *ret_turn = (struct turn){.kind = OBJECT_JOB_TABLE, .since_ns = file->wanted_ns};
    else if (file->n_wanted > 0 && !file->is_doubtful && now_ns >= file->names_ns)
        *ret_turn = (struct turn){.kind = OBJECT_JOB_NAMES, .since_ns = file->names_ns};
    else
        return false;
    if (file->n_hurried == 0)
        ret_turn->spent_seconds = reader_shares_seconds(&files->shares, file->cgroup);
    return true;
}

struct known_file *known_files_choose(const struct known_files *files, uint64_t now_ns,
                                      enum object_job_kind *ret_kind)
{
    struct known_file *file, *next, *best = NULL;
    struct turn turn, first;

    HASH_ITER(hh, files->by_key, file, next) {
        if (!find_turn(files, file, now_ns, &turn) || (best && !is_sooner(&turn, &first)))
            continue;
        best = file;
        first = turn;
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
