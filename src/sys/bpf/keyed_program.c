/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/keyed_program.h"

#include "sys/bpf/keyed_ends.h"

struct keyed_program *keyed_program_free(struct keyed_program *program)
{
    if (!program)
        return NULL;
    program->table = keyed_table_free(program->table);
    program->end(program);
    return NULL;
}

struct keyed_table *keyed_program_table(const struct keyed_program *program)
{
    return program->table;
}

uint64_t keyed_program_lost(const struct keyed_program *program)
{
    return program->lost(program);
}
