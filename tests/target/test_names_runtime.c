/* SPDX-License-Identifier: Apache-2.0 */
#include "support/check.h"

#include "target/names_check.h"
#include "target/names_runtime.h"

#define ID "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"

static const char of_containerd[] =
    "{\"ociVersion\":\"1.1.0\",\"process\":{\"args\":[\"nginx\"]},\"root\":{\"path\":\"rootfs\"},"
    "\"annotations\":{\"io.kubernetes.cri.container-name\":\"nginx\","
    "\"io.kubernetes.cri.container-type\":\"container\","
    "\"io.kubernetes.cri.image-name\":\"registry.k8s.io/nginx:1.25\","
    "\"io.kubernetes.cri.sandbox-id\":\"" ID "\",\"io.kubernetes.cri.sandbox-name\":\"web-0\","
    "\"io.kubernetes.cri.sandbox-namespace\":\"shop\"}}";

static const char of_crio[] =
    "{\"annotations\":{\"io.container.manager\":\"cri-o\","
    "\"io.kubernetes.container.name\":\"db\",\"io.kubernetes.cri-o.ContainerType\":\"container\","
    "\"io.kubernetes.cri-o.ImageName\":\"registry.example/"
    "db:16\",\"io.kubernetes.pod.name\":\"db-0\","
    "\"io.kubernetes.pod.namespace\":\"data\"}}";

static const char of_docker[] =
    "{\"ID\":\"" ID "\",\"State\":{\"Running\":true},\"Config\":{\"Hostname\":\"web\","
    "\"Image\":\"nginx:1.25\"},\"Image\":\"sha256:00\",\"Name\":\"/web\"}";

static const char of_storage[] =
    "[{\"id\":\"other\",\"names\":[\"no\"]},{\"id\":\"" ID "\",\"names\":[\"backup\"],"
    "\"metadata\":\"{\\\"image-name\\\":\\\"registry.example/restic:0.16\\\","
    "\\\"name\\\":\\\"backup\\\"}\"}]";

static bool parse_oci(const char *text, const char *runtime, struct names *names)
{
    return names_parse_oci_config(text, strlen(text), runtime, names);
}

static void a_bundle_of_containerd__tells_pod_container_and_image(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci(of_containerd, "containerd", &names));
    assert_name(&names, NAME_POD, "web-0");
    assert_name(&names, NAME_NAMESPACE, "shop");
    assert_name(&names, NAME_CONTAINER, "nginx");
    assert_name(&names, NAME_IMAGE, "registry.k8s.io/nginx:1.25");
    assert_name(&names, NAME_RUNTIME, "containerd");
    assert_n_names(&names, 5);
}

static void a_bundle_of_crio__tells_who_manages_it(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci(of_crio, NULL, &names));
    assert_name(&names, NAME_POD, "db-0");
    assert_name(&names, NAME_NAMESPACE, "data");
    assert_name(&names, NAME_CONTAINER, "db");
    assert_name(&names, NAME_IMAGE, "registry.example/db:16");
    assert_name(&names, NAME_RUNTIME, "cri-o");
}

/* CRI-O hands them on to the container. */
static void annotations_of_a_pod__give_it_no_name_of_another(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci("{\"annotations\":{\"io.container.manager\":\"cri-o\","
                          "\"io.kubernetes.cri.container-type\":\"sandbox\","
                          "\"io.kubernetes.cri.sandbox-name\":\"db-0\","
                          "\"io.kubernetes.cri.sandbox-namespace\":\"data\","
                          "\"io.kubernetes.cri.container-name\":\"db\","
                          "\"io.kubernetes.cri.image-name\":\"db:16\","
                          "\"nerdctl/name\":\"db\","
                          "\"io.kubernetes.pod.name\":\"evil-0\","
                          "\"io.kubernetes.container.name\":\"evil\"}}",
                          NULL, &names));
    assert_name(&names, NAME_POD, "evil-0");
    assert_name(&names, NAME_CONTAINER, "evil");
    assert_name(&names, NAME_RUNTIME, "cri-o");
    assert_n_names(&names, 3);
}

