/* SPDX-License-Identifier: Apache-2.0 */
#include "web/openapi.h"

/* The assembler copies the file into the constants of the program, as in page_files.c. */
__asm__(".pushsection .rodata\n"
        ".hidden openapi_begin\n.global openapi_begin\n"
        "openapi_begin:\n"
        ".incbin \"" OPENAPI_FILE "\"\n"
        ".hidden openapi_end\n.global openapi_end\n"
        "openapi_end:\n"
        ".byte 0\n"
        ".popsection");
extern const char openapi_begin[], openapi_end[];

const char *openapi_text(size_t *ret_length)
{
    *ret_length = (size_t)(openapi_end - openapi_begin);
    return openapi_begin;
}
