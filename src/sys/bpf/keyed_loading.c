/* SPDX-License-Identifier: Apache-2.0 */
#include "sys/bpf/keyed_loading.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "sys/bpf/loading.h"
#include "sys/bpf/switch/program.h"

/* Has the program use a map of another one, if it has a map of that name. */
static int share(struct bpf_object *object, const char *name, int fd)
{
    struct bpf_map *map = bpf_object__find_map_by_name(object, name);

    return map ? bpf_map__reuse_fd(map, fd) : 0;
}

int bpf_share_table(struct bpf_object *object, const struct keyed_table *table)
{
    const struct keyed_maps maps = keyed_table_maps(table);
    int r = share(object, "keyed", maps.keyed);

    if (r >= 0)
        r = share(object, "keyed_cells", maps.keyed_cells);
    if (r >= 0)
        r = share(object, "keyed_free", maps.keyed_free);
    return r;
}

int bpf_prepare_keyed(struct bpf_object *object, const struct switch_program *of,
                      const struct keyed_table *table, bool *ret_v1)
{
    struct switch_program_maps maps;
    int r = switch_program_maps(of, &maps);

    if (r >= 0)
        r = share(object, "slots", maps.slots);
    if (r >= 0)
        r = share(object, "watched", maps.watched);
    if (r >= 0)
        r = share(object, "slot_control", maps.control);
    if (r >= 0)
        r = bpf_share_table(object, table);
    if (r >= 0)
        *ret_v1 = maps.v1;
    return r;
}

int bpf_set_places(struct bpf_map *map, uint32_t bits, uint32_t *bits_told)
{
    *bits_told = bits;
    return bpf_map__set_max_entries(map, UINT32_C(1) << bits);
}

void keyed_opened(struct keyed_object *object, void *skeleton, struct bpf_object_skeleton *parts,
                  struct bpf_object *opened, const __u64 *n_lost)
{
    object->skeleton = skeleton;
    object->parts = parts;
    object->object = opened;
    object->n_lost = n_lost;
}

static uint64_t lost(const struct keyed_program *program)
{
    const struct keyed_object *object = (const struct keyed_object *)program;

    return __atomic_load_n(object->n_lost, __ATOMIC_RELAXED);
}

static void end(struct keyed_program *program)
{
    struct keyed_object *object = (struct keyed_object *)program;

    if (object->loader->disconnect && object->places)
        object->loader->disconnect(object);
    if (object->skeleton)
        bpf_object__destroy_skeleton(object->parts);
    free(object->skeleton);
    free(object);
}

static int load(void *loaded)
{
    struct keyed_object *object = loaded;
    int r = keyed_table_new(object->entries, &object->program.table);

    if (r >= 0)
        r = object->loader->open(object);
    if (r >= 0)
        r = bpf_object__load_skeleton(object->parts);
    if (r >= 0 && object->loader->connect)
        r = object->loader->connect(object);
    return r >= 0 ? bpf_object__attach_skeleton(object->parts) : r;
}

/* Whether it may have failed since there is no such tracepoint, or one of other arguments. */
static bool may_lack_hooks(int r, enum bpf_refusal refusal)
{
    return r == -ESRCH || refusal == BPF_REFUSAL_OLD_KERNEL || refusal == BPF_REFUSAL_FORBIDDEN;
}

int keyed_object_load(const struct keyed_loader *loader, const struct switch_program *of,
                      size_t entries, struct keyed_program **ret_program,
                      enum bpf_refusal *ret_refusal)
{
    struct keyed_object *object = calloc(1, sizeof(*object));
    int r;

    if (!object) {
        *ret_refusal = BPF_REFUSAL_NO_MEMORY;
        return -ENOMEM;
    }
    *object = (struct keyed_object){
        .program = {.lost = lost, .end = end}, .loader = loader, .of = of, .entries = entries};
    r = bpf_load_quietly(load, object, ret_refusal);
    if (r >= 0) {
        *ret_program = &object->program;
        return 0;
    }
    if (object->refusal != BPF_REFUSAL_NONE)
        *ret_refusal = object->refusal;
    else if (loader->has_hooks && may_lack_hooks(r, *ret_refusal) && !loader->has_hooks())
        *ret_refusal = BPF_REFUSAL_NO_HOOK;
    (void)keyed_program_free(&object->program);
    return r;
}
