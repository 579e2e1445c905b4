/* SPDX-License-Identifier: Apache-2.0 */

/*
 * libdw tells each register as a DWARF expression. Of these, a handful of forms make up all that
 * compilers write; numbers of registers are those of the psABIs.
 */
#include "profile/frame_rule.h"

#include <dwarf.h>
#include <elf.h>
#include <stddef.h>

#include "base/cleanup.h"

#define WORD 8

struct machine_registers {
    int sp, fp, ra;
};

static const struct machine_registers x86_64_registers = {.sp = 7, .fp = 6, .ra = 16};
static const struct machine_registers aarch64_registers = {.sp = 31, .fp = 29, .ra = 30};

/* Whether an offset in bytes is one in words of the range of a rule. */
static bool to_words(Dwarf_Word bytes, int16_t *ret_words)
{
    const int64_t offset = (int64_t)bytes;

    if (offset % WORD != 0 || offset / WORD < INT16_MIN || offset / WORD > INT16_MAX)
        return false;
    *ret_words = (int16_t)(offset / WORD);
    return true;
}

/* Whether an operation is "this register, plus an offset". */
static bool is_register_plus(const Dwarf_Op *op, int *ret_register, Dwarf_Word *ret_offset)
{
    if (op->atom == DW_OP_bregx) {
        *ret_register = op->number <= INT16_MAX ? (int)op->number : -1;
        *ret_offset = op->number2;
        return true;
    }
    if (op->atom < DW_OP_breg0 || op->atom > DW_OP_breg31)
        return false;
    *ret_register = op->atom - DW_OP_breg0;
    *ret_offset = op->number;
    return true;
}

/*
 * What linkers write for the PLT of x86-64: an entry has pushed a word from its 11th byte on, or,
 * where it begins with endbr64 or has bnd, from another one. *ret_pushed: which.
 */
static bool is_plt(const Dwarf_Op *ops, size_t n, int16_t *ret_pushed)
{
    static const struct {
        uint8_t atom;
        Dwarf_Word number;
    } plt[] = {{DW_OP_breg7, 8}, {DW_OP_breg16, 0}, {DW_OP_lit15, 0},
               {DW_OP_and, 0},   {DW_OP_lit11, 0},  {DW_OP_ge, 0},
               {DW_OP_lit3, 0},  {DW_OP_shl, 0},    {DW_OP_plus, 0}};

    if (n != ARRAY_SIZE(plt))
        return false;
    for (size_t i = 0; i < n; i++) {
        const bool is_pushed = plt[i].atom == DW_OP_lit11;

        if (is_pushed ? ops[i].atom < DW_OP_lit0 || ops[i].atom > DW_OP_lit15
                      : ops[i].atom != plt[i].atom || (i < 2 && ops[i].number != plt[i].number))
            return false;
        if (is_pushed)
            *ret_pushed = (int16_t)(ops[i].atom - DW_OP_lit0);
    }
    return true;
}

/* The CFA, which may be the word at an address, and that word plus an offset. */
static bool set_cfa(const Dwarf_Op *ops, size_t n, const struct machine_registers *registers,
                    struct unwind_rule *rule)
{
    Dwarf_Word offset;
    int number;

    if (n < 1 || n > 3 || !is_register_plus(&ops[0], &number, &offset) ||
        (number != registers->sp && number != registers->fp) ||
        !to_words(offset, &rule->cfa_offset))
        return false;
    rule->cfa = number == registers->sp ? UNWIND_CFA_SP : UNWIND_CFA_FP;
    if (n == 1)
        return true;
    rule->cfa = number == registers->sp ? UNWIND_CFA_SP_DEREF : UNWIND_CFA_FP_DEREF;
    return ops[1].atom == DW_OP_deref &&
           (n == 2 || (ops[2].atom == DW_OP_plus_uconst && to_words(ops[2].number, &rule->extra)));
}

/* How a register of the caller is found; LOST, if no rule can say it. */
static enum unwind_register place(Dwarf_Frame *frame, int number, int16_t *ret_offset)
{
    Dwarf_Op memory[3], *ops;
    size_t n;

    if (dwarf_frame_register(frame, number, memory, &ops, &n) < 0)
        return UNWIND_REGISTER_LOST;
    if (n == 0)
        return ops ? UNWIND_REGISTER_LOST : UNWIND_REGISTER_SAME;
    if (ops[0].atom != DW_OP_call_frame_cfa || n > 2 ||
        (n == 2 && ops[1].atom != DW_OP_plus_uconst) ||
        !to_words(n == 2 ? ops[1].number : 0, ret_offset))
        return UNWIND_REGISTER_LOST;
    return UNWIND_REGISTER_AT_CFA;
}

/* Whether it is said that there is no caller: the return address is undefined. */
static bool is_end(Dwarf_Frame *frame, int number)
{
    Dwarf_Op memory[3], *ops;
    size_t n;

    return dwarf_frame_register(frame, number, memory, &ops, &n) == 0 && n == 0 && ops == memory;
}

/* The frame that the kernel makes for a handler of x86-64: rsp was saved at rsp + 160. */
static bool is_signal_frame(const Dwarf_Op *ops, size_t n)
{
    return n == 2 && ops[0].atom == DW_OP_breg7 && ops[0].number == 160 &&
           ops[1].atom == DW_OP_deref;
}

/* Whether the return address is where a rule of this machine may say that it is. */
static bool may_return(const struct unwind_rule *rule, uint16_t machine)
{
    if (machine == EM_AARCH64)
        return rule->ra != UNWIND_REGISTER_LOST;
    return rule->ra == UNWIND_REGISTER_AT_CFA && rule->ra_offset == -1;
}

struct unwind_rule frame_rule(Dwarf_Frame *frame, uint16_t machine, bool is_signal)
{
    const struct machine_registers *registers =
        machine == EM_AARCH64 ? &aarch64_registers : &x86_64_registers;
    const struct unwind_rule none = {.cfa = UNWIND_CFA_NONE};
    struct unwind_rule rule = none;
    Dwarf_Op *ops;
    size_t n;

    if (is_end(frame, registers->ra))
        return (struct unwind_rule){.cfa = UNWIND_CFA_END};
    if (dwarf_frame_cfa(frame, &ops, &n) < 0)
        return none;
    if (machine == EM_X86_64 && is_signal && is_signal_frame(ops, n))
        return (struct unwind_rule){.cfa = UNWIND_CFA_SIGNAL};
    if (machine == EM_X86_64 && is_plt(ops, n, &rule.extra))
        rule.cfa = UNWIND_CFA_PLT;
    else if (!set_cfa(ops, n, registers, &rule))
        return none;
    rule.fp = (uint8_t)place(frame, registers->fp, &rule.fp_offset);
    rule.ra = (uint8_t)place(frame, registers->ra, &rule.ra_offset);
    return may_return(&rule, machine) ? rule : none;
}
