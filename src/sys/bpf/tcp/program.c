/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/tcp/program.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/tracepoint.h"

#include <tcp.skel.h>

/* There are 2^14 places for connects on their way, 24 bytes each. */
#define STAMP_BITS 14

static int open_tcp(struct keyed_object *object)
{
    struct tcp_bpf *skeleton = tcp_bpf__open();
    int r;

    if (!skeleton)
        return -errno;
    keyed_opened(object, skeleton, skeleton->skeleton, skeleton->obj, &skeleton->bss->n_lost);
    r = bpf_prepare_keyed(skeleton->obj, object->of, object->program.table,
                          &skeleton->rodata->is_v1);
    if (r < 0)
        return r;
    /* behind the socket and the segment */
    skeleton->rodata->tells_error = bpf_tracepoint_arguments("tcp_retransmit_skb") >= 3;
    return bpf_set_places(skeleton->maps.stamps, STAMP_BITS, &skeleton->rodata->stamp_bits);
}

static bool has_hooks(void)
{
    static const char *const hooks[] = {"tcp_retransmit_skb", "tcp_retransmit_synack",
                                        "inet_sock_set_state"};

    return bpf_tracepoints_exist(hooks, ARRAY_SIZE(hooks));
}

int tcp_program_load(const struct switch_program *of, size_t entries,
                     struct keyed_program **ret_program, enum bpf_refusal *ret_refusal)
{
    static const struct keyed_loader loader = {.open = open_tcp, .has_hooks = has_hooks};

    return keyed_object_load(&loader, of, entries, ret_program, ret_refusal);
}
