/* SPDX-License-Identifier: GPL-2.0 OR Apache-2.0 */
#pragma once

/* Memory that the program in the kernel and its loader share, beside the records. */

#include <linux/types.h>

#include "sys/bpf/profile/unwind.h"

/* An element of the array of rules: those of maps that are mapped are whole words. */
struct profile_rule {
    struct unwind_rule rule;
    __u32 unused;
};

/* A pair of rows. */
struct profile_rows {
    struct unwind_row rows[2];
};

/*
 * The rows of 64 KiB of addresses of a file. The first of them holds from the first address on: the
 * rule of the page before is repeated.
 */
struct profile_page {
    __u32 first;
    __u32 n;
};

/* Which pages a file has. They are changed by one store. */
union profile_pages {
    struct {
        __u32 first, n; /* n 0: its table is not there */
    };
    __u64 both;
};

struct profile_file {
    union profile_pages pages;
    __u32 flags; /* PROFILE_FILE_… */
    __u32 unused;
};

/* What its table says nothing of is unwound by frame pointers, which the code keeps by design. */
#define PROFILE_FILE_BY_FRAME_POINTER 1

/* An executable mapping of a process. Those of a process follow each other, sorted. */
struct profile_mapping {
    __u64 start, end;
    __u64 bias; /* address in the process - place in the file */
    __u32 file; /* PROFILE_FILE_ANONYMOUS: it is of no file: code that was made at run time */
    __u32 unused;
};

#define PROFILE_FILE_ANONYMOUS 0xffffffffu

/* A process whose mappings are known, as long as it has the same memory. */
struct profile_process {
    __u64 memory; /* its mm_struct: exec gives it another one */
    __u32 first, n;
};

/* What the program tells of each executable mapping of a process, by an iterator. */
#define PROFILE_PATH_SIZE 512

struct profile_vma {
    __u64 memory;
    __u64 start, end;
    __u64 offset; /* in the file, in bytes */
    __u64 inode;
    __u32 device; /* as the kernel has it: 12 bits of major, 20 of minor */
    __u32 pid;
    __u32 kind;       /* enum profile_vma_kind */
    __u32 generation; /* of the inode, which tells it from others that had its number */
    __u32 path_length;
    __u32 may_stall; /* who opens or reads the file may have to wait for somebody without rights */
    char path[PROFILE_PATH_SIZE];
};

enum profile_vma_kind { PROFILE_VMA_FILE, PROFILE_VMA_VDSO, PROFILE_VMA_ANONYMOUS };
