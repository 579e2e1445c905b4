/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Why a BPF program cannot be loaded. bpf(2) fails with EPERM or EACCES for a missing capability,
 * for lockdown, by a filter of seccomp or a security module, and for a program that the verifier
 * rejects. Other facts about the machine tell these cases apart.
 */
#include "sys/bpf/refusal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/small_file.h"

/*
 * What the kernel answers where its JIT does not know an instruction and nothing interprets it: on
 * arm64 before Linux 5.18, an atomic operation whose result is asked for. The header of errors
 * lacks it, since it was not meant for programs. The JIT comes last, when all else was allowed.
 */
#define KERNEL_ENOTSUPP 524

#define STATUS_SIZE 8192 /* of /proc/PID/status */

static const char *const texts[BPF_REFUSAL_COUNT_] = {
    [BPF_REFUSAL_NONE] = "",
    [BPF_REFUSAL_NOT_BUILT] = "built without libbpf",
    [BPF_REFUSAL_NO_BTF] = "the kernel has no BTF",
    [BPF_REFUSAL_NO_CAPABILITY] = "CAP_BPF or CAP_PERFMON is missing",
    [BPF_REFUSAL_LOCKDOWN] = "the kernel is locked down",
    [BPF_REFUSAL_SECCOMP] = "a seccomp filter refuses bpf(2)",
    [BPF_REFUSAL_FORBIDDEN] = "a security module or the verifier refuses the program",
    [BPF_REFUSAL_OLD_KERNEL] = "the kernel is too old for the program",
    [BPF_REFUSAL_NO_JIT] = "the kernel's JIT lacks instructions of the program",
    [BPF_REFUSAL_NO_HOOK] = "the kernel lacks tracepoints that the program takes",
    [BPF_REFUSAL_NO_KVM] = "kvm is not loaded",
    [BPF_REFUSAL_NO_TRACEFS] = "tracefs is not mounted, or may not be read",
    [BPF_REFUSAL_NO_MEMORY] = "no memory for the program",
    [BPF_REFUSAL_TOO_LARGE] = "the limits and the CPUs make it take more than 256 MiB",
    [BPF_REFUSAL_OTHER] = "the program cannot be loaded",
};

const char *bpf_refusal_text(enum bpf_refusal refusal)
{
    return texts[refusal];
}

bool bpf_refusal_is_locked(const char *text)
{
    return strstr(text, "[confidentiality]") != NULL;
}

bool bpf_refusal_has_capabilities(const char *status, uint64_t wanted)
{
    const char *line = strstr(status, "\nCapEff:");

    return line && (strtoull(line + strlen("\nCapEff:"), NULL, 16) & wanted) == wanted;
}

static bool is_locked_down(void)
{
    char text[128];

    return small_file_read(AT_FDCWD, "/sys/kernel/security/lockdown", text, sizeof(text)) >= 0 &&
           bpf_refusal_is_locked(text);
}

static bool read_own_status(char (*text)[STATUS_SIZE])
{
    return small_file_read(AT_FDCWD, "/proc/self/status", *text, sizeof(*text)) >= 0;
}

static bool has_capabilities(void)
{
    const uint64_t admin = UINT64_C(1) << CAP_SYS_ADMIN;
    const uint64_t ours = UINT64_C(1) << CAP_BPF | UINT64_C(1) << CAP_PERFMON;
    char status[STATUS_SIZE];

    if (!read_own_status(&status))
        return true; /* not known: look for another reason */
    return bpf_refusal_has_capabilities(status, admin) ||
           bpf_refusal_has_capabilities(status, ours);
}

/* Asks for a command that no kernel knows: who gets as far as the kernel is answered EINVAL. */
static bool is_filtered(void)
{
    union bpf_attr attributes = {0};
    char status[STATUS_SIZE];

    return syscall(SYS_bpf, -1, &attributes, sizeof(attributes)) < 0 && errno != EINVAL &&
           read_own_status(&status) && strstr(status, "\nSeccomp:\t2");
}

enum bpf_refusal bpf_refusal_find(int error)
{
    if (error == -ENOMEM)
        return BPF_REFUSAL_NO_MEMORY;
    if (error == -KERNEL_ENOTSUPP)
        return BPF_REFUSAL_NO_JIT;
    if (!has_capabilities())
        return BPF_REFUSAL_NO_CAPABILITY;
    if (access("/sys/kernel/btf/vmlinux", R_OK) < 0)
        return BPF_REFUSAL_NO_BTF;
    if (is_locked_down())
        return BPF_REFUSAL_LOCKDOWN;
    if (is_filtered())
        return BPF_REFUSAL_SECCOMP;
    if (error == -EPERM || error == -EACCES)
        return BPF_REFUSAL_FORBIDDEN;
    if (error == -EINVAL || error == -ESRCH || error == -ENOENT || error == -E2BIG)
        return BPF_REFUSAL_OLD_KERNEL;
    return BPF_REFUSAL_OTHER;
}
