/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The schema leads the reading: the function for the type of a key reads its value, and a YAML
 * event that does not belong there is an error. No text makes the reading deeper than the tables.
 *
 * When a read_* function is called, the present event is the first one of the value; when it
 * returns, it is the last one.
 */
#include "config/schema.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/parse.h"
#include "config/config_error.h"
#include "config/schema_choice.h"
#include "config/schema_refusal.h"

#define NULL_PLACE ((struct config_place){0, 0})

typedef int value_reader(struct yaml_reader *reader, const struct schema_key *key, void *object);

static void *field(void *object, size_t offset)
{
    return (char *)object + offset;
}

/* schema_take_text() for a number or a bool, which YAML would take for text if it stood in quotes.
 */
static const char *take_plain(struct yaml_reader *reader, const struct schema_key *key)
{
    const char *text = schema_take_text(reader, key);

    if (text && !reader->event.is_plain) {
        (void)config_error_set(reader->error, yaml_reader_place(reader), "%s is text in quotes",
                               key->name);
        (void)schema_add_expected(reader, key);
        return NULL;
    }
    return text;
}

static int read_bool(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    bool *ret_value = field(object, key->offset);
    const char *text = take_plain(reader, key);

    if (!text)
        return -EINVAL;
    if (strcmp(text, "true") != 0 && strcmp(text, "false") != 0)
        return schema_refuse_value(reader, key, text);
    *ret_value = text[0] == 't';
    return 0;
}

/* Reads a number in the form that the parser takes: a plain one, a duration, a size. */
static int store_number(struct yaml_reader *reader, const struct schema_key *key,
                        uint64_t *ret_value, const char *text,
                        int (*parse)(const char *, uint64_t *))
{
    uint64_t value;

    if (key->takes_auto && strcmp(text, "auto") == 0) {
        *ret_value = 0;
        return 0;
    }
    if (key->takes_all && strcmp(text, "all") == 0) {
        *ret_value = UINT64_MAX;
        return 0;
    }
    if (parse(text, &value) < 0 || value < key->minimum || value > key->maximum)
        return schema_refuse_value(reader, key, text);
    *ret_value = value;
    return 0;
}

static int store_plain_number(struct yaml_reader *reader, const struct schema_key *key,
                              void *ret_number)
{
    const char *text = take_plain(reader, key);

    return text ? store_number(reader, key, ret_number, text, parse_u64) : -EINVAL;
}

static int read_number(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    return store_plain_number(reader, key, field(object, key->offset));
}

static int read_duration(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    const char *text = schema_take_text(reader, key);

    return text ? store_number(reader, key, field(object, key->offset), text, parse_duration_ns)
                : -EINVAL;
}

static int read_bytes(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    const char *text = schema_take_text(reader, key);

    return text ? store_number(reader, key, field(object, key->offset), text, parse_bytes)
                : -EINVAL;
}

static int store_word(struct yaml_reader *reader, const struct schema_key *key, void *word)
{
    struct config_word *ret_word = word;
    const char *text = schema_take_text(reader, key);

    if (!text)
        return -EINVAL;
    if (strlen(text) > key->maximum) {
        (void)schema_refuse_value(reader, key, text);
        config_error_add(reader->error, " of at most %u bytes", (unsigned)key->maximum);
        return -EINVAL;
    }
    ret_word->place = yaml_reader_place(reader);
    if (key->takes_auto && strcmp(text, "auto") == 0)
        return 0;
    ret_word->text = strdup(text);
    return ret_word->text ? 0 : -ENOMEM;
}

static int read_word(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    return store_word(reader, key, field(object, key->offset));
}

typedef int element_reader(struct yaml_reader *reader, const struct schema_key *key, void *element);

/* A list in the structure that is read into. */
struct array {
    void *elements; /* where the pointer to the elements stands */
    size_t *n;
    size_t size; /* bytes of one element */
    uint64_t minimum, maximum;
    element_reader *read;
};

/*
 * Adds an element of zeroes to an array. The array grows by doubling: it is full whenever it has a
 * power of two of elements. The element stands in the array before it is read, so that the owner of
 * the structure frees it, also after a failure. NULL: there is no memory.
 */
