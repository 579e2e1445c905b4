/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded into a program (LD_PRELOAD), it has the kernel refuse to load the BPF program whose
 * name PMU_TEST_REFUSED is, as a kernel does that lacks what the program takes.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

typedef long call_of_six(long number, long a, long b, long c, long d, long e, long f);

long syscall(long number, long a, long b, long c, long d, long e, long f);

/* All that libbpf and libc call this way is passed on as it is: six numbers, used or not. */
long syscall(long number, long a, long b, long c, long d, long e, long f)
{
    static call_of_six *next;
    const char *refused = getenv("PMU_TEST_REFUSED");
    const union bpf_attr *attr = (const union bpf_attr *)b;

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "syscall");
    if (refused && number == SYS_bpf && a == BPF_PROG_LOAD &&
        strncmp(attr->prog_name, refused, sizeof(attr->prog_name) - 1) == 0) {
        errno = EINVAL;
        return -1;
    }
    return next(number, a, b, c, d, e, f);
}
