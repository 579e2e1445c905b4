/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The messages of all samples, locations and strings stand in arrays that are made at once, as
 * large as the trees say: a profile has some thousands of each.
 */
#include "expose/profile_pprof.h"

#include <errno.h>

#include <pprof.pb-c.h>

#include "base/clock.h"
#include "profile/name_table.h"
#include "sys/bpf/profile/period.h"

typedef Perftools__Profiles__Profile profile_message;
typedef Perftools__Profiles__Sample sample_message;
typedef Perftools__Profiles__Label label_message;
typedef Perftools__Profiles__Location location_message;
typedef Perftools__Profiles__Line line_message;
typedef Perftools__Profiles__Function function_message;
typedef Perftools__Profiles__Mapping mapping_message;

/* A sample with the room for its values. */
struct sample_room {
    sample_message message;
    int64_t values[2];
};

/* A function with the location that stands for it. */
struct function_room {
    int64_t owner; /* string */
    function_message function;
    location_message location;
    line_message line, *lines[1];
};

struct writer {
    struct name_table functions; /* of all trees; the id of one is its number and 1 */
    struct name_table strings;   /* as names; the first one is "" */
    uint32_t **numbers;          /* [part][function of its tree]: its number */
    size_t n_parts;
    struct sample_room *samples;
    sample_message **sample_list;
    uint64_t *location_ids; /* of all samples */
    label_message *labels, **label_list;
    struct function_room *rooms;
    function_message **function_list;
    location_message **location_list;
    mapping_message *mappings, **mapping_list;
    uint64_t *mapping_of; /* [string]: the id of the mapping of this file; 0: none */
    char **string_list;
    bool failed; /* a string is missing */
};

static void writer_done(struct writer *writer)
{
    void *const all[] = {writer->samples,       writer->sample_list,   writer->location_ids,
                         writer->labels,        writer->label_list,    writer->rooms,
                         writer->function_list, writer->location_list, writer->mappings,
                         writer->mapping_list,  writer->mapping_of,    writer->string_list};

    for (size_t i = 0; i < writer->n_parts; i++)
        free(writer->numbers[i]);
    free((void *)writer->numbers);
    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        free(all[i]);
    name_table_done(&writer->functions);
    name_table_done(&writer->strings);
}
#define AUTO_WRITER __attribute__((cleanup(writer_done)))

static int64_t string_number(struct writer *writer, const char *string)
{
    const uint32_t number = name_table_number(&writer->strings, PROFILE_NOTE, "", string);

    writer->failed |= number == NAME_NONE;
    return number;
}

/* Functions of several trees are one if they have one name. */
static int number_functions(struct writer *writer, const struct profile_part *parts, size_t n)
{
    writer->numbers = calloc(n + 1, sizeof(*writer->numbers));
    if (!writer->numbers)
        return -ENOMEM;
    for (size_t i = 0; i < n; i++) {
        const struct profile_tree *tree = parts[i].tree;

        writer->numbers[i] = calloc(tree->n_functions + 1, sizeof(uint32_t));
        writer->n_parts = i + 1;
        for (size_t j = 0; writer->numbers[i] && j < tree->n_functions; j++) {
            const struct profile_function_name *name = &tree->functions[j];

            writer->numbers[i][j] =
                name_table_number(&writer->functions, name->kind, name->owner, name->name);
            writer->failed |= writer->numbers[i][j] == NAME_NONE;
        }
        writer->failed |= !writer->numbers[i];
    }
    return writer->failed ? -ENOMEM : 0;
}

static size_t depth_of(const struct profile_tree *tree, uint32_t node)
{
    size_t depth = 0;

    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent)
        depth++;
    return depth;
}

/* How much there is of what the trees have. */
struct amounts {
    size_t samples, locations, labels;
};

static struct amounts amounts_of(const struct profile_part *parts, size_t n)
{
    struct amounts amounts = {0};

    for (size_t i = 0; i < n; i++) {
        const struct profile_tree *tree = parts[i].tree;

        amounts.labels += parts[i].n_labels;
        for (uint32_t j = 0; j < tree->n_nodes; j++)
            if (profile_node_has_own(&tree->nodes[j])) {
                amounts.samples++;
                amounts.locations += depth_of(tree, j);
            }
    }
    return amounts;
}

