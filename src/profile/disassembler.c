/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/disassembler.h"

#include <capstone.h>
#include <dlfcn.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#define STRING_OF(number) #number
#define NAME_OF(major)    "libcapstone.so." STRING_OF(major)
#define LIBRARY           NAME_OF(CS_API_MAJOR)

/* What is called of the library. */
static struct {
    typeof(cs_open) *open;
    typeof(cs_close) *close;
    typeof(cs_option) *option;
    typeof(cs_malloc) *malloc;
    typeof(cs_free) *free;
    typeof(cs_disasm_iter) *next;
    bool is_loaded;
} library;

struct disassembler {
    csh handle;
    cs_insn *instruction;
    const uint8_t *rest;
    size_t n;
    uint64_t address;
};

/* A function of the library goes into a pointer of its type, which C knows no way for. */
static bool find(void *handle, const char *name, void *ret_function)
{
    void *function = dlsym(handle, name);

    memcpy(ret_function, &function, sizeof(function));
    return function != NULL;
}

bool disassembler_load(void)
{
    void *handle = library.is_loaded ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (handle)
        library.is_loaded =
            find(handle, "cs_open", &library.open) && find(handle, "cs_close", &library.close) &&
            find(handle, "cs_option", &library.option) &&
            find(handle, "cs_malloc", &library.malloc) && find(handle, "cs_free", &library.free) &&
            find(handle, "cs_disasm_iter", &library.next);
    return library.is_loaded;
}

bool disassembler_is_loaded(void)
{
    return library.is_loaded;
}

static bool open_engine(struct disassembler *disassembler, uint16_t machine)
{
    const bool is_arm = machine == EM_AARCH64;
    const cs_err r = library.open(is_arm ? CS_ARCH_ARM64 : CS_ARCH_X86,
                                  is_arm ? CS_MODE_ARM : CS_MODE_64, &disassembler->handle);

    if (r != CS_ERR_OK) {
        disassembler->handle = 0;
        return false;
    }
    return (is_arm ||
            library.option(disassembler->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT) == CS_ERR_OK) &&
           library.option(disassembler->handle, CS_OPT_SKIPDATA, CS_OPT_ON) == CS_ERR_OK;
}

struct disassembler *disassembler_new(const struct disassembler_code *code)
{
    AUTO(disassembler) struct disassembler *disassembler = calloc(1, sizeof(*disassembler));

    if (!disassembler || !library.is_loaded || !open_engine(disassembler, code->machine))
        return NULL;
    disassembler->instruction = library.malloc(disassembler->handle);
    disassembler->rest = code->bytes;
    disassembler->n = code->n;
    disassembler->address = code->address;
    return disassembler->instruction ? TAKE(disassembler) : NULL;
}

struct disassembler *disassembler_free(struct disassembler *disassembler)
{
    if (!disassembler)
        return NULL;
    if (disassembler->instruction)
        library.free(disassembler->instruction, 1);
    if (disassembler->handle)
        (void)library.close(&disassembler->handle);
    free(disassembler);
    return NULL;
}

bool disassembler_next(struct disassembler *disassembler, struct instruction *ret_instruction)
{
    cs_insn *instruction = disassembler->instruction;

    if (!library.next(disassembler->handle, &disassembler->rest, &disassembler->n,
                      &disassembler->address, instruction))
        return false;
    *ret_instruction = (struct instruction){.address = instruction->address,
                                            .mnemonic = instruction->mnemonic,
                                            .operands = instruction->op_str};
    return true;
}

/* Of x86-64: jumps, calls, loops; of AArch64: whole words, and b.ne and its like. */
static bool may_branch(const char *mnemonic)
{
    static const char *const beginnings[] = {"j", "call", "loop", "b."};
    static const char *const words[] = {"b", "bl", "cbz", "cbnz", "tbz", "tbnz"};

    for (size_t i = 0; i < ARRAY_SIZE(beginnings); i++)
        if (strncmp(mnemonic, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strcmp(mnemonic, words[i]) == 0)
            return true;
    return false;
}

/* The target is the last operand: "0x1040", "x0, #0x1040". */
bool instruction_target(const struct instruction *instruction, uint64_t *ret_address)
{
    const char *comma = strrchr(instruction->operands, ',');
    const char *last = comma ? comma + 1 : instruction->operands;
    char *end = NULL;

    last += strspn(last, " #");
    if (!may_branch(instruction->mnemonic) || strncmp(last, "0x", 2) != 0)
        return false;
    *ret_address = strtoull(last, &end, 16);
    return *end == '\0';
}
