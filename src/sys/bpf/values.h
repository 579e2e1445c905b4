/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Values of array maps, in memory that we share with a program in the kernel. */

struct bpf_map;

/* Maps all values of an array map that can be mapped (BPF_F_MMAPABLE). NULL and errno. */
void *bpf_values_map(const struct bpf_map *map);

/* Ends it. NULL: nothing is mapped. */
void bpf_values_unmap(const struct bpf_map *map, void *values);