/* There are no more files than functions, so a mapping for each is enough. */
static int make_room(struct writer *writer, const struct amounts *amounts)
{
    const size_t n_functions = writer->functions.n + 1;

    writer->samples = calloc(amounts->samples + 1, sizeof(*writer->samples));
    writer->sample_list = calloc(amounts->samples + 1, sizeof(*writer->sample_list));
    writer->location_ids = calloc(amounts->locations + 1, sizeof(*writer->location_ids));
    writer->labels = calloc(amounts->labels + 1, sizeof(*writer->labels));
    writer->label_list = calloc(amounts->labels + 1, sizeof(*writer->label_list));
    writer->rooms = calloc(n_functions, sizeof(*writer->rooms));
    writer->function_list = calloc(n_functions, sizeof(*writer->function_list));
    writer->location_list = calloc(n_functions, sizeof(*writer->location_list));
    writer->mappings = calloc(n_functions, sizeof(*writer->mappings));
    writer->mapping_list = calloc(n_functions, sizeof(*writer->mapping_list));
    return writer->samples && writer->sample_list && writer->location_ids && writer->labels &&
                   writer->label_list && writer->rooms && writer->function_list &&
                   writer->location_list && writer->mappings && writer->mapping_list
               ? 0
               : -ENOMEM;
}

static void fill_sample(const struct writer *writer, const struct profile_tree *tree,
                        const uint32_t *numbers, uint32_t node, size_t at, uint64_t *locations)
{
    struct sample_room *room = &writer->samples[at];

    perftools__profiles__sample__init(&room->message);
    room->values[0] = (int64_t)tree->nodes[node].self;
    room->values[1] = (int64_t)tree->nodes[node].self_value;
    room->message.n_value = ARRAY_SIZE(room->values);
    room->message.value = room->values;
    room->message.location_id = locations;
    for (; tree->nodes[node].parent != PROFILE_NO_NODE; node = tree->nodes[node].parent)
        locations[room->message.n_location_id++] =
            (uint64_t)numbers[tree->nodes[node].function] + 1;
    writer->sample_list[at] = &room->message;
}

static void fill_labels(struct writer *writer, const struct profile_part *part, size_t at)
{
    for (size_t i = 0; i < part->n_labels; i++) {
        label_message *label = &writer->labels[at + i];

        perftools__profiles__label__init(label);
        label->key = string_number(writer, part->labels[i].name);
        label->str = string_number(writer, part->labels[i].value);
        writer->label_list[at + i] = label;
    }
}

static void fill_samples(struct writer *writer, const struct profile_part *parts, size_t n,
                         profile_message *profile)
{
    size_t labels = 0;
    uint64_t *locations = writer->location_ids;

    for (size_t i = 0; i < n; i++) {
        const struct profile_tree *tree = parts[i].tree;

        fill_labels(writer, &parts[i], labels);
        for (uint32_t j = 0; j < tree->n_nodes; j++) {
            sample_message *sample = &writer->samples[profile->n_sample].message;

            if (!profile_node_has_own(&tree->nodes[j]))
                continue;
            fill_sample(writer, tree, writer->numbers[i], j, profile->n_sample++, locations);
            sample->n_label = parts[i].n_labels;
            sample->label = writer->label_list + labels;
            locations += sample->n_location_id;
        }
        labels += parts[i].n_labels;
    }
    profile->sample = writer->sample_list;
}

static void fill_function(struct writer *writer, uint32_t number)
{
    const struct profile_function_name *name = &writer->functions.names[number];
    struct function_room *room = &writer->rooms[number];

    perftools__profiles__function__init(&room->function);
    perftools__profiles__location__init(&room->location);
    perftools__profiles__line__init(&room->line);
    room->function.id = room->location.id = room->line.function_id = (uint64_t)number + 1;
    room->function.name = room->function.system_name = string_number(writer, name->name);
    room->owner = string_number(writer, name->owner); /* its file of source code is not known */
    room->lines[0] = &room->line;
    room->location.n_line = 1;
    room->location.line = room->lines;
    writer->function_list[number] = &room->function;
    writer->location_list[number] = &room->location;
}

