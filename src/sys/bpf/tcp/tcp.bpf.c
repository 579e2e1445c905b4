/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */

/*
 * Retransmits of TCP, and how long connects take, by the cgroup of the socket. Packets are handled
 * in softirqs, on behalf of whoever runs there: who that is is never asked but when a process
 * begins to connect, which it does itself.
 */
#include "sys/bpf/keyed.bpf.h"
#include "sys/bpf/slots.bpf.h"
#include "sys/bpf/stamps.bpf.h"

#include <bpf/bpf_tracing.h>

#include "sys/bpf/tcp/counts.h"

/* The loader sets it: tcp_retransmit_skb tells whether the segment was sent (since Linux 6.18). */
const volatile bool tells_error = false;

#define PROTOCOL_TCP 6

/* Of the kernel's net/tcp_states.h. */
enum { TCP_ESTABLISHED = 1, TCP_SYN_SENT = 2, TCP_CLOSE = 7 };

struct sock_cgroup_data {
    struct cgroup *cgroup; /* of cgroup v2; since Linux 5.15 */
} KERNEL_TYPE;

struct sock {
    __u16 sk_protocol;
    struct sock_cgroup_data sk_cgrp_data; /* not in a kernel without CONFIG_SOCK_CGROUP_DATA */
} KERNEL_TYPE;

struct sk_buff {
    char cb[48];
} KERNEL_TYPE;

struct tcp_skb_cb {
    __u16 tcp_gso_segs;
} KERNEL_TYPE;

struct request_sock;

/* The cell of the slot of a socket's cgroup. */
static __always_inline struct keyed_cell *cell_of_socket(const struct sock *sk)
{
    struct cgroup *cgroup = NULL;
    __u32 slot = SWITCH_SLOT_REST;

    if (!is_v1 && bpf_core_field_exists(struct sock_cgroup_data, cgroup))
        cgroup = sk->sk_cgrp_data.cgroup;
    if (cgroup)
        slot = nearest_slot(cgroup);
    return keyed_cell_of(slot, SWITCH_SLOT_REST, 0, 0);
}

static __always_inline void note_retransmit(const struct sock *sk, __u64 n)
{
    struct keyed_cell *cell = cell_of_socket(sk);

    if (cell)
        keyed_add(cell, TCP_RETRANSMITS, n);
}

/* A buffer may be sent as several segments, and is counted as the kernel counts it. */
SEC("tp_btf/tcp_retransmit_skb")
int BPF_PROG(on_retransmit, const struct sock *sk, const struct sk_buff *skb)
{
    const __u16 n = BPF_CORE_READ((const struct tcp_skb_cb *)skb->cb, tcp_gso_segs);

    if (!tells_error || (int)ctx[2] == 0)
        note_retransmit(sk, n);
    return 0;
}

/* The answer to a SYN is sent again: it is not in the queue of a socket yet. */
SEC("tp_btf/tcp_retransmit_synack")
int BPF_PROG(on_retransmit_answer, const struct sock *sk, const struct request_sock *request)
{
    note_retransmit(sk, 1);
    return 0;
}

/*
 * A number that no other socket has at the same time. The verifier lets us calculate with a pointer
 * only after another one was subtracted from it; that one never changes.
 */
static __always_inline __u64 number_of(const struct sock *sk)
{
    __u64 number = (__u64)sk - (__u64)&n_lost;

    barrier_var(number);
    return number;
}

static __always_inline void note_end(struct keyed_cell *cell, __u32 tally, __u32 bucket, __u64 took)
{
    if (!cell)
        return;
    keyed_add(cell, tally, 1);
    if (tally == TCP_CONNECTS)
        keyed_note(cell, 0, bucket, took);
}

/* A connect has ended. subject: the process that began it. */
static __always_inline void end_connect(const struct sock *sk, __u32 tally)
{
    struct stamp stamp;
    __u32 bucket, process;
    __u64 took;

    if (!stamp_end(number_of(sk), &stamp))
        return; /* it began before the program did, or is lost */
    took = bpf_ktime_get_ns() - stamp.since;
    bucket = (__u32)keyed_bucket(took, TCP_FIRST_EXPONENT);
    process = slot_of_process((__u32)stamp.subject);
    note_end(cell_of_socket(sk), tally, bucket, took);
    if (process != SWITCH_SLOT_NONE)
        note_end(keyed_cell_of(process, SWITCH_SLOT_NONE, 0, 0), tally, bucket, took);
}

/*
 * The kernel changes the state of a socket under its lock. A connect ends where the socket leaves
 * TCP_SYN_SENT. Two that connect to each other at once go on to TCP_SYN_RECV, and are not counted.
 */
SEC("tp_btf/inet_sock_set_state")
int BPF_PROG(on_state, const struct sock *sk, const int from, const int to)
{
    if (from != TCP_SYN_SENT && to != TCP_SYN_SENT)
        return 0;
    if (sk->sk_protocol != PROTOCOL_TCP)
        return 0;
    if (to == TCP_SYN_SENT)
        stamp_begin(number_of(sk), bpf_get_current_pid_tgid() >> 32);
    else if (to == TCP_ESTABLISHED)
        end_connect(sk, TCP_CONNECTS);
    else if (to == TCP_CLOSE)
        end_connect(sk, TCP_FAILURES);
    else
        (void)stamp_end(number_of(sk), &(struct stamp){0});
    return 0;
}

char LICENSE[] SEC("license") = "GPL";
