/* SPDX-License-Identifier: Apache-2.0 */
/* The program that samples: what it takes the kernel to prove that it ends. */
#include "support/check.h"

#include <linux/bpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/bpf/profile/program.h"

/* The kernel gives up at a million (BPF_COMPLEXITY_LIMIT_INSNS); its versions prove differently. */
#define MOST_INSTRUCTIONS 200000

static void assert_proven_soon(int program_fd)
{
    struct bpf_prog_info info = {0};
    union bpf_attr question = {.info = {.bpf_fd = (__u32)program_fd,
                                        .info_len = sizeof(info),
                                        .info = (__u64)(uintptr_t)&info}};

    assert_int_equal(syscall(SYS_bpf, BPF_OBJ_GET_INFO_BY_FD, &question, sizeof(question)), 0);
    print_message("%s: %u instructions\n", info.name, info.verified_insns);
    assert_in_range(info.verified_insns, 1, MOST_INSTRUCTIONS);
}

static void walk__is_far_from_what_the_kernel_gives_up_at(void **state)
{
    static const struct profile_program_size size = {.n_cpus = 2,
                                                     .rows = 1000,
                                                     .rules = 100,
                                                     .pages = 100,
                                                     .files = 10,
                                                     .mappings = 100,
                                                     .processes = 10,
                                                     .cgroups = 10,
                                                     .watched = 10,
                                                     .ring_bytes = 65536};
    AUTO(profile_program) struct profile_program *program = NULL;
    enum bpf_refusal refusal = BPF_REFUSAL_NONE;

    (void)state;
    if (profile_program_load(&size, &program, &refusal) < 0) {
        print_message("skipped: no bpf: %s\n", bpf_refusal_text(refusal));
        skip();
    }
    assert_proven_soon(profile_program_recorder_fd(program, false));
    assert_proven_soon(profile_program_recorder_fd(program, true));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walk__is_far_from_what_the_kernel_gives_up_at)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
