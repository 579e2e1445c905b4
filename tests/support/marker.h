/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Markers (USDT probes) of provider "pmu_test", without systemtap's sys/sdt.h. */

#if __SIZEOF_POINTER__ == 8
#define ADDRESS ".8byte"
#else
#define ADDRESS ".4byte"
#endif

/*
 * What systemtap's sys/sdt.h writes for a marker: a nop, and a note with the addresses of the nop,
 * of .stapsdt.base and of the semaphore, the provider, the name and the arguments.
 */
#define MARKER(name, semaphore)                                                                    \
    __asm__ volatile("990: nop\n"                                                                  \
                     ".pushsection .note.stapsdt, \"\", \"note\"\n"                                \
                     ".balign 4\n"                                                                 \
                     ".4byte 992f - 991f, 994f - 993f, 3\n"                                        \
                     "991: .asciz \"stapsdt\"\n"                                                   \
                     "992: .balign 4\n"                                                            \
                     "993: " ADDRESS " 990b\n" ADDRESS " _.stapsdt.base\n" ADDRESS " " semaphore   \
                     "\n"                                                                          \
                     ".asciz \"pmu_test\"\n"                                                       \
                     ".asciz \"" name "\"\n"                                                       \
                     ".asciz \"\"\n"                                                               \
                     "994: .balign 4\n"                                                            \
                     ".popsection\n")

__asm__(".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n"
        ".weak _.stapsdt.base\n"
        ".hidden _.stapsdt.base\n"
        "_.stapsdt.base: .space 1\n"
        ".size _.stapsdt.base, 1\n"
        ".popsection\n");
