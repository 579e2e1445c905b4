/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/code_desk.h"

#include <errno.h>

void code_desk_done(struct code_desk *desk)
{
    desk->listing = code_listing_free(desk->listing);
    desk->state = CODE_DESK_FREE;
}

static bool is_same(const struct known_code *a, const struct known_code *b)
{
    return a->file == b->file && a->start == b->start && a->end == b->end;
}

int code_desk_ask(struct code_desk *desk, const struct known_code *code,
                  const struct code_listing **ret_listing)
{
    if (desk->state == CODE_DESK_DONE && is_same(&desk->code, code)) {
        desk->state = CODE_DESK_FREE; /* the listing stays until somebody asks for another one */
        *ret_listing = desk->listing;
        return desk->listing ? 0 : desk->error;
    }
    if (desk->state == CODE_DESK_FREE || desk->state == CODE_DESK_DONE) {
        code_desk_done(desk);
        desk->state = CODE_DESK_WANTED;
        desk->code = *code;
    }
    return -EINPROGRESS;
}

static void fail(struct code_desk *desk, int error)
{
    desk->state = CODE_DESK_DONE;
    desk->error = error;
}

bool code_desk_next_job(struct code_desk *desk, const struct known_files *files,
                        struct object_job *ret_job)
{
    int r;

    if (desk->state != CODE_DESK_WANTED)
        return false;
    r = known_files_open_code(files, &desk->code, ret_job);
    if (r < 0) {
        fail(desk, r == -EACCES || r == -ESTALE ? r : -ENOENT);
        return false;
    }
    desk->starts[0] = desk->code.start;
    desk->starts[1] = desk->code.end;
    ret_job->starts = desk->starts;
    ret_job->n_starts = ARRAY_SIZE(desk->starts);
    desk->state = CODE_DESK_READING;
    return true;
}

void code_desk_take(struct code_desk *desk, const struct known_files *files,
                    const struct object_result *result)
{
    const int r = result->outcome == OBJECT_READ
                      ? code_listing_parse(result->bytes, result->n, desk->code.start,
                                           desk->code.end, &desk->listing)
                      : -EIO;

    fail(desk, result->outcome == OBJECT_TOO_LARGE ? -EFBIG : -EIO);
    if (r < 0)
        return;
    if (known_files_has_code(files, desk->code.file, desk->listing))
        return;
    desk->listing = code_listing_free(desk->listing);
    desk->error = -ESTALE;
}
