/* SPDX-License-Identifier: Apache-2.0 */
/* What a table says of values, by tables that no configuration of ours has. */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "config/schema.h"

static const char *const many_choices[] = {
    "alabaster", "bramble",  "cinnabar", "dulcimer", "ermine",    "filigree", "gossamer",
    "hyacinth",  "indigo",   "juniper",  "kestrel",  "lavender",  "marigold", "nutmeg",
    "obsidian",  "palisade", "quartz",   "rhubarb",  "sassafras", "tamarind", NULL,
};

static const struct schema_key keys[] = {
    {.name = "word", .type = SCHEMA_CHOICE, .choices = many_choices},
};

static const struct schema schema = {"a trial", keys, SCHEMA_N_KEYS(keys)};

/* Reads a text that is refused, and returns what is said of it. */
static struct config_error refused(const char *text)
{
    struct config_error error = {0};
    struct yaml_reader reader;
    unsigned choice = 0;

    assert_int_equal(yaml_reader_init(&reader, NULL, text, strlen(text), &error), 0);
    assert_int_equal(schema_read(&reader, &schema, &choice), -EINVAL);
    yaml_reader_done(&reader);
    return error;
}

static void choice__is_suggested_whichever_it_is_of_many(void **state)
{
    (void)state;
    for (size_t i = 0; many_choices[i]; i++) {
        char text[64], suggestion[64];
        struct config_error error;

        (void)snprintf(text, sizeof(text), "word: %ss\n", many_choices[i]);
        (void)snprintf(suggestion, sizeof(suggestion), "did you mean \"%s\"?", many_choices[i]);
        error = refused(text);
        if (!strstr(error.message, suggestion))
            fail_msg("no %s in: %s", suggestion, error.message);
    }
}

static void choice__that_nothing_is_near_to_has_no_suggestion(void **state)
{
    (void)state;
    assert_null(strstr(refused("word: 12345678901\n").message, "did you mean"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(choice__is_suggested_whichever_it_is_of_many),
        cmocka_unit_test(choice__that_nothing_is_near_to_has_no_suggestion),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
