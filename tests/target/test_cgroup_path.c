/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/label_decode.h"
#include "target/cgroup_path.h"
#include "target/clean_text.h"

static char *label_of(const char *path)
{
    char *label = cgroup_label_of(path);

    assert_non_null(label);
    return label;
}

static void assert_label(const char *path, const char *wanted)
{
    AUTO_FREE char *label = label_of(path);
    AUTO_FREE char *back = NULL;

    assert_string_equal(label, wanted);
    assert_int_equal(cgroup_path_from_label(label, &back), 0);
    assert_string_equal(back, path);
}

static void path__clean_text_stands_as_it_is(void **state)
{
    static const char *const paths[] = {
        "/",
        "/system.slice/nginx.service",
        "/system.slice/dev-disk-by\\x2duuid.swap",
        "/a b\"c'd}{\\",
        "/a%41",
        "/%/x",
        "/\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xa7",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
        assert_label(paths[i], paths[i]);
}

static void path__what_is_not_clean_is_percent_encoded_whole(void **state)
{
    (void)state;
    assert_label("/a\xff", "%/a%FF");
    assert_label("/a%\xff", "%/a%25%FF");
    assert_label("/\x1b[0m", "%/%1B[0m");
    assert_label("/\r", "%/%0D");
    assert_label("/\x7f", "%/%7F");
    assert_label("/a\nb", "%/a%0Ab");
    assert_label("/\xc2\x85", "%/%C2%85");        /* C1 */
    assert_label("/\xe2\x80\xae", "%/%E2%80%AE"); /* right-to-left override */
    assert_label("/\xe2\x80\xa8", "%/%E2%80%A8"); /* line separator */
    assert_label("/\xe2\x81\xa6", "%/%E2%81%A6"); /* isolate */
    assert_label("/\xd8\x9c", "%/%D8%9C");        /* Arabic letter mark */
    assert_label("/\xef\xbf\xbf", "%/%EF%BF%BF"); /* U+FFFF */
    assert_label("/\xef\xb7\x90", "%/%EF%B7%90"); /* U+FDD0 */
    assert_label("/\xed\xa0\x80", "%/%ED%A0%80"); /* a surrogate */
    assert_label("/\xc0\xaf", "%/%C0%AF");        /* not the shortest form of / */
    assert_label("/\xe0\x80\xaf", "%/%E0%80%AF");
    assert_label("/\xf4\x90\x80\x80", "%/%F4%90%80%80"); /* above U+10FFFF */
    assert_label("/\xc3", "%/%C3");
    assert_label("/\xc3/\xa9", "%/%C3/%A9");
    assert_label("/\xc3\xa9\xff", "%/%C3%A9%FF");
}

static void path__neighbours_of_the_unclean_are_clean(void **state)
{
    static const char *const clean[] = {" ",
                                        "~",
                                        "\xc2\xa0",
                                        "\xe2\x80\xa7",
                                        "\xe2\x80\xaf",
                                        "\xe2\x81\xa5",
                                        "\xe2\x81\xaa",
                                        "\xef\xbf\xbd",
                                        "\xed\x9f\xbf",
                                        "\xee\x80\x80",
                                        "\xef\xb7\x8f",
                                        "\xef\xb7\xb0",
                                        "\xf4\x8f\xbf\xbd"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(clean); i++)
        assert_true(text_is_clean(clean[i], strlen(clean[i])));
    assert_true(text_is_clean("", 0));
    assert_false(text_is_clean("a\0b", 3));
}

static void path__no_text_but_a_label_is_decoded(void **state)
{
    static const char *const bad[] = {
        "",      "a",     "%",         "%a",       "%/a",   "%/%",    "%/%F",  "%/%ff",
        "%/%GG", "%/%00", "%/%41\xff", "%/%41%FF", "/\xff", "%/\xff", "%%FF/", "%/%FF%2",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        char untouched, *path = &untouched;

        assert_int_equal(cgroup_path_from_label(bad[i], &path), -EINVAL);
        assert_ptr_equal(path, &untouched);
    }
}

/* Makes a path of "/" and n bytes. */
static char *long_path(size_t n, char byte)
{
    char *path = calloc(1, n + 2);

    assert_non_null(path);
    path[0] = '/';
    memset(path + 1, byte, n);
    return path;
}

static void path__one_that_just_fits_is_not_cut(void **state)
{
    AUTO_FREE char *clean = long_path(CGROUP_LABEL_MAX - 1, 'a');
    AUTO_FREE char *encoded = long_path((CGROUP_LABEL_MAX - 2) / 3, '\xff');
    AUTO_FREE char *clean_label = label_of(clean);
    AUTO_FREE char *encoded_label = label_of(encoded);

    (void)state;
    assert_label(clean, clean);
    assert_false(cgroup_label_is_cut(clean_label));
    assert_false(cgroup_label_is_cut(encoded_label));
    assert_in_range(strlen(encoded_label), CGROUP_LABEL_MAX - 2, CGROUP_LABEL_MAX);
}

static void assert_cut(const char *path)
{
    AUTO_FREE char *label = label_of(path);
    char *back = NULL;

    assert_true(cgroup_label_is_cut(label));
    assert_in_range(strlen(label), CGROUP_LABEL_MAX - 2, CGROUP_LABEL_MAX);
    assert_true(text_is_clean(label, strlen(label)));
    assert_memory_equal(label, "%/", 2);
    assert_int_equal(cgroup_path_from_label(label, &back), -ENAMETOOLONG);
    assert_null(back);
}

static void path__one_that_is_too_long_is_cut(void **state)
{
    static const size_t lengths[] = {CGROUP_LABEL_MAX, CGROUP_LABEL_MAX + 1, 4072, 16000};
    static const char bytes[] = {'a', '\xff', '\xa9', '%', '/'};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
        for (size_t j = 0; j < ARRAY_SIZE(bytes); j++) {
            AUTO_FREE char *path = long_path(lengths[i], bytes[j]);

            assert_cut(path);
        }
}

static void path__two_that_differ_behind_the_cut_have_two_labels(void **state)
{
    AUTO_FREE char *one = long_path(4072, 'a');
    AUTO_FREE char *other = long_path(4072, 'a');
    AUTO_FREE char *one_label = NULL;
    AUTO_FREE char *other_label = NULL;

    (void)state;
    other[4072] = 'b';
    one_label = label_of(one);
    other_label = label_of(other);
    assert_string_not_equal(one_label, other_label);
    assert_memory_equal(one_label, other_label, CGROUP_LABEL_MAX - 16);
}

static void path__a_name_that_looks_cut_has_another_label(void **state)
{
    AUTO_FREE char *path = long_path(4072, 'a');
    AUTO_FREE char *cut = label_of(path);
    AUTO_FREE char *imitation = NULL;
    AUTO_FREE char *label = NULL;

    (void)state;
    assert_true(asprintf(&imitation, "/%s", cut) > 0);
    label = label_of(imitation);
    assert_string_not_equal(label, cut);
    assert_string_not_equal(label + 1, cut);
    /* the same without the percent sign: the mark is encoded where it is not clean, and else no %
     * is before it */
    assert_label("/a\xff\xe2\x80\xa6"
                 "0123456789abcdef",
                 "%/a%FF%E2%80%A6"
                 "0123456789abcdef");
}

static uint32_t draw(uint32_t *seed)
{
    return *seed = *seed * 1664525 + 1013904223;
}

static void path__any_bytes_come_back(void **state)
{
    uint32_t seed = 1;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        char path[64] = "/";
        size_t n = 1 + (draw(&seed) >> 16) % 40;
        AUTO_FREE char *label = NULL;
        AUTO_FREE char *back = NULL;

        for (size_t i = 1; i <= n; i++) {
            path[i] = (char)(draw(&seed) >> 24);
            if (round % 2) /* mostly continuation bytes and their leads */
                path[i] = (char)(0x80 | path[i]);
            if (path[i] == '\0')
                path[i] = '%';
        }
        label = label_of(path);
        assert_true(text_is_clean(label, strlen(label)));
        assert_null(strchr(label, '\n'));
        assert_int_equal(cgroup_path_from_label(label, &back), 0);
        assert_string_equal(back, path);
    }
}

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const struct names_case {
    const char *path, *unit, *slice, *container_id, *pod_uid;
} names_cases[] = {
    {"/", "", "", "", ""},
    {"/system.slice", "", "system.slice", "", ""},
    {"/system.slice/nginx.service", "nginx.service", "system.slice", "", ""},
    {"/user.slice/user-1000.slice/user@1000.service/app.slice/app-a\\x2db.scope",
     "app-a\\x2db.scope", "app.slice", "", ""},
    {"/user.slice/user-1000.slice/session-1.scope", "session-1.scope", "user-1000.slice", "", ""},
    {"/system.slice/a.service/payload", "a.service", "system.slice", "", ""},
    {"/system.slice/dev-hugepages.mount", "dev-hugepages.mount", "system.slice", "", ""},
    {"/system.slice/_cpu.service", "cpu.service", "system.slice", "", ""},
    {"/init.scope", "init.scope", "", "", ""},
    {"/system.slice/docker-" ID ".scope", "docker-" ID ".scope", "system.slice", ID, ""},
    {"/docker/" ID, "", "", ID, ""},
    {"/machine.slice/libpod-" ID ".scope/container", "libpod-" ID ".scope", "machine.slice", ID,
     ""},
    {"/system.slice/web.service/libpod-payload-" ID, "web.service", "system.slice", ID, ""},
    {"/machine.slice/libpod-conmon-" ID ".scope", "libpod-conmon-" ID ".scope", "machine.slice", "",
     ""},
    {"/kubepods.slice/kubepods-burstable.slice/"
     "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice/cri-containerd-" ID ".scope",
     "cri-containerd-" ID ".scope",
     "kubepods-burstable-pod01234567_89ab_cdef_0123_456789abcdef.slice", ID,
     "01234567-89ab-cdef-0123-456789abcdef"},
    {"/kubepods.slice/kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice/crio-" ID ".scope",
     "crio-" ID ".scope", "kubepods-pod01234567_89ab_cdef_0123_456789abcdef.slice", ID,
     "01234567-89ab-cdef-0123-456789abcdef"},
    {"/kubepods/burstable/pod01234567-89ab-cdef-0123-456789abcdef/" ID, "", "", ID,
     "01234567-89ab-cdef-0123-456789abcdef"},
    {"/kubepods/pod0123456789abcdef0123456789abcdef/" ID, "", "", ID,
     "0123456789abcdef0123456789abcdef"},
    /* names that only look like it */
    {"/docker/" ID "0", "", "", "", ""},
    {"/docker/X" ID, "", "", "", ""},
    {"/docker/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef", "", "", "", ""},
    {"/evil-" ID ".scope", "evil-" ID ".scope", "", "", ""},
    {"/a b.service", "", "", "", ""},
    {"/\xff.service", "", "", "", ""},
    {"/.service", "", "", "", ""},
    {"/.slice", "", "", "", ""},
    {"/service", "", "", "", ""},
    {"/pod", "", "", "", ""},
    {"/pod01234567_89ab_cdef_0123_456789abcdef", "", "", "", ""},
    {"/pod01234567-89ab-cdef-0123-456789abcde/", "", "", "", ""},
    {"/x-pod01234567_89ab_cdef_0123_456789abcdef.slice", "",
     "x-pod01234567_89ab_cdef_0123_456789abcdef.slice", "", ""},
};

