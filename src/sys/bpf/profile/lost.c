/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/profile/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

/*
 * The table and the number of all are written one after the other, and in no order that others are
 * sure to see. What the number had at the call before, the table has by now, unless that was full.
 */
size_t profile_program_read_lost(struct profile_program *program,
                                 struct profile_lost ret_lost[static PROFILE_LOST_MOST])
{
    const uint64_t before = program->lost_seen;
    const int fd = bpf_map__fd(program->skeleton->maps.lost);
    size_t n = 0;
    int r = 0;

    program->lost_seen = profile_program_figures(program).lost;
    if (program->lost_seen == program->lost_told)
        return 0;
    while (n < PROFILE_LOST_MOST - 1 && r == 0) {
        struct profile_lost *lost = &ret_lost[n];

        r = bpf_map_get_next_key(fd, NULL, &lost->whose);
        if (r == 0)
            r = bpf_map_lookup_and_delete_elem(fd, &lost->whose, &lost->loss);
        if (r == 0)
            program->lost_told += ret_lost[n++].loss.n;
    }
    if (r == -ENOENT && before > program->lost_told) {
        ret_lost[n++] = (struct profile_lost){.loss.n = before - program->lost_told};
        program->lost_told = before;
    }
    return n;
}
