/* SPDX-License-Identifier: Apache-2.0 */

/* Walks through a structure by its schema, to free what it holds or to forget where that stood. */
#include <string.h>

#include "config/schema.h"

static void *field(void *object, size_t offset)
{
    return (char *)object + offset;
}

/* What is done with each word, and with each array once what it holds is done. */
struct visitor {
    void (*word)(struct config_word *word);
    void (*array)(void *pointer, size_t *n); /* pointer: where the pointer to the array stands */
};

static void visit(const struct schema *schema, void *object, const struct visitor *visitor);

static void visit_list(const struct schema_key *key, void *object, const struct visitor *visitor)
{
    size_t *n = field(object, key->count_offset);
    char *elements;

    memcpy(&elements, field(object, key->offset), sizeof(elements));
    for (size_t i = 0; i < *n; i++)
        visit(key->inner, elements + i * key->element_size, visitor);
    visitor->array(field(object, key->offset), n);
}

static void visit_value(const struct schema_key *key, void *object, const struct visitor *visitor)
{
    struct config_words *words = field(object, key->offset);
    struct config_numbers *numbers = field(object, key->offset);
    struct config_pairs *pairs = field(object, key->offset);

    switch (key->type) {
    case SCHEMA_WORD:
        visitor->word(field(object, key->offset));
        break;
    case SCHEMA_WORDS:
        for (size_t i = 0; i < words->n; i++)
            visitor->word(&words->words[i]);
        visitor->array(&words->words, &words->n);
        break;
    case SCHEMA_NUMBERS:
        visitor->array(&numbers->numbers, &numbers->n);
        break;
    case SCHEMA_PAIRS:
        for (size_t i = 0; i < pairs->n; i++) {
            visitor->word(&pairs->pairs[i].name);
            visitor->word(&pairs->pairs[i].value);
        }
        visitor->array(&pairs->pairs, &pairs->n);
        break;
    case SCHEMA_MAPPING:
        visit(key->inner, field(object, key->offset), visitor);
        break;
    case SCHEMA_LIST:
        visit_list(key, object, visitor);
        break;
    default: /* it stands in the structure itself */
        break;
    }
}

static void visit(const struct schema *schema, void *object, const struct visitor *visitor)
{
    for (size_t i = 0; i < schema->n_keys; i++)
        visit_value(&schema->keys[i], object, visitor);
}

static void free_word(struct config_word *word)
{
    free(word->text);
    *word = (struct config_word){0};
}

static void free_array(void *pointer, size_t *n)
{
    static void *const none;
    void *elements;

    memcpy(&elements, pointer, sizeof(elements));
    free(elements);
    memcpy(pointer, &none, sizeof(none));
    *n = 0;
}

void schema_done(const struct schema *schema, void *object)
{
    visit(schema, object, &(struct visitor){free_word, free_array});
}

static void forget_place(struct config_word *word)
{
    word->place = (struct config_place){0, 0};
}

static void keep_array(void *pointer, size_t *n)
{
    (void)pointer;
    (void)n;
}

void schema_forget_places(const struct schema *schema, void *object)
{
    visit(schema, object, &(struct visitor){forget_place, keep_array});
}
