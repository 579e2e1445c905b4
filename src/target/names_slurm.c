/* SPDX-License-Identifier: Apache-2.0 */
#include "target/names_slurm.h"

#include <limits.h>
#include <string.h>

#include "base/parse.h"
#include "base/path_name.h"
#include "target/names_place.h"

static const char *const named_steps[] = {"batch", "extern", "interactive"};

static const char *after(const char *name, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(name, prefix, n) == 0 ? name + n : NULL;
}

static bool is_number(const char *text)
{
    uint64_t number;

    return text && parse_u64(text, &number) == 0;
}

static bool ends_with(const char *name, const char *end)
{
    const size_t n = strlen(name), n_end = strlen(end);

    return n >= n_end && strcmp(name + n - n_end, end) == 0;
}

/* Below such a cgroup are those of jobs. */
static bool is_root_of_jobs(const char *name)
{
    return strcmp(name, "slurmstepd.scope") == 0 || ends_with(name, "_slurmstepd.scope") ||
           strcmp(name, "slurm") == 0 || after(name, "slurm_");
}

static bool is_step(const char *text)
{
    if (!text)
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(named_steps); i++)
        if (strcmp(text, named_steps[i]) == 0)
            return true;
    return is_number(text);
}

/* The next name of a path that is short enough to be one of ours. False: there is none. */
static bool next(const char **path, char name[static NAME_MAX + 1])
{
    return path_take_name(path, name) > 0;
}

bool names_parse_slurm(const char *path, struct slurm_place *ret_place, struct names *names)
{
    struct slurm_place place = {0};
    char name[NAME_MAX + 1];
    uint64_t user;

    if (!next(&path, name))
        return false;
    while (!is_root_of_jobs(name))
        if (names_begin_inner(name, strlen(name)) || !next(&path, name))
            return false;
    if (!next(&path, name))
        return false;
    if (after(name, "uid_")) {
        place.has_user = parse_u64(after(name, "uid_"), &user) == 0 && user < UINT32_MAX;
        place.user = place.has_user ? (uid_t)user : 0;
        if (!place.has_user || !next(&path, name))
            return false;
    }
    if (!is_number(after(name, "job_")))
        return false;
    names_add_string(names, NAME_SLURM_JOB, after(name, "job_"));
    if (next(&path, name) && is_step(after(name, "step_")))
        names_add_string(names, NAME_SLURM_STEP, after(name, "step_"));
    *ret_place = place;
    return true;
}
