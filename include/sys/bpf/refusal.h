/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Why a program could not be loaded into the kernel, for every BPF program of ours. */

#include <stdbool.h>
#include <stdint.h>

enum bpf_refusal {
    BPF_REFUSAL_NONE,
    BPF_REFUSAL_NOT_BUILT,
    BPF_REFUSAL_NO_BTF,
    BPF_REFUSAL_NO_CAPABILITY,
    BPF_REFUSAL_LOCKDOWN,
    BPF_REFUSAL_SECCOMP,   /* a filter lets no bpf(2) through, whatever it asks */
    BPF_REFUSAL_FORBIDDEN, /* although the capabilities are there and nothing is locked down */
    BPF_REFUSAL_OLD_KERNEL,
    BPF_REFUSAL_NO_JIT,  /* the verifier accepts it, the JIT of this kernel does not know it all */
    BPF_REFUSAL_NO_HOOK, /* the kernel has not the tracepoints that the program is attached to */
    BPF_REFUSAL_NO_KVM,  /* which is a module; it may be loaded later */
    BPF_REFUSAL_NO_TRACEFS, /* it is not mounted, or we may not look into it */
    BPF_REFUSAL_NO_MEMORY,
    BPF_REFUSAL_TOO_LARGE, /* the program would take more memory than we allow ourselves */
    BPF_REFUSAL_OTHER,
    BPF_REFUSAL_COUNT_,
};

/* The reason in words for people, as in "the kernel has no BTF". Static. */
const char *bpf_refusal_text(enum bpf_refusal refusal);

/* What the failure to load a program means on this machine. error: negative errno of the load. */
enum bpf_refusal bpf_refusal_find(int error);

/*
 * Whether the text of the lockdown file of securityfs ("none [integrity] confidentiality") says
 * that BPF programs may not read the kernel's memory. Only the state `confidentiality` forbids it
 * (kernel_lockdown(7)).
 */
bool bpf_refusal_is_locked(const char *text);

/* Whether the text of /proc/PID/status says that all these capabilities (a mask) are effective. */
bool bpf_refusal_has_capabilities(const char *status, uint64_t wanted);