static void *append_element(const struct array *array)
{
    size_t n = *array->n;
    void *elements;

    /* the pointer is one to some structure and no void pointer: its bytes are copied */
    memcpy(&elements, array->elements, sizeof(elements));
    if (n == 0 || (n & (n - 1)) == 0)
        elements = reallocarray(elements, n ? 2 * n : 1, array->size);
    if (!elements)
        return NULL;
    memcpy(array->elements, &elements, sizeof(elements));
    (*array->n)++;
    return memset((char *)elements + n * array->size, 0, array->size);
}

static int read_array(struct yaml_reader *reader, const struct schema_key *key,
                      const struct array *array)
{
    struct config_place begin = yaml_reader_place(reader);
    int r;

    if (reader->event.kind != YAML_AT_LIST)
        return schema_refuse_type(reader, key);
    while ((r = yaml_reader_next(reader)) == 0 && reader->event.kind != YAML_AT_LIST_END) {
        void *element;

        if (*array->n == array->maximum)
            return config_error_set(reader->error, yaml_reader_place(reader),
                                    "%s has too many entries; expected at most %" PRIu64, key->name,
                                    array->maximum);
        element = append_element(array);
        r = element ? array->read(reader, key, element) : -ENOMEM;
        if (r < 0)
            return r;
    }
    if (r == 0 && *array->n < array->minimum) {
        (void)config_error_set(reader->error, begin, "%s is empty", key->name);
        return schema_add_expected(reader, key);
    }
    return r;
}

static int read_words(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    struct config_words *words = field(object, key->offset);

    return read_array(reader, key,
                      &(struct array){&words->words, &words->n, sizeof(*words->words), key->minimum,
                                      key->most, store_word});
}

/* The minimum of the key is that of each number: a list has to have one number at least. */
static int read_numbers(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    struct config_numbers *numbers = field(object, key->offset);

    return read_array(reader, key,
                      &(struct array){&numbers->numbers, &numbers->n, sizeof(*numbers->numbers), 1,
                                      key->most, store_plain_number});
}

static int read_mapping(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    if (reader->event.kind != YAML_AT_MAPPING)
        return schema_refuse_type(reader, key);
    return schema_read(reader, key->inner, field(object, key->offset));
}

static bool is_there(const struct config_pairs *pairs, const char *name)
{
    for (size_t i = 0; i + 1 < pairs->n; i++) /* the last one is that which is being read */
        if (strcmp(pairs->pairs[i].name.text, name) == 0)
            return true;
    return false;
}

/* Reads a name, the present event, and its value. */
static int read_pair(struct yaml_reader *reader, const struct schema_key *key,
                     const struct config_pairs *pairs)
{
    struct config_pair *const pair = &pairs->pairs[pairs->n - 1];
    int r = store_word(reader, key, &pair->name);

    if (r < 0)
        return r;
    if (is_there(pairs, pair->name.text))
        return config_error_set(reader->error, pair->name.place,
                                "%s stands in %s twice; expected it once", SHOWN(pair->name.text),
                                key->name);
    r = yaml_reader_next(reader);
    return r < 0 ? r : store_word(reader, key, &pair->value);
}

static int read_pairs(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    struct config_pairs *pairs = field(object, key->offset);
    const struct array array = {.elements = &pairs->pairs, &pairs->n, sizeof(*pairs->pairs)};
    int r;

    if (reader->event.kind != YAML_AT_MAPPING)
        return schema_refuse_type(reader, key);
    while ((r = yaml_reader_next(reader)) == 0 && reader->event.kind != YAML_AT_MAPPING_END) {
        if (pairs->n == key->most)
            return config_error_set(reader->error, yaml_reader_place(reader),
                                    "%s has too many entries; expected at most %zu", key->name,
                                    key->most);
        r = append_element(&array) ? read_pair(reader, key, pairs) : -ENOMEM;
        if (r < 0)
            return r;
    }
    return r;
}

static int read_element(struct yaml_reader *reader, const struct schema_key *key, void *element)
{
    const struct schema_key *first = &key->inner->keys[0];

    if (key->takes_words && reader->event.kind == YAML_AT_VALUE)
        return store_word(reader, first, field(element, first->offset));
    if (reader->event.kind != YAML_AT_MAPPING)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "an entry of %s is %s; expected %s%s", key->name,
                                schema_event_name(&reader->event),
                                key->takes_words ? "a name or " : "", key->inner->what);
    return schema_read(reader, key->inner, element);
}

static int read_list(struct yaml_reader *reader, const struct schema_key *key, void *object)
{
    return read_array(reader, key,
                      &(struct array){field(object, key->offset), field(object, key->count_offset),
                                      key->element_size, key->minimum, key->maximum, read_element});
}

