/* SPDX-License-Identifier: Apache-2.0 */
#include "count/bpf/call_lines.h"

void call_lines_note(struct call_lines *lines, size_t call, uint64_t n)
{
    lines->counts[call] += n;
    lines->all += n;
}

/* The dearest of those that have no line; SYSCALLS_KINDS: each call has one. */
static size_t dearest(const struct call_lines *lines)
{
    size_t found = SYSCALLS_KINDS;

    for (size_t i = 0; i < SYSCALLS_KINDS; i++)
        if (!lines->has_line[i] &&
            (found == SYSCALLS_KINDS || lines->counts[i] > lines->counts[found]))
            found = i;
    return found;
}

void call_lines_promote(struct call_lines *lines)
{
    while (lines->all > 0 && lines->n < CALL_LINES_MOST) {
        const size_t call = dearest(lines);

        if (call == SYSCALLS_KINDS || lines->counts[call] < lines->all * (lines->n + 1) / 1000 ||
            lines->counts[call] == 0)
            return;
        lines->has_line[call] = true;
        lines->n++;
    }
}
