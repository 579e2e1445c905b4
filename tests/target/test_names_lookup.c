/* SPDX-License-Identifier: Apache-2.0 */

/* A host's files as its programs leave them, in a temporary tree that is the root of the host. */
#include "support/check.h"

#include <errno.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "support/fixture_tree.h"
#include "support/patience.h"
#include "target/names_check.h"
#include "target/names_lookup.h"
#include "target/state_reader.h"

#define ID     "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3"
#define UID    "0f6b8a52-6c3e-4d1f-9b7a-2e5d8c4f1a90"
#define POD    "/kubepods.slice/kubepods-pod0f6b8a52_6c3e_4d1f_9b7a_2e5d8c4f1a90.slice"
#define LINK   "var/log/containers/web-0_shop_nginx-" ID ".log"
#define BUNDLE "run/containerd/io.containerd.runtime.v2.task/k8s.io/" ID "/config.json"
#define DOCKER "var/lib/docker/containers/" ID "/config.v2.json"
#define VM     "/machine.slice/machine-qemu\\x2d7\\x2dweb.scope"
#define ALL    (NAMES_OF_KUBERNETES | NAMES_OF_CONTAINERS | NAMES_OF_MACHINES | NAMES_OF_BATCH)

static const char bundle[] =
    "{\"annotations\":{\"io.kubernetes.cri.sandbox-name\":\"web-0\",\"io.kubernetes.cri."
    "sandbox-namespace\":\"shop\",\"io.kubernetes.cri.container-name\":\"nginx\",\"io.kubernetes."
    "cri.image-name\":\"nginx:1.25\"}}";
static const char docker[] = "{\"Name\":\"/front\",\"Config\":{\"Image\":\"nginx\"}}";

struct fixture {
    struct fixture_tree root;
    struct name_host host;
    struct state_refusal refusal;
    struct names names;
};

static int setup(void **state)
{
    struct fixture *fixture = calloc(1, sizeof(*fixture));

    fixture->root = fixture_tree_open();
    fixture->host = (struct name_host){
        .root_fd = fixture->root.fd, .procfs_fd = -1, .refusal = &fixture->refusal};
    assert_int_equal(state_reader_new(&fixture->host.reader), 0);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *fixture = *state;

    names_done(&fixture->names);
    (void)object_reader_free(fixture->host.reader);
    fixture_tree_close(&fixture->root);
    free(fixture);
    return 0;
}

/* Looks afresh. Returns whether something is missing. */
static bool look(struct fixture *f, unsigned sources, const char *path)
{
    names_done(&f->names);
    return names_look_up(&f->host, sources, path, -1, &f->names);
}

static void make_link(const struct fixture *f, const char *path)
{
    fixture_tree_make_directories(&f->root, path);
    assert_int_equal(symlinkat("/var/log/pods/nowhere", f->root.fd, path), 0);
}

static void a_container_of_kubernetes__is_named_by_its_link(void **state)
{
    struct fixture *f = *state;

    make_link(f, LINK);
    assert_false(look(f, NAMES_OF_KUBERNETES, POD "/cri-containerd-" ID ".scope"));
    assert_name(&f->names, NAME_POD, "web-0");
    assert_name(&f->names, NAME_NAMESPACE, "shop");
    assert_name(&f->names, NAME_CONTAINER, "nginx");
    assert_n_names(&f->names, 3);
    assert_true(look(f, NAMES_OF_CONTAINERS, POD "/cri-containerd-" ID ".scope"));
    assert_n_names(&f->names, 0);
}

static void a_pod__is_named_by_its_directory(void **state)
{
    struct fixture *f = *state;

    assert_true(look(f, ALL, POD)); /* kubelet has not made it yet */
    fixture_tree_make_directories(&f->root, "var/log/pods/shop_web-0_" UID "/");
    assert_false(look(f, ALL, POD));
    assert_name(&f->names, NAME_POD, "web-0");
    assert_n_names(&f->names, 2);
    assert_true(look(f, ALL, POD "/cri-containerd-" ID ".scope")); /* the container is missing */
    assert_name(&f->names, NAME_POD, "web-0");
}