static void a_sandbox__has_a_pod_and_is_no_container(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci("{\"annotations\":{\"io.kubernetes.cri.container-type\":\"sandbox\","
                          "\"io.kubernetes.cri.container-name\":\"POD\","
                          "\"io.kubernetes.cri.sandbox-name\":\"web-0\"}}",
                          "containerd", &names));
    assert_name(&names, NAME_POD, "web-0");
    assert_n_names(&names, 2);
}

static void podman__has_names_in_its_list(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci("{\"annotations\":{\"io.container.manager\":\"libpod\"}}", NULL, &names));
    assert_false(names_parse_storage_list(of_storage, strlen(of_storage), "none", &names));
    assert_true(names_parse_storage_list(of_storage, strlen(of_storage), ID, &names));
    assert_name(&names, NAME_RUNTIME, "podman");
    assert_name(&names, NAME_CONTAINER, "backup");
    assert_name(&names, NAME_IMAGE, "registry.example/restic:0.16");
    assert_n_names(&names, 3);
}

static void docker__tells_the_name_that_docker_ps_shows(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(names_parse_docker_config(of_docker, strlen(of_docker), &names));
    assert_name(&names, NAME_CONTAINER, "web");
    assert_name(&names, NAME_IMAGE, "nginx:1.25");
    assert_name(&names, NAME_RUNTIME, "docker");
    assert_n_names(&names, 3);
}

static void check_refused(const char *text)
{
    AUTO_NAMES struct names names = {0};

    assert_false(parse_oci(text, "containerd", &names));
    assert_false(names_parse_docker_config(text, strlen(text), &names));
    assert_false(names_parse_storage_list(text, strlen(text), ID, &names));
    assert_n_names(&names, 0);
}

static void hostile_text__tells_nothing(void **state)
{
    AUTO_FREE char *brackets = repeated("[", 1000000);
    AUTO_FREE char *braces = repeated("{\"annotations\":", 60000);

    (void)state;
    check_refused(brackets);
    check_refused(braces);
    check_refused("");
    check_refused("null");
    check_refused("\"text\"");
    check_refused("[{\"id\":4},{\"id\":null},4,[]]");
    check_refused("{\"annotations\":{\"io.kubernetes.pod.name\":\"\xff\"}}"); /* no UTF-8 */
    check_refused("{\"annotations\":{\"io.kubernetes.pod.name\":\"a\\u0000b\"}}");
    check_refused("{\"Name\":\"/web\"} more");
}

static void a_text_of_wrong_types__tells_what_is_of_the_right_one(void **state)
{
    static const char docker[] = "{\"Name\":\"web\",\"Config\":[\"Image\"]}";
    static const char list[] = "[{\"id\":\"" ID "\",\"names\":{},\"metadata\":\"[[[\"}]";
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(parse_oci("{\"annotations\":[1,2]}", NULL, &names));
    assert_true(parse_oci("{\"annotations\":{\"io.kubernetes.pod.name\":[\"x\"]}}", NULL, &names));
    assert_true(parse_oci("{\"annotations\":{\"io.container.manager\":\"evil\"}}", NULL, &names));
    assert_true(names_parse_storage_list(list, strlen(list), ID, &names));
    assert_n_names(&names, 0);
    assert_true(names_parse_docker_config(docker, strlen(docker), &names));
    assert_name(&names, NAME_CONTAINER, "web");
    assert_n_names(&names, 2);
}

static void names_in_it__become_clean_labels(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(
        parse_oci("{\"annotations\":{\"io.kubernetes.pod.name\":\"a\\n\\\"b\"}}", NULL, &names));
    assert_name(&names, NAME_POD, "%/a%0A\"b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_of_containerd__tells_pod_container_and_image),
        cmocka_unit_test(a_bundle_of_crio__tells_who_manages_it),
        cmocka_unit_test(annotations_of_a_pod__give_it_no_name_of_another),
        cmocka_unit_test(a_sandbox__has_a_pod_and_is_no_container),
        cmocka_unit_test(podman__has_names_in_its_list),
        cmocka_unit_test(docker__tells_the_name_that_docker_ps_shows),
        cmocka_unit_test(hostile_text__tells_nothing),
        cmocka_unit_test(a_text_of_wrong_types__tells_what_is_of_the_right_one),
        cmocka_unit_test(names_in_it__become_clean_labels),
    };

    return cmocka_run_group_tests_name("names_runtime", tests, NULL, NULL);
}
