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

/* Whether one more line may be given now. */
static bool may_give(const struct call_lines *lines, uint64_t now_ns)
{
    if (lines->n < CALL_LINES_SOON)
        return now_ns - lines->begun_ns >= CALL_LINES_BEGIN_NS;
    return lines->n < CALL_LINES_MOST && now_ns - lines->given_ns >= CALL_LINES_STEP_NS;
}

void call_lines_promote(struct call_lines *lines, uint64_t now_ns)
{
    if (lines->all == 0)
        return;
    if (lines->begun_ns == 0)
        lines->begun_ns = now_ns;
    while (may_give(lines, now_ns)) {
        const size_t call = dearest(lines);

        if (call == SYSCALLS_KINDS || lines->counts[call] < CALL_LINES_LEAST ||
            lines->counts[call] < lines->all * (lines->n + 1) / 1000)
            return;
        lines->has_line[call] = true;
        lines->n++;
        lines->given_ns = now_ns;
    }
}