static void a_bundle_of_containerd__adds_image_and_runtime(void **state)
{
    struct fixture *f = *state;

    make_link(f, LINK);
    fixture_tree_write(&f->root, BUNDLE, bundle);
    assert_false(look(f, ALL, POD "/cri-containerd-" ID ".scope"));
    assert_name(&f->names, NAME_RUNTIME, "containerd");
    assert_name(&f->names, NAME_IMAGE, "nginx:1.25");
    assert_n_names(&f->names, 5);
    assert_false(look(f, NAMES_OF_CONTAINERS, POD "/cri-containerd-" ID ".scope"));
    assert_n_names(&f->names, 3); /* pods are named by Kubernetes alone */
}

static const char podman[] = "{\"annotations\":{\"io.container.manager\":\"libpod\"}}";

static void check_podman(struct fixture *f, const char *bundles, const char *list)
{
    char path[256];

    (void)snprintf(path, sizeof(path), "%s/" ID "/userdata/config.json", bundles);
    fixture_tree_write(&f->root, path, podman);
    fixture_tree_write(&f->root, list, "[{\"id\":\"" ID "\",\"names\":[\"once\"]}]");
    assert_false(look(f, ALL, "/machine.slice/libpod-" ID ".scope"));
    assert_name(&f->names, NAME_CONTAINER, "once");
    assert_name(&f->names, NAME_RUNTIME, "podman");
    assert_false(look(f, ALL, "/system.slice/once.service/libpod-payload-" ID));
    assert_name(&f->names, NAME_CONTAINER, "once");
}

static void a_container_of_podman__that_is_removed_at_its_end_is_in_another_list(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, "var/lib/containers/storage/overlay-containers/containers.json",
                       "[{\"id\":\"other\",\"names\":[\"other\"]}]");
    check_podman(f, "var/lib/containers/storage/overlay-containers",
                 "var/lib/containers/storage/overlay-containers/volatile-containers.json");
    fixture_tree_remove(&f->root, "var");
    check_podman(f, "run/containers/storage/overlay-containers",
                 "run/containers/storage/overlay-containers/volatile-containers.json");
}

static void crio__has_its_bundles_in_run(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root,
                       "run/containers/storage/overlay-containers/" ID "/userdata/config.json",
                       "{\"annotations\":{\"io.container.manager\":\"cri-o\","
                       "\"io.kubernetes.container.name\":\"db\","
                       "\"io.kubernetes.pod.name\":\"db-0\"}}");
    (void)look(f, ALL, POD "/crio-" ID ".scope");
    assert_name(&f->names, NAME_CONTAINER, "db");
    assert_name(&f->names, NAME_RUNTIME, "cri-o");
    assert_name(&f->names, NAME_POD, "db-0");
}

static void docker_and_podman__are_named_by_their_state(void **state)
{
    struct fixture *f = *state;

    assert_true(look(f, ALL, "/system.slice/docker-" ID ".scope"));
    fixture_tree_write(&f->root, DOCKER, docker);
    assert_false(look(f, ALL, "/system.slice/docker-" ID ".scope"));
    assert_name(&f->names, NAME_CONTAINER, "front");
    assert_name(&f->names, NAME_RUNTIME, "docker");
    fixture_tree_remove(&f->root, "var");
    fixture_tree_write(&f->root,
                       "var/lib/containers/storage/overlay-containers/" ID "/userdata/config.json",
                       podman);
    fixture_tree_write(&f->root, "var/lib/containers/storage/overlay-containers/containers.json",
                       "[{\"id\":\"" ID "\",\"names\":[\"backup\"]}]");
    assert_false(look(f, ALL, "/machine.slice/libpod-" ID ".scope"));
    assert_name(&f->names, NAME_CONTAINER, "backup");
    assert_name(&f->names, NAME_RUNTIME, "podman");
}

