/* SPDX-License-Identifier: Apache-2.0 */
/* The program that counts system calls, on a kernel that refuses the part that times them. */
#include "support/check.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>

#include "sys/bpf/switch/program.h"
#include "sys/bpf/syscalls/program.h"

#define MOST_ARGUMENTS 5 /* of a call that libbpf or we make so; registers hold them */

static int refused_with; /* what the kernel answers when `on_call` is to be loaded; 0: it may be */

static bool is_load_of_times(long number, const long arguments[MOST_ARGUMENTS])
{
    const union bpf_attr *attributes = (const union bpf_attr *)(uintptr_t)arguments[1];

    return number == SYS_bpf && arguments[0] == BPF_PROG_LOAD &&
           strcmp(attributes->prog_name, "on_call") == 0;
}

/* libbpf finds this one before that of libc. */
long syscall(long number, ...)
{
    static long (*real)(long, ...);
    long arguments[MOST_ARGUMENTS];
    va_list list;

    va_start(list, number);
    for (size_t i = 0; i < MOST_ARGUMENTS; i++)
        arguments[i] = va_arg(list, long);
    va_end(list);
    if (refused_with && is_load_of_times(number, arguments)) {
        errno = refused_with;
        return -1;
    }
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "syscall");
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4]);
}

/* Why no call can be timed where the kernel answers so; it is to count calls all the same. */
static enum bpf_refusal find_refusal_of_times(int error)
{
    static const struct switch_program_size size = {.n_cpus = 2, .n_slots = 100, .n_lanes = 3};
    static const struct syscalls_timing timing = {.calls[SYS_getppid] = 1, .one_in = 1};
    AUTO(switch_program) struct switch_program *switches = NULL;
    enum bpf_refusal refusal = BPF_REFUSAL_NONE;
    struct keyed_program *calls = NULL;

    if (switch_program_load(&size, &switches, &refusal) < 0) {
        print_message("skipped: no bpf: %s\n", bpf_refusal_text(refusal));
        skip();
    }
    refused_with = error;
    assert_int_equal(syscalls_program_load(switches, 1000, &calls, &refusal), 0);
    refused_with = 0;
    (void)syscalls_program_time(calls, &timing, &refusal);
    (void)keyed_program_free(calls);
    return refusal;
}

static void times__that_are_refused_have_the_kernels_reason(void **state)
{
    (void)state;
    assert_int_equal(find_refusal_of_times(0), BPF_REFUSAL_NONE);
    assert_int_equal(find_refusal_of_times(524), BPF_REFUSAL_NO_JIT);
    assert_int_equal(find_refusal_of_times(ENOMEM), BPF_REFUSAL_NO_MEMORY);
    assert_int_equal(find_refusal_of_times(EACCES), BPF_REFUSAL_FORBIDDEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times__that_are_refused_have_the_kernels_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
