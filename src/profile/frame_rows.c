/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/frame_rows.h"

#include "base/cleanup.h"
#include "profile/frame_rule.h"
#include "reader/object_reader.h"

#define ADDRESS_LIMIT UINT32_C(0x80000000)

static const struct unwind_rule no_rule = {.cfa = UNWIND_CFA_NONE};

/* The rule at this address, and where it ends, at most at `end`. */
static struct unwind_rule rule_at(const struct frame_section *section, uint32_t address,
                                  uint32_t end, uint32_t *ret_end)
{
    const uint64_t base = section->file->base;
    AUTO_FREE Dwarf_Frame *frame = NULL;
    Dwarf_Addr first, last;
    bool is_signal;

    *ret_end = end;
    if (dwarf_cfi_addrframe(section->cfi, base + address, &frame) != 0 ||
        dwarf_frame_info(frame, &first, &last, &is_signal) < 0 || last <= base + address)
        return no_rule;
    if (last < base + end)
        *ret_end = (uint32_t)(last - base);
    return frame_rule(frame, section->file->machine, is_signal);
}

static int add_function(const struct frame_section *section, const struct code_range *function,
                        struct row_list *list)
{
    const struct unwind_rule signal = {.cfa = UNWIND_CFA_SIGNAL};
    uint32_t address = function->start;
    int r = OBJECT_READ;

    if (function->is_signal)
        return row_list_add(list, address, &signal);
    while (r == OBJECT_READ && address < function->end) {
        uint32_t next;
        const struct unwind_rule rule = rule_at(section, address, function->end, &next);

        r = row_list_add(list, address, &rule);
        address = next;
    }
    return r;
}

int frame_rows_add(const struct frame_section *section, const struct code_ranges *functions,
                   struct row_list *list)
{
    int r = OBJECT_READ;

    for (size_t i = 0; r == OBJECT_READ && i < functions->n; i++) {
        const uint32_t end = functions->items[i].end;
        const bool is_last = i + 1 == functions->n;

        r = add_function(section, &functions->items[i], list);
        if (r == OBJECT_READ && end < ADDRESS_LIMIT &&
            (is_last || functions->items[i + 1].start - end > PADDING_MOST))
            r = row_list_add(list, end, &no_rule);
    }
    return r;
}