static void a_virtual_machine__is_named_by_libvirt_machined_and_its_path(void **state)
{
    struct fixture *f = *state;

    assert_true(look(f, ALL, VM));
    assert_name(&f->names, NAME_VM, "web");
    assert_n_names(&f->names, 1);
    fixture_tree_write(&f->root, "run/systemd/machines/qemu-7-web",
                       "CLASS=vm\nID=629b29b9b0fb4766b27df4a686d5cbda\n");
    assert_true(look(f, ALL, VM));
    assert_name(&f->names, NAME_VM_UUID, "629b29b9-b0fb-4766-b27d-f4a686d5cbda");
    fixture_tree_write(&f->root, "run/libvirt/qemu/web.xml",
                       "<domstatus><domain id='6'><name>web</name></domain></domstatus>");
    fixture_tree_write(&f->root, "run/libvirt/qemu/we_b.xml",
                       "<domstatus><domain id='7'><name>we_b</name><uuid>u</uuid></domain>"
                       "</domstatus>");
    assert_false(look(f, ALL, VM));
    assert_name(&f->names, NAME_VM, "we_b"); /* its number tells, where its name is another */
    assert_name(&f->names, NAME_VM_UUID, "u");
    assert_false(look(f, ALL & ~(unsigned)NAMES_OF_MACHINES, VM));
    assert_n_names(&f->names, 0);
}

static void a_machine__has_only_those_files_read_that_could_be_its(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, "run/libvirt/qemu/database.xml",
                       "<domstatus><domain id='7'><name>database</name></domain></domstatus>");
    assert_true(look(f, ALL, VM));
    assert_name(&f->names, NAME_VM, "web");
}

/*
 * Looks until the name service has told the account, which it may do late where the machine is busy
 * (sys/name_service.h). Returns what the last look has returned.
 */
static bool look_for_user(struct fixture *f, const char *path, int cgroup_fd)
{
    const uint64_t end_ns = clock_monotonic_ns() + PATIENCE_NS;
    bool is_missing;

    do {
        names_done(&f->names);
        is_missing = names_look_up(&f->host, ALL, path, cgroup_fd, &f->names);
    } while (!f->names.values[NAME_SLURM_USER] && clock_monotonic_ns() < end_ns);
    return is_missing;
}

static void a_job_of_slurm__is_named_by_its_path_and_its_user(void **state)
{
    struct fixture *f = *state;

    assert_false(look_for_user(f, "/slurm/uid_0/job_12/step_batch", -1));
    assert_name(&f->names, NAME_SLURM_JOB, "12");
    assert_name(&f->names, NAME_SLURM_STEP, "batch");
    assert_name(&f->names, NAME_SLURM_USER, "root");
    assert_false(look_for_user(f, "/slurm/uid_4242424242/job_12", -1));
    assert_name(&f->names, NAME_SLURM_USER, "4242424242");
    assert_false(look(f, NAMES_OF_KUBERNETES, "/slurm/uid_0/job_12"));
    assert_n_names(&f->names, 0);
}

/* With version 2 the path does not tell the user, but a process of the step does. */
static void a_step_of_slurm__has_the_user_of_what_it_runs(void **state)
{
    static const char path[] = "/system.slice/slurmstepd.scope/job_12";
    struct fixture *f = *state;
    AUTO_CLOSE int procfs_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char pid[16];

    f->host.procfs_fd = procfs_fd;
    assert_true(names_need_directory(path));
    assert_false(names_need_directory("/slurm/uid_0/job_12"));
    assert_false(names_need_directory("/system.slice"));
    (void)snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
    fixture_tree_write(&f->root, "cgroup.procs", "");
    fixture_tree_write(&f->root, "step_0/slurm/cgroup.procs", "1\n");
    fixture_tree_write(&f->root, "step_0/cgroup.procs", "");
    assert_true(names_look_up(&f->host, ALL, path, f->root.fd, &f->names));
    assert_null(f->names.values[NAME_SLURM_USER]);
    fixture_tree_write(&f->root, "step_0/user/task_0/cgroup.procs", pid);
    /* root's is looked at again: it may become the user's */
    assert_int_equal(look_for_user(f, path, f->root.fd), getuid() == 0);
    assert_non_null(f->names.values[NAME_SLURM_USER]);
    if (getuid() == 0)
        assert_name(&f->names, NAME_SLURM_USER, "root");
}

