/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/values.h"

#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t in_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);

    return (bytes + page - 1) / page * page;
}

static size_t bytes_of(const struct bpf_map *map)
{
    return (size_t)bpf_map__value_size(map) * bpf_map__max_entries(map);
}

/*
 * Children do not inherit the mapping (MADV_DONTFORK). The self-test forks children whose counts by
 * both mechanisms are compared. To copy and drop page table entries for many pages would be most of
 * what they do, and at their end only one of the mechanisms counts it.
 */
void *bpf_bytes_map(int fd, size_t bytes)
{
    const size_t size = in_pages(bytes);
    void *values = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (values == MAP_FAILED)
        return NULL;
    (void)madvise(values, size, MADV_DONTFORK);
    return values;
}

void bpf_bytes_unmap(void *values, size_t bytes)
{
    if (values)
        (void)munmap(values, in_pages(bytes));
}

void *bpf_values_map(const struct bpf_map *map)
{
    return bpf_bytes_map(bpf_map__fd(map), bytes_of(map));
}

void bpf_values_unmap(const struct bpf_map *map, void *values)
{
    bpf_bytes_unmap(values, bytes_of(map));
}
