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
 * The kernel looks up the file once more when a probe is opened. If another file had the path by
 * then, after an update or because somebody wants to do harm, the probe would be put at this offset
 * of that file, perhaps in the midst of an instruction. So the kernel is given the file that was
 * looked at, by its descriptor. Symbolic links on the way are followed if root or our own user made
 * them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "sys/trusted_path.h"

struct elf_image;

/* Which file it is, wherever its path leads to later. */
struct elf_identity {
    uint64_t device;
    uint64_t inode;
};

/* Why a file or a place in it cannot be used. A negative value is an errno: it cannot be read. */
enum elf_outcome {
    ELF_FOUND,
    ELF_FOREIGN_LINK, /* a symbolic link of another user is on the way to it */
    ELF_PROCESS_LINK, /* a link to what another process sees ("/proc/7/root") is on the way to it */
    ELF_NO_FILE,      /* it is no regular file */
    ELF_NO_PROGRAM,   /* it is no program or library of this machine, or a damaged one */
    ELF_TOO_LARGE,    /* a table of it is larger than we read */
    ELF_MISSING,      /* it has no such function or marker */
    ELF_AMBIGUOUS,    /* it has several of this name */
    ELF_INDIRECT,     /* the function is chosen when the program starts (IFUNC) */
    ELF_BEYOND,       /* the function ends before this offset */
    ELF_NOT_EXECUTABLE, /* the place is not in what is executed */
};

/*
 * Opens a file. ELF_FOUND: the caller closes *ret_image by elf_image_close(). ELF_FOREIGN_LINK:
 * *ret_doubt tells which. Another outcome, or -errno.
 */
int elf_image_open(const char *path, struct elf_image **ret_image, struct path_doubt *ret_doubt);
struct elf_image *elf_image_close(struct elf_image *image);
DEFINE_AUTO(elf_image, struct elf_image *, elf_image_close)

struct elf_identity elf_image_identity(const struct elf_image *image);

/* Another descriptor of the file, which the caller closes, or -errno. */
int elf_image_descriptor(const struct elf_image *image);

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