static void a_step_of_slurm__that_runs_a_setuid_program_has_the_user_who_runs_it(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, "7/status", "Name:\tlogin\nTgid:\t7\nUid:\t0\t0\t0\t0\n");
    fixture_tree_write(&f->root, "8/status", "Name:\tsu\nTgid:\t8\nUid:\t4242424242\t0\t0\t0\n");
    fixture_tree_write(&f->root, "step_0/user/cgroup.procs", "7\n9\n8\n");
    fixture_tree_write(&f->root, "step_extern/user/cgroup.procs", "7\n");
    fixture_tree_write(&f->root, "cgroup.procs", "7\n");
    f->host.procfs_fd = f->root.fd;
    assert_false(look_for_user(f, "/system.slice/slurmstepd.scope/job_12", f->root.fd));
    assert_name(&f->names, NAME_SLURM_USER, "4242424242");
}

static void a_cgroup_of_a_user__takes_nobodys_names(void **state)
{
    struct fixture *f = *state;

    make_link(f, LINK);
    fixture_tree_write(&f->root, DOCKER, docker);
    assert_false(look(f, ALL, "/user.slice/user-1000.slice/docker-" ID ".scope"));
    assert_n_names(&f->names, 0);
    assert_false(look(f, ALL, "/user.slice/user-1000.slice/user@1000.service" POD "/" ID));
    assert_n_names(&f->names, 0);
    assert_false(look(f, ALL, "/user.slice/user-1000.slice/slurm/uid_0/job_1"));
    assert_n_names(&f->names, 0);
}

/* A process has such a path where the exporter has a cgroup namespace. */
static void a_cgroup_of_a_user__that_is_seen_from_a_namespace_takes_nobodys_names(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, DOCKER, docker);
    assert_false(look(f, ALL, "/../../user.slice/user-1000.slice/docker-" ID ".scope"));
    assert_n_names(&f->names, 0);
    assert_false(look(f, ALL, "/../../system.slice/docker-" ID ".scope"));
    assert_name(&f->names, NAME_CONTAINER, "front");
}

static void what_runs_in_a_unit_or_container__takes_nobodys_names(void **state)
{
    static const char *const outer[] = {
        "/machine.slice/machine-evil.scope/payload",
        "/system.slice/evil.service",
        "/lxc.payload.evil",
        "/lxc/evil",
        "/machine/qemu-9-evil.libvirt-qemu",
        "/docker/0bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c3",
    };
    static const char *const inner[] = {"/docker-" ID ".scope", POD "/cri-containerd-" ID ".scope",
                                        VM, "/machine-front.scope", "/slurm/uid_0/job_1"};
    struct fixture *f = *state;

    make_link(f, LINK);
    fixture_tree_write(&f->root, DOCKER, docker);
    fixture_tree_write(&f->root, "run/systemd/machines/front", "CLASS=container\n");
    for (size_t i = 0; i < ARRAY_SIZE(outer); i++)
        for (size_t k = 0; k < ARRAY_SIZE(inner); k++) {
            char path[512];

            (void)snprintf(path, sizeof(path), "%s%s", outer[i], inner[k]);
            (void)look(f, ALL, path);
            for (size_t kind = 0; kind < NAMES_; kind++)
                if (kind != NAME_VM) /* "evil", which is its own name */
                    assert_null(f->names.values[kind]);
            if (f->names.values[NAME_VM])
                assert_name(&f->names, NAME_VM, "evil");
        }
}

static void a_cgroup_in_a_container__has_the_names_of_the_container(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, DOCKER, docker);
    assert_false(look(f, ALL, "/system.slice/docker-" ID ".scope/system.slice/a.service"));
    assert_name(&f->names, NAME_CONTAINER, "front");
    assert_false(look(f, ALL, "/docker/" ID "/a/b"));
    assert_name(&f->names, NAME_CONTAINER, "front");
}

