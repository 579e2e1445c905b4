/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Which functions of its own the kernel has at an address. It takes no right that the samples do
 * not take: /proc/kallsyms would want CAP_SYSLOG.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "sys/bpf/profile/parts.h"

#include <profile.skel.h>

int profile_program_symbol(struct profile_program *program, uint64_t address,
                           char ret_symbol[static PROFILE_SYMBOL_SIZE])
{
    LIBBPF_OPTS(bpf_test_run_opts, options);
    struct profile_bpf__bss *bss = program->skeleton->bss;
    int r;

    bss->asked_address = address;
    r = bpf_prog_test_run_opts(bpf_program__fd(program->skeleton->progs.on_ask), &options);
    if (r < 0 || (int)options.retval < 0)
        return r < 0 ? r : -EINVAL;
    memcpy(ret_symbol, bss->symbol, PROFILE_SYMBOL_SIZE);
    ret_symbol[PROFILE_SYMBOL_SIZE - 1] = '\0';
    return 0;
}
