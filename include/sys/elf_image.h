/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/*
 * Programs and libraries (ELF files): where in the file a function begins, and where the markers
 * are that it offers (USDT probes, notes of .note.stapsdt). That is what the kernel takes to put a
 * probe on them.
 *
 * The file may be anything. A damaged or hostile one is an error; it costs at most the reading of
 * five tables of 128 MiB, of which 64 KiB are held at once and a bit for each byte of names, and of
 * 16 MiB of notes. It is read with read(2), so that a file that is cut meanwhile does no harm, as
 * it would if it were mapped.
 *
 * Who parses what strangers have made has no rights: a worker behind walls (reader/object_reader.h)
 * does it, of a file that elf_file_open() has opened.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/elf_file.h"

struct elf_image;

/*
 * Begins to look into a file, which is borrowed until elf_image_close(). ELF_FOUND; another
 * outcome; -ENOMEM.
 */
int elf_image_open(int fd, struct elf_image **ret_image);
struct elf_image *elf_image_close(struct elf_image *image);
DEFINE_AUTO(elf_image, struct elf_image *, elf_image_close)

/*
 * Finds a function by its symbol in .symtab or .dynsym. offset: in bytes from where it begins.
 * Global functions go before those that only a file of the source knows, the default version of a
 * symbol before others. *ret_position: in bytes from the beginning of the file.
 */
int elf_image_find_function(const struct elf_image *image, const char *name, uint64_t offset,
                            uint64_t *ret_position);

struct elf_marker {
    uint64_t position;  /* in bytes from the beginning of the file */
    uint64_t semaphore; /* where the kernel counts who is interested, likewise; 0: there is none */
};

/*
 * Finds a marker. number: which of several of this name, from 1; 0: there has to be one only. Of
 * ELF_AMBIGUOUS *ret_n tells how many there are, of ELF_MISSING likewise (0, or fewer than number).
 */
int elf_image_find_marker(const struct elf_image *image, const char *provider, const char *name,
                          unsigned number, struct elf_marker *ret_marker, unsigned *ret_n);

struct elf_visitor {
    /* Shows the name of a function, or a marker as "provider:name". Borrowed for the visit. */
    void (*visit)(void *object, const char *name);
    void *object;
};

/* Shows functions, or markers; not more than the first hundred thousand. */
void elf_image_list_functions(const struct elf_image *image, const struct elf_visitor *visitor);
void elf_image_list_markers(const struct elf_image *image, const struct elf_visitor *visitor);