static void others__are_not_looked_for(void **state)
{
    struct fixture *f = *state;

    f->host.root_fd = -1; /* whoever opened something here would be told of a missing file */
    assert_false(look(f, ALL, "/system.slice/nginx.service"));
    assert_false(look(f, ALL, "/"));
    assert_n_names(&f->names, 0);
}

static void without_a_root__paths_alone_tell(void **state)
{
    struct fixture *f = *state;

    f->host.root_fd = -1;
    assert_true(look(f, ALL, POD));
    assert_n_names(&f->names, 0);
    assert_true(look(f, ALL, VM));
    assert_name(&f->names, NAME_VM, "web");
}

static void hostile_files__are_passed_over(void **state)
{
    struct fixture *f = *state;
    AUTO_FREE char *brackets = repeated("[", 1000000);
    AUTO_FREE char *large = repeated(" ", 1100000);

    fixture_tree_make_directories(&f->root, DOCKER);
    assert_int_equal(mkfifoat(f->root.fd, DOCKER, 0644), 0);
    assert_true(look(f, ALL, "/docker/" ID));
    assert_int_equal(unlinkat(f->root.fd, DOCKER, 0), 0);
    fixture_tree_make_directories(&f->root, DOCKER "/");
    assert_true(look(f, ALL, "/docker/" ID));
    assert_int_equal(unlinkat(f->root.fd, DOCKER, AT_REMOVEDIR), 0);
    fixture_tree_write(&f->root, "elsewhere", docker);
    assert_int_equal(symlinkat("../../../../../elsewhere", f->root.fd, DOCKER), 0);
    assert_true(look(f, ALL, "/docker/" ID));
    assert_int_equal(unlinkat(f->root.fd, DOCKER, 0), 0);
    fixture_tree_write(&f->root, DOCKER, brackets);
    assert_true(look(f, ALL, "/docker/" ID));
    memcpy(large + 1000000, docker, strlen(docker));
    fixture_tree_write(&f->root, DOCKER, large);
    assert_true(look(f, ALL, "/docker/" ID)); /* it would be good, but for its size */
    assert_n_names(&f->names, 0);
    fixture_tree_write(&f->root, DOCKER, docker);
    assert_false(look(f, ALL, "/docker/" ID));
}

static void a_directory_in_place_of_another_thing__is_passed_over(void **state)
{
    struct fixture *f = *state;

    fixture_tree_write(&f->root, "var/log/containers", "no directory");
    fixture_tree_write(&f->root, "run/libvirt/qemu/web.xml/x", "a directory");
    assert_int_equal(mkfifoat(f->root.fd, "run/systemd", 0644), 0);
    assert_true(look(f, ALL, POD "/cri-containerd-" ID ".scope"));
    assert_true(look(f, ALL, VM));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_container_of_kubernetes__is_named_by_its_link),
        TEST(a_pod__is_named_by_its_directory),
        TEST(a_bundle_of_containerd__adds_image_and_runtime),
        TEST(docker_and_podman__are_named_by_their_state),
        TEST(a_container_of_podman__that_is_removed_at_its_end_is_in_another_list),
        TEST(crio__has_its_bundles_in_run),
        TEST(a_virtual_machine__is_named_by_libvirt_machined_and_its_path),
        TEST(a_machine__has_only_those_files_read_that_could_be_its),
        TEST(a_job_of_slurm__is_named_by_its_path_and_its_user),
        TEST(a_step_of_slurm__has_the_user_of_what_it_runs),
        TEST(a_step_of_slurm__that_runs_a_setuid_program_has_the_user_who_runs_it),
        TEST(a_cgroup_of_a_user__takes_nobodys_names),
        TEST(a_cgroup_of_a_user__that_is_seen_from_a_namespace_takes_nobodys_names),
        TEST(what_runs_in_a_unit_or_container__takes_nobodys_names),
        TEST(a_cgroup_in_a_container__has_the_names_of_the_container),
        TEST(others__are_not_looked_for),
        TEST(without_a_root__paths_alone_tell),
        TEST(hostile_files__are_passed_over),
        TEST(a_directory_in_place_of_another_thing__is_passed_over),
    };

    return cmocka_run_group_tests_name("names_lookup", tests, NULL, NULL);
}
