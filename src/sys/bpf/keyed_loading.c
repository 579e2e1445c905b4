/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/keyed_loading.h"

#include <bpf/libbpf.h>
#include <errno.h>

#include "sys/bpf/switch/program.h"

/* Has the program use a map of another one, if it has a map of that name. */
static int share(struct bpf_object *object, const char *name, int fd)
{
    struct bpf_map *map = bpf_object__find_map_by_name(object, name);

    return map ? bpf_map__reuse_fd(map, fd) : 0;
}

int bpf_prepare_keyed(struct bpf_object *object, const struct switch_program *of, size_t entries,
                      bool *ret_v1)
{
    struct bpf_map *table = bpf_object__find_map_by_name(object, "keyed");
    struct switch_program_maps maps;
    int r = switch_program_maps(of, &maps);

    if (r >= 0)
        r = share(object, "slots", maps.slots);
    if (r >= 0)
        r = share(object, "watched", maps.watched);
    if (r >= 0)
        r = share(object, "slot_control", maps.control);
    if (r >= 0)
        r = table ? bpf_map__set_max_entries(table, (uint32_t)entries) : -ENOENT;
    if (r >= 0)
        *ret_v1 = maps.v1;
    return r;
}

int bpf_keyed_map(const struct bpf_object *object)
{
    return bpf_object__find_map_fd_by_name((struct bpf_object *)object, "keyed");
}
