/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/profile/program.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

/*
 * The number of all is read first: what it has, the table has, too, unless that was full. So what
 * the table has more is of those that are told next time.
 */
void profile_program_read_lost(struct profile_program *program,
                               void (*take)(void *context, const struct profile_lost *whose,
                                            uint64_t n),
                               void *context)
{
    const uint64_t lost = profile_program_figures(program).lost;
    const int fd = bpf_map__fd(program->skeleton->maps.lost);
    struct profile_lost whose;
    uint64_t n;

    if (lost == program->lost_told)
        return;
    while (bpf_map_get_next_key(fd, NULL, &whose) == 0 &&
           bpf_map_lookup_and_delete_elem(fd, &whose, &n) == 0) {
        take(context, &whose, n);
        program->lost_told += n;
    }
    if (lost > program->lost_told) {
        take(context, &(struct profile_lost){0}, lost - program->lost_told);
        program->lost_told = lost;
    }
}