static value_reader *const value_readers[SCHEMA_TYPES_] = {
    [SCHEMA_BOOL] = read_bool,
    [SCHEMA_NUMBER] = read_number,
    [SCHEMA_DURATION] = read_duration,
    [SCHEMA_BYTES] = read_bytes,
    [SCHEMA_CHOICE] = schema_read_choice,
    [SCHEMA_WORD] = read_word,
    [SCHEMA_WORDS] = read_words,
    [SCHEMA_NUMBERS] = read_numbers,
    [SCHEMA_MAPPING] = read_mapping,
    [SCHEMA_LIST] = read_list,
    [SCHEMA_PAIRS] = read_pairs,
    [SCHEMA_SET] = schema_read_set,
};

static int refuse_key(struct yaml_reader *reader, const struct schema *schema, const char *name)
{
    const char *names[SCHEMA_MOST_KEYS];
    int r = config_error_set(reader->error, yaml_reader_place(reader),
                             "unknown key %s in %s; expected ", SHOWN(name), schema->what);

    for (size_t i = 0; i < schema->n_keys; i++) {
        names[i] = schema->keys[i].name;
        config_error_add(reader->error, "%s%s", schema_separator(i, schema->n_keys, " or "),
                         names[i]);
    }
    config_error_suggest(reader->error, name, names, schema->n_keys);
    return r;
}

/* Finds which key of the schema the present event names. */
static int take_key(struct yaml_reader *reader, const struct schema *schema, size_t *ret_key)
{
    const struct yaml_event *event = &reader->event;
    const char *name = event->text;

    if (event->kind != YAML_AT_VALUE)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "a key of %s is %s; expected a name", schema->what,
                                schema_event_name(event));
    for (size_t i = 0; i < schema->n_keys; i++) {
        if (strcmp(name, schema->keys[i].name) == 0 && strlen(name) == event->length) {
            *ret_key = i;
            return 0;
        }
    }
    return refuse_key(reader, schema, name);
}

/* Reads a key, the present event, and its value. first: where each key was found, if it was. */
static int read_entry(struct yaml_reader *reader, const struct schema *schema, void *object,
                      struct config_place *first)
{
    const struct schema_key *key;
    size_t index = 0;
    int r = take_key(reader, schema, &index);

    if (r < 0)
        return r;
    key = &schema->keys[index];
    if (first[index].line)
        return config_error_set(reader->error, yaml_reader_place(reader),
                                "duplicate key \"%s\"; expected it once, the first is at %u:%u",
                                key->name, first[index].line, first[index].column);
    first[index] = yaml_reader_place(reader);
    r = yaml_reader_next(reader);
    if (r < 0)
        return r;
    if (key->given_offset)
        *(bool *)field(object, key->given_offset) = true;
    if (key->takes_nothing && reader->event.kind == YAML_AT_VALUE && schema_is_null(&reader->event))
        return 0;
    return value_readers[key->type](reader, key, object);
}

static int check_keys(struct yaml_reader *reader, const struct schema *schema,
                      struct config_place begin, const struct config_place *first)
{
    bool may_select = false, selects = false;

    for (size_t i = 0; i < schema->n_keys; i++) {
        const struct schema_key *key = &schema->keys[i];

        if (key->required && !first[i].line) {
            (void)config_error_set(reader->error, begin, "%s has no \"%s\"", schema->what,
                                   key->name);
            return schema_add_expected(reader, key);
        }
        may_select |= key->selects;
        selects |= key->selects && first[i].line;
    }
    if (!may_select || selects)
        return 0;
    (void)config_error_set(reader->error, begin, "%s selects nothing; expected at least one of",
                           schema->what);
    for (size_t i = 0, n = 0; i < schema->n_keys; i++)
        if (schema->keys[i].selects)
            config_error_add(reader->error, "%s \"%s\"", n++ ? "," : "", schema->keys[i].name);
    return -EINVAL;
}

int schema_read(struct yaml_reader *reader, const struct schema *schema, void *object)
{
    struct config_place begin = yaml_reader_place(reader), first[SCHEMA_MOST_KEYS] = {NULL_PLACE};
    int r;

    while ((r = yaml_reader_next(reader)) == 0 && reader->event.kind != YAML_AT_MAPPING_END) {
        r = read_entry(reader, schema, object, first);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : check_keys(reader, schema, begin, first);
}
