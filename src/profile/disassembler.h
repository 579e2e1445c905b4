/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Instructions as text, by libcapstone: in the syntax of AT&T for x86-64, as perf annotate and
 * objdump show them. The library is loaded when it is needed, and in a worker only: nobody else has
 * its memory, and who does without it need not install it.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"

/*
 * Loads the library into this process, which may still open files then: a worker calls it before
 * there are walls. Whether it is there. Calls after the first one do nothing.
 */
bool disassembler_load(void);
bool disassembler_is_loaded(void);

struct disassembler;

/* Code, and where it lies. The bytes are borrowed. */
struct disassembler_code {
    uint16_t machine; /* EM_X86_64 or EM_AARCH64 */
    const uint8_t *bytes;
    size_t n;
    uint64_t address;
};

/* Begins at the first instruction. NULL: the library is not loaded, or there is no memory. */
struct disassembler *disassembler_new(const struct disassembler_code *code);
struct disassembler *disassembler_free(struct disassembler *disassembler);
DEFINE_AUTO(disassembler, struct disassembler *, disassembler_free)

struct instruction {
    uint64_t address;
    const char *mnemonic, *operands; /* until the next call */
};

/* The next one; what is no instruction becomes ".byte". False: the code is at its end. */
bool disassembler_next(struct disassembler *disassembler, struct instruction *ret_instruction);

/* The address that an instruction jumps to or calls, where its text says it. */
bool instruction_target(const struct instruction *instruction, uint64_t *ret_address);
