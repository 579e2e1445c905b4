/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/block/hooks.h"

#include "sys/bpf/tracepoint.h"

bool block_has_hooks(void)
{
    return bpf_tracepoint_arguments("block_rq_insert") == 1 &&
           bpf_tracepoint_arguments("block_rq_issue") == 1 &&
           bpf_tracepoint_arguments("block_rq_complete") == 3;
}
