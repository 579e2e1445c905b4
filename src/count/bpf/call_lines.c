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

/* How many lines may be given by now. */
static size_t most_by_now(const struct call_lines *lines, uint64_t now_ns)
{
    const uint64_t age_ns = now_ns - lines->begun_ns;
    uint64_t most;

    if (age_ns < CALL_LINES_BEGIN_NS)
        return 0;
    most = CALL_LINES_SOON + (age_ns - CALL_LINES_BEGIN_NS) / CALL_LINES_STEP_NS;
    return most < CALL_LINES_MOST ? (size_t)most : CALL_LINES_MOST;
}

void call_lines_promote(struct call_lines *lines, uint64_t now_ns)
{
    size_t most;

    if (lines->all == 0)
        return;
    if (lines->begun_ns == 0)
        lines->begun_ns = now_ns;
    most = most_by_now(lines, now_ns);
    while (lines->n < most) {
        const size_t call = dearest(lines);

        if (call == SYSCALLS_KINDS || lines->counts[call] < CALL_LINES_LEAST ||
            lines->counts[call] < lines->all * (lines->n + 1) / 1000)
            return;
        lines->has_line[call] = true;
        lines->n++;
    }
}
