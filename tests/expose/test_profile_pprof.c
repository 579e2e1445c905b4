/* SPDX-License-Identifier: Apache-2.0 */

/* What is written is read back by the code that is made from the same description of the format. */
#include "expose/profile_fixture.h"

#include <pprof.pb-c.h>

#include "expose/profile_pprof.h"

typedef Perftools__Profiles__Profile profile_message;

static profile_message *read_back(const struct text *bytes)
{
    profile_message *profile =
        perftools__profiles__profile__unpack(NULL, bytes->length, (const uint8_t *)bytes->data);

    assert_non_null(profile);
    return profile;
}

static const char *string_of(const profile_message *profile, int64_t number)
{
    assert_true(number >= 0 && (size_t)number < profile->n_string_table);
    return profile->string_table[number];
}

static void assert_form(const profile_message *profile)
{
    assert_string_equal(profile->string_table[0], "");
    assert_int_equal(profile->n_sample_type, 2);
    assert_string_equal(string_of(profile, profile->sample_type[0]->type), "samples");
    assert_string_equal(string_of(profile, profile->sample_type[0]->unit), "count");
    assert_string_equal(string_of(profile, profile->sample_type[1]->type), "cpu");
    assert_string_equal(string_of(profile, profile->sample_type[1]->unit), "nanoseconds");
    assert_string_equal(string_of(profile, profile->period_type->type), "cpu");
    assert_string_equal(string_of(profile, profile->period_type->unit), "nanoseconds");
    for (size_t i = 0; i < profile->n_function; i++)
        assert_int_equal(profile->function[i]->id, i + 1);
    for (size_t i = 0; i < profile->n_mapping; i++) {
        assert_int_equal(profile->mapping[i]->id, i + 1);
        assert_true(profile->mapping[i]->has_functions);
        assert_true(*string_of(profile, profile->mapping[i]->filename));
    }
    for (size_t i = 0; i < profile->n_location; i++) {
        const Perftools__Profiles__Location *location = profile->location[i];

        assert_int_equal(location->id, i + 1);
        assert_true(location->mapping_id <= profile->n_mapping);
        assert_int_equal(location->n_line, 1);
        assert_in_range(location->line[0]->function_id, 1, profile->n_function);
    }
    for (size_t i = 0; i < profile->n_sample; i++) {
        assert_int_equal(profile->sample[i]->n_value, 2);
        for (size_t j = 0; j < profile->sample[i]->n_location_id; j++)
            assert_in_range(profile->sample[i]->location_id[j], 1, profile->n_location);
    }
}

static int64_t sum_of(const profile_message *profile, size_t value)
{
    int64_t sum = 0;

    for (size_t i = 0; i < profile->n_sample; i++)
        sum += profile->sample[i]->value[value];
    return sum;
}

static const Perftools__Profiles__Function *leaf_of(const profile_message *profile, size_t sample)
{
    const uint64_t location = profile->sample[sample]->location_id[0];

    return profile->function[profile->location[location - 1]->line[0]->function_id - 1];
}

/* The file that has the leaf; it has a mapping. */
static const char *owner_of(const profile_message *profile, size_t sample)
{
    const uint64_t location = profile->sample[sample]->location_id[0];
    const uint64_t mapping = profile->location[location - 1]->mapping_id;

    assert_in_range(mapping, 1, profile->n_mapping);
    return string_of(profile, profile->mapping[mapping - 1]->filename);
}

static void pprof__of_a_profile__has_its_stacks_and_totals(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    const struct profile_part part = {tree, NULL, 0};
    AUTO_TEXT struct text bytes = {0};
    profile_message *profile;
    bool has_hostile = false;

    (void)state;
    assert_int_equal(profile_pprof_write(&part, 1, &bytes), 0);
    profile = read_back(&bytes);
    assert_form(profile);
    assert_int_equal(profile->n_sample, 5);
    assert_int_equal(profile->n_function, 5);
    assert_int_equal(profile->n_mapping, 4); /* a note has none */
    assert_int_equal(sum_of(profile, 0), 15);
    assert_int_equal(sum_of(profile, 1), 15 * PERIOD);
    assert_int_equal(profile->time_nanos, BEGIN);
    assert_int_equal(profile->duration_nanos, SECOND);
    assert_int_equal(profile->period, PERIOD);
    for (size_t i = 0; i < profile->n_sample; i++) {
        const Perftools__Profiles__Function *leaf = leaf_of(profile, i);

        assert_int_equal(leaf->name, leaf->system_name);
        if (strcmp(string_of(profile, leaf->name), HOSTILE) != 0)
            continue;
        has_hostile = true;
        assert_int_equal(profile->sample[i]->value[0], 5);
        assert_int_equal(leaf->filename, 0); /* not that of a program */
        assert_string_equal(owner_of(profile, i), "lib\"x\".so");
    }
    assert_true(has_hostile);
    perftools__profiles__profile__free_unpacked(profile, NULL);
}

static void pprof__of_several_profiles__tells_them_by_labels(void **state)
{
    AUTO(profile_tree) struct profile_tree *tree = known_tree();
    const struct label labels[] = {{"cgroup", "/a"}, {"groupname", "java"}};
    const struct profile_part parts[] = {{tree, &labels[0], 1}, {tree, &labels[1], 1}};
    AUTO_TEXT struct text bytes = {0};
    profile_message *profile;

    (void)state;
    assert_int_equal(profile_pprof_write(parts, 2, &bytes), 0);
    profile = read_back(&bytes);
    assert_form(profile);
    assert_int_equal(profile->n_sample, 10);
    assert_int_equal(profile->n_function, 5); /* they share functions */
    for (size_t i = 0; i < profile->n_sample; i++) {
        const struct label *label = &labels[i / 5];

        assert_int_equal(profile->sample[i]->n_label, 1);
        assert_string_equal(string_of(profile, profile->sample[i]->label[0]->key), label->name);
        assert_string_equal(string_of(profile, profile->sample[i]->label[0]->str), label->value);
    }
    perftools__profiles__profile__free_unpacked(profile, NULL);
}

static void pprof__of_nothing__is_a_profile(void **state)
{
    AUTO_TEXT struct text bytes = {0};
    profile_message *profile;

    (void)state;
    assert_int_equal(profile_pprof_write(NULL, 0, &bytes), 0);
    profile = read_back(&bytes);
    assert_form(profile);
    assert_int_equal(profile->n_sample, 0);
    perftools__profiles__profile__free_unpacked(profile, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pprof__of_a_profile__has_its_stacks_and_totals),
        cmocka_unit_test(pprof__of_several_profiles__tells_them_by_labels),
        cmocka_unit_test(pprof__of_nothing__is_a_profile),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
