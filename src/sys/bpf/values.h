/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of array maps, in memory that we share with a program in the kernel. */

#include <stddef.h>

struct bpf_map;

/* Maps all values of an array map that can be mapped (BPF_F_MMAPABLE). NULL and errno. */
void *bpf_values_map(const struct bpf_map *map);

/* Ends it. NULL: nothing is mapped. */
void bpf_values_unmap(const struct bpf_map *map, void *values);

/* The same by the descriptor of the map and the size of all its values, each of whole 8 bytes. */
void *bpf_bytes_map(int fd, size_t bytes);
void bpf_bytes_unmap(void *values, size_t bytes);
