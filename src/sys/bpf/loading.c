/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/loading.h"

#include <bpf/libbpf.h>

static int be_quiet(enum libbpf_print_level level, const char *format, va_list arguments)
{
    (void)level;
    (void)format;
    (void)arguments;
    return 0;
}

int bpf_load_quietly(int (*load)(void *program), void *program, enum bpf_refusal *ret_refusal)
{
    int r;

    (void)libbpf_set_print(be_quiet);
    r = load(program);
    if (r < 0)
        *ret_refusal = bpf_refusal_find(r);
    return r;
}
