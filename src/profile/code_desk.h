/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Has the instructions of one function listed at a time. Who asks for a function asks again until
 * it is listed; whoever asks for another one meanwhile waits until the first is done.
 */

#include <stdbool.h>
#include <stdint.h>

#include "profile/code_listing.h"
#include "profile/known_files.h"
#include "reader/object_reader.h"

enum code_desk_state {
    CODE_DESK_FREE,
    CODE_DESK_WANTED,  /* it waits for the reader */
    CODE_DESK_READING, /* the reader has it */
    CODE_DESK_DONE,
};

struct code_desk {
    enum code_desk_state state;
    struct known_code code; /* what was asked for */
    uint32_t starts[2];     /* of the job */
    struct code_listing *listing;
    int error; /* CODE_DESK_DONE without a listing: why */
};

/*
 * Asks for the code of a function. 0: *ret_listing has it, borrowed until the next call.
 * -EINPROGRESS: it is to be asked for again. -ENOENT: its file cannot be opened any more. -EACCES:
 * not everybody may read its file. -ESTALE: another file is at its place. -EFBIG: it is too long.
 * -EIO: it could not be read.
 */
int code_desk_ask(struct code_desk *desk, const struct known_code *code,
                  const struct code_listing **ret_listing);

/* Opens what is to be read next. False: nothing. The caller closes what the job has open. */
bool code_desk_next_job(struct code_desk *desk, const struct known_files *files,
                        struct object_job *ret_job);

/* Takes the result of that job. */
void code_desk_take(struct code_desk *desk, const struct known_files *files,
                    const struct object_result *result);

void code_desk_done(struct code_desk *desk);
