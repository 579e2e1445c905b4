/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/tcp/program.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/keyed_loading.h"
#include "sys/bpf/loading.h"
#include "sys/bpf/tracepoint.h"

#include <tcp.skel.h>

/* There are 2^14 places for connects on their way, 24 bytes each. */
#define STAMP_BITS 14

static const char *const hooks[] = {"tcp_retransmit_skb", "tcp_retransmit_synack",
                                    "inet_sock_set_state"};

struct tcp_program {
    const struct switch_program *of; /* until it is loaded */
    size_t entries;
    struct tcp_bpf *skeleton;
    struct keyed_table *table;
};

static int prepare(struct tcp_program *program)
{
    struct tcp_bpf *skeleton = program->skeleton;
    bool v1;
    int r = bpf_prepare_keyed(skeleton->obj, program->of, program->entries, &v1);

    if (r < 0)
        return r;
    skeleton->rodata->is_v1 = v1;
    skeleton->rodata->stamp_bits = STAMP_BITS;
    /* behind the socket and the segment */
    skeleton->rodata->tells_error = bpf_tracepoint_arguments("tcp_retransmit_skb") >= 3;
    return bpf_map__set_max_entries(skeleton->maps.stamps, UINT32_C(1) << STAMP_BITS);
}

static int load(void *loaded)
{
    struct tcp_program *program = loaded;
    int r;

    program->skeleton = tcp_bpf__open();
    if (!program->skeleton)
        return -errno;
    r = prepare(program);
    if (r >= 0)
        r = tcp_bpf__load(program->skeleton);
    if (r >= 0)
        r = keyed_table_new(bpf_keyed_map(program->skeleton->obj), &program->table);
    return r >= 0 ? tcp_bpf__attach(program->skeleton) : r;
}

int tcp_program_load(const struct switch_program *of, size_t entries,
                     struct tcp_program **ret_program, enum bpf_refusal *ret_refusal)
{
    AUTO(tcp_program) struct tcp_program *program = calloc(1, sizeof(*program));
    int r;

    if (!program) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    program->of = of;
    program->entries = entries;
    r = bpf_load_quietly(load, program, ret_refusal);
    if (r < 0) {
        if (r == -ESRCH && !bpf_tracepoints_exist(hooks, ARRAY_SIZE(hooks)))
            *ret_refusal = BPF_REFUSAL_NO_HOOK;
        return r;
    }
    *ret_program = TAKE(program);
    return 0;
}

struct tcp_program *tcp_program_free(struct tcp_program *program)
{
    if (!program)
        return NULL;
    (void)keyed_table_free(program->table);
    tcp_bpf__destroy(program->skeleton);
    free(program);
    return NULL;
}

struct keyed_table *tcp_program_table(const struct tcp_program *program)
{
    return program->table;
}

uint64_t tcp_program_lost(const struct tcp_program *program)
{
    return __atomic_load_n(&program->skeleton->bss->n_lost, __ATOMIC_RELAXED);
}
