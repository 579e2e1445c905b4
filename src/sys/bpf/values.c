/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/values.h"

#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t bytes_of(const struct bpf_map *map)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);

    return (bytes + page - 1) / page * page;
}

/*
 * Children do not inherit the mapping (MADV_DONTFORK). The self-test forks children whose counts by
 * both mechanisms are compared. To copy and drop page table entries for many pages would be most of
 * what they do, and at their end only one of the mechanisms counts it.
 */
void *bpf_values_map(const struct bpf_map *map)
{
    void *values =
        mmap(NULL, bytes_of(map), PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

    if (values == MAP_FAILED)
        return NULL;
    (void)madvise(values, bytes_of(map), MADV_DONTFORK);
    return values;
}

void bpf_values_unmap(const struct bpf_map *map, void *values)
{
    if (values)
        (void)munmap(values, bytes_of(map));
}
