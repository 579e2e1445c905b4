/* SPDX-License-Identifier: Apache-2.0 */
#include "check/profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "check/counting.h"
#include "sys/bpf/profile/program.h"

struct check_profiles check_profiles_find(const struct config *config)
{
    const struct profile_program_size size = {.n_cpus = 1,
                                              .rows = 2,
                                              .rules = 1,
                                              .pages = 1,
                                              .files = 1,
                                              .mappings = 1,
                                              .processes = 1,
                                              .cgroups = 1,
                                              .watched = 1,
                                              .ring_bytes = 1 << 16};
    AUTO(profile_program) struct profile_program *program = NULL;
    enum bpf_refusal refusal;
    const char *reason;

    if (!config->profiles.enabled)
        return (struct check_profiles){0};
    if (profile_program_load(&size, &program, &refusal) >= 0)
        return (struct check_profiles){.are_sampled = true};
    reason = bpf_refusal_text(refusal);
    return (struct check_profiles){.reason = reason,
                                   .is_for_want_of_rights = check_is_for_want_of_rights(reason)};
}

void check_print_profiles(const struct config *config, const struct check_profiles *profiles)
{
    if (profiles->are_sampled)
        (void)printf("profiles: %" PRIu64 " stacks a second are sampled of each CPU that is not "
                     "idle; tables, names and counts take %.1f MiB at most\n",
                     config->profiles.rate_hz, (double)config->profiles.bytes / 0x1p20);
    else if (profiles->reason)
        (void)printf("profiles: nothing is sampled: %s%s\n", profiles->reason,
                     profiles->is_for_want_of_rights ? CHECK_OF_THIS_USER : "");
    else
        (void)printf("profiles: no\n");
}
