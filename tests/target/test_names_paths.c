/* SPDX-License-Identifier: Apache-2.0 */

/* What is told by names alone: of kubelet's logs (names_kubernetes.c), and of Slurm's cgroups. */
#include "support/check.h"

#include "target/names_check.h"
#include "target/names_kubernetes.h"
#include "target/names_slurm.h"

#define ID  "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"
#define UID "0f6b8a52-6c3e-4d1f-9b7a-2e5d8c4f1a90"

static void a_container_log__tells_pod_namespace_and_container(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_true(names_parse_container_log("web-7d4b9-x2x_shop_nginx-proxy-" ID ".log", ID, &names));
    assert_name(&names, NAME_POD, "web-7d4b9-x2x");
    assert_name(&names, NAME_NAMESPACE, "shop");
    assert_name(&names, NAME_CONTAINER, "nginx-proxy");
    assert_n_names(&names, 3);
}

static void a_container_log__of_another_form_or_container_tells_nothing(void **state)
{
    static const char *const others[] = {
        "web_shop_nginx-" ID,
        "web_shop_nginx" ID ".log",
        "web_shop-" ID ".log",
        "web_shop_nginx_more-" ID ".log",
        "_shop_nginx-" ID ".log",
        "web_shop_-" ID ".log",
        "Web_shop_nginx-" ID ".log",
        "we\nb_shop_nginx-" ID ".log",
        "web_shop_nginx-0" ID ".log.gz",
        "-" ID ".log",
        ".log",
        "",
    };
    AUTO_NAMES struct names names = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        assert_false(names_parse_container_log(others[i], ID, &names));
    assert_false(names_parse_container_log("web_shop_nginx-1" ID ".log", "0" ID, &names));
    assert_n_names(&names, 0);
}

static void a_pod_directory__tells_pod_and_namespace(void **state)
{
    AUTO_NAMES struct names names = {0};

    (void)state;
    assert_false(names_parse_pod_directory("shop_web-0_" UID, "f" UID, &names));
    assert_false(names_parse_pod_directory("shop_web_0_" UID, UID, &names));
    assert_false(names_parse_pod_directory("shop_" UID, UID, &names));
    assert_false(names_parse_pod_directory("_" UID, UID, &names));
    assert_true(names_parse_pod_directory("shop_web-0_" UID, UID, &names));
    assert_name(&names, NAME_POD, "web-0");
    assert_name(&names, NAME_NAMESPACE, "shop");
    assert_n_names(&names, 2);
}

/* has_user: whether the path tells the user, 1000. */
static void check_job(const char *path, const char *job, const char *step, bool has_user)
{
    AUTO_NAMES struct names names = {0};
    struct slurm_place place;

    assert_true(names_parse_slurm(path, &place, &names));
    assert_name(&names, NAME_SLURM_JOB, job);
    if (step)
        assert_name(&names, NAME_SLURM_STEP, step);
    assert_n_names(&names, step ? 2 : 1);
    assert_int_equal(place.has_user, has_user);
    assert_int_equal(place.user, has_user ? 1000 : 0);
}

static void a_job_of_slurm__is_told_by_its_path(void **state)
{
    (void)state;
    check_job("/system.slice/slurmstepd.scope/job_4711", "4711", NULL, false);
    check_job("/system.slice/slurmstepd.scope/job_4711/step_0", "4711", "0", false);
    check_job("/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0", "4711", "batch",
              false);
    check_job("/system.slice/n1_slurmstepd.scope/job_1/step_extern", "1", "extern", false);
    check_job("/slurm/uid_1000/job_12/step_3/task_0", "12", "3", true);
    check_job("/slurm_n1/uid_1000/job_12/step_interactive", "12", "interactive", true);
}

static void what_only_looks_like_a_job__is_none(void **state)
{
    static const char *const others[] = {
        "/job_1/step_0",
        "/system.slice/job_1",
        "/system.slice/slurmstepd.scope",
        "/system.slice/slurmstepd.scope/system",
        "/system.slice/slurmstepd.scope/job_",
        "/system.slice/slurmstepd.scope/job_1x/step_0",
        "/slurm/uid_/job_1",
        "/slurm/uid_x/job_1",
        "/slurm/uid_99999999999999999999/job_1",
        "/slurm/uid_1000",
        "/",
        "",
    };
    AUTO_FREE char *long_name = repeated("/slurmstepd.scope", 1);
    AUTO_FREE char *huge = repeated("x", 5000);
    AUTO_NAMES struct names names = {0};
    struct slurm_place place;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        assert_false(names_parse_slurm(others[i], &place, &names));
    assert_false(names_parse_slurm(long_name, &place, &names));
    assert_false(names_parse_slurm(huge, &place, &names));
    assert_n_names(&names, 0);
    check_job("/slurm/job_1/step_x", "1", NULL, false); /* the step is of no form of Slurm's */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_container_log__tells_pod_namespace_and_container),
        cmocka_unit_test(a_container_log__of_another_form_or_container_tells_nothing),
        cmocka_unit_test(a_pod_directory__tells_pod_and_namespace),
        cmocka_unit_test(a_job_of_slurm__is_told_by_its_path),
        cmocka_unit_test(what_only_looks_like_a_job__is_none),
    };

    return cmocka_run_group_tests_name("names_paths", tests, NULL, NULL);
}
