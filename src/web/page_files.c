/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The assembler copies each file into the constants of the program. C has no statement for that
 * yet (#embed of C23).
 */
#include "web/page_files.h"

#define EMBED(symbol, folder, name, content_type)                                                  \
    __asm__(".pushsection .rodata\n"                                                               \
            ".hidden page_" #symbol "\n.global page_" #symbol "\n"                                 \
            "page_" #symbol ":\n"                                                                  \
            ".incbin \"" folder "/" name "\"\n"                                                    \
            ".hidden page_end_" #symbol "\n.global page_end_" #symbol "\n"                         \
            "page_end_" #symbol ":\n"                                                              \
            ".byte 0\n"                                                                            \
            ".popsection");                                                                        \
    extern const char page_##symbol[], page_end_##symbol[];

EMBED(index_html, PAGE_FOLDER, "index.html", CONTENT_HTML)
PAGE_FILES(EMBED)

#define TEXT_OF(symbol, folder, name, content_type) {page_##symbol, page_end_##symbol},
static const struct {
    const char *begin;
    const char *end;
} texts[N_PAGE_FILES] = {{page_index_html, page_end_index_html}, PAGE_FILES(TEXT_OF)};

const char *page_file_text(enum page_file file, size_t *ret_length)
{
    *ret_length = (size_t)(texts[file].end - texts[file].begin);
    return texts[file].begin;
}