/* What belongs to no file has no mapping. */
static void map_function(struct writer *writer, uint32_t number, profile_message *profile)
{
    struct function_room *room = &writer->rooms[number];
    const int64_t file = room->owner;

    if (file == 0)
        return;
    if (writer->mapping_of[file] == 0) {
        mapping_message *mapping = &writer->mappings[profile->n_mapping];

        perftools__profiles__mapping__init(mapping);
        mapping->id = writer->mapping_of[file] = profile->n_mapping + 1;
        mapping->filename = file;
        mapping->has_functions = true;
        writer->mapping_list[profile->n_mapping++] = mapping;
    }
    room->location.mapping_id = writer->mapping_of[file];
}

static int fill_functions(struct writer *writer, profile_message *profile)
{
    const size_t n = writer->functions.n;

    for (uint32_t i = 0; i < n; i++)
        fill_function(writer, i);
    writer->mapping_of = calloc(writer->strings.n + 1, sizeof(*writer->mapping_of));
    if (!writer->mapping_of || writer->failed)
        return -ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        map_function(writer, i, profile);
    profile->n_function = profile->n_location = n;
    profile->function = writer->function_list;
    profile->location = writer->location_list;
    profile->mapping = writer->mapping_list;
    return 0;
}

static void fill_times(const struct profile_part *parts, size_t n, profile_message *profile)
{
    uint64_t from_ns = n > 0 ? parts[0].tree->from_ns : 0, to_ns = from_ns;

    for (size_t i = 0; i < n; i++) {
        const struct profile_tree *tree = parts[i].tree;

        from_ns = tree->from_ns < from_ns ? tree->from_ns : from_ns;
        to_ns = tree->to_ns > to_ns ? tree->to_ns : to_ns;
        if (profile->period == 0 && tree->rate_hz > 0)
            profile->period = (int64_t)profile_period_ns(tree->rate_hz);
    }
    profile->time_nanos = (int64_t)from_ns;
    profile->duration_nanos = (int64_t)(to_ns - from_ns);
}

static int fill_strings(struct writer *writer, profile_message *profile)
{
    writer->string_list = calloc(writer->strings.n + 1, sizeof(*writer->string_list));
    if (!writer->string_list)
        return -ENOMEM;
    for (size_t i = 0; i < writer->strings.n; i++)
        writer->string_list[i] = writer->strings.names[i].name;
    profile->n_string_table = writer->strings.n;
    profile->string_table = writer->string_list;
    return 0;
}

static int pack(const profile_message *profile, struct text *bytes)
{
    const size_t size = perftools__profiles__profile__get_packed_size(profile);

    if (!text_reserve(bytes, size + 1))
        return -ENOMEM;
    bytes->length +=
        perftools__profiles__profile__pack(profile, (uint8_t *)bytes->data + bytes->length);
    return 0;
}

int profile_pprof_write(const struct profile_part *parts, size_t n, struct text *bytes)
{
    AUTO_WRITER struct writer writer = {0};
    profile_message profile = PERFTOOLS__PROFILES__PROFILE__INIT;
    Perftools__Profiles__ValueType types[] = {PERFTOOLS__PROFILES__VALUE_TYPE__INIT,
                                              PERFTOOLS__PROFILES__VALUE_TYPE__INIT};
    Perftools__Profiles__ValueType *type_list[] = {&types[0], &types[1]};
    const struct amounts amounts = amounts_of(parts, n);
    const char *event = n > 0 ? parts[0].tree->event : NULL;

    if (name_table_init(&writer.functions) < 0 || name_table_init(&writer.strings) < 0 ||
        string_number(&writer, "") != 0 || number_functions(&writer, parts, n) < 0 ||
        make_room(&writer, &amounts) < 0)
        return -ENOMEM;
    types[0].type = string_number(&writer, "samples");
    types[0].unit = string_number(&writer, "count");
    types[1].type = string_number(&writer, event ? event : "cpu");
    types[1].unit = string_number(&writer, event ? "count" : "nanoseconds");
    profile.n_sample_type = ARRAY_SIZE(type_list);
    profile.sample_type = type_list;
    profile.period_type = &types[1];
    profile.default_sample_type = types[1].type;
    fill_times(parts, n, &profile);
    fill_samples(&writer, parts, n, &profile);
    if (fill_functions(&writer, &profile) < 0 || fill_strings(&writer, &profile) < 0)
        return -ENOMEM;
    return pack(&profile, bytes);
}