static void names__follow_systemd_runtimes_and_kubernetes(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names_cases); i++) {
        const struct names_case *wanted = &names_cases[i];
        struct cgroup_names names;

        assert_int_equal(cgroup_names_parse(wanted->path, &names), 0);
        assert_string_equal(names.unit, wanted->unit);
        assert_string_equal(names.slice, wanted->slice);
        assert_string_equal(names.container_id, wanted->container_id);
        assert_string_equal(names.pod_uid, wanted->pod_uid);
        cgroup_names_done(&names);
        assert_null(names.unit);
    }
}

static void names__a_unit_has_at_most_255_bytes(void **state)
{
    AUTO_FREE char *path = long_path(300, 'a');
    struct cgroup_names names;

    (void)state;
    memcpy(path + 300 - 7, ".service", 8);
    assert_int_equal(cgroup_names_parse(path, &names), 0);
    assert_string_equal(names.unit, "");
    cgroup_names_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path__clean_text_stands_as_it_is),
        cmocka_unit_test(path__what_is_not_clean_is_percent_encoded_whole),
        cmocka_unit_test(path__neighbours_of_the_unclean_are_clean),
        cmocka_unit_test(path__no_text_but_a_label_is_decoded),
        cmocka_unit_test(path__one_that_just_fits_is_not_cut),
        cmocka_unit_test(path__one_that_is_too_long_is_cut),
        cmocka_unit_test(path__two_that_differ_behind_the_cut_have_two_labels),
        cmocka_unit_test(path__a_name_that_looks_cut_has_another_label),
        cmocka_unit_test(path__any_bytes_come_back),
        cmocka_unit_test(names__follow_systemd_runtimes_and_kubernetes),
        cmocka_unit_test(names__a_unit_has_at_most_255_bytes),
    };

    return cmocka_run_group_tests_name("cgroup_path", tests, NULL, NULL);
}
