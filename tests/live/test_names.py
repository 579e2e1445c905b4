# SPDX-License-Identifier: Apache-2.0
"""What cgroups are called, in pmu_cgroup_info. The cgroups are real and have the names that systemd,
kubelet, Docker, libvirt and Slurm give them; the files of these programs are in a directory of the
test, which is the root of the host for the exporter (--path.rootfs)."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import live
from cgroups import Cgroups
from exporter import PATIENCE, Exporter, quote

SOURCE = pathlib.Path(__file__).resolve().parents[2]
INFO = "pmu_cgroup_info"
READ_AT = "pmu_exporter_config_last_reload_success_timestamp_seconds"
RELOADS = 5
DROP_IN = "systemd/pmu_exporter.service.d/names.conf"
ID = "4bd3a2e1f0c94d55a7c0d6e8b9f1a2c34bd3a2e1f0c94d55a7c0d6e8b9f1a2c"
UID = "0f6b8a52-6c3e-4d1f-9b7a-2e5d8c4f1a90"
UUID = "629b29b9-b0fb-4766-b27d-f4a686d5cbda"
POD = f"kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod{UID.replace('-', '_')}.slice"
CONTAINER = f"{POD}/cri-containerd-{ID}1.scope"
DOCKER = f"system.slice/docker-{ID}2.scope"
PODMAN = f"machine.slice/libpod-{ID}3.scope"
MACHINE = "machine.slice/machine-qemu\\x2d7\\x2dinstance\\x2d0000002a.scope"
JOB = "system.slice/slurmstepd.scope/job_4711/step_0"
SERVICE = "system.slice/web.service"
KEPT = (CONTAINER, DOCKER, PODMAN, MACHINE, JOB, SERVICE)
NAMES = ("pod", "namespace", "container", "image", "runtime", "vm", "vm_uuid", "vm_display_name",
         "vm_flavor", "vm_project", "vm_user", "slurm_job", "slurm_step", "slurm_user", "name",
         "group", "role")
DOMAIN = f"""<domstatus state='running' pid='1'><domain type='kvm' id='7'>
<name>instance-0000002a</name><uuid>{UUID}</uuid><metadata>
<nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.1"><nova:name>front</nova:name>
<nova:flavor name="m1.small"/><nova:owner><nova:user uuid="a">alice</nova:user>
<nova:project uuid="b">store</nova:project></nova:owner></nova:instance></metadata>
</domain></domstatus>"""


def names_of(metrics, path):
    """The names in the info of a cgroup; None if there is no info yet."""
    for labels in metrics.find(INFO, cgroup=path):
        return {k: v for k, v in labels if k in NAMES}
    return None


class Host:
    """The files of the host's programs, in a directory that is its root."""

    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="pmu_exporter-host-"))

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def link(self, path):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.symlink_to("/var/log/pods/elsewhere/0.log")

    def fill(self):
        self.link(f"var/log/containers/web-0_shop_nginx-{ID}1.log")
        (self.root / f"var/log/pods/shop_web-0_{UID}").mkdir(parents=True)
        self.write(f"run/containerd/io.containerd.runtime.v2.task/k8s.io/{ID}1/config.json",
                   '{"annotations":{"io.kubernetes.cri.image-name":"nginx:1.25"}}')
        self.write(f"var/lib/docker/containers/{ID}2/config.v2.json",
                   '{"Name":"/cache","Config":{"Image":"redis:7"}}')
        self.write(f"var/lib/containers/storage/overlay-containers/{ID}3/userdata/config.json",
                   '{"annotations":{"io.container.manager":"libpod"}}')
        self.write("var/lib/containers/storage/overlay-containers/containers.json",
                   f'[{{"id":"{ID}3","names":["backup"],'
                   '"metadata":"{\\"image-name\\":\\"restic:0.16\\"}"}]')
        self.write("run/libvirt/qemu/instance-0000002a.xml", DOMAIN)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)


class Names(live.LiveTest):
    def setUp(self):
        self.host = self.enterContext(Host())
        self.cgroups = self.enterContext(Cgroups())

    def start(self, more="", **options):
        """An exporter of all cgroups of the test."""
        return self.enterContext(Exporter(live.config(self.cgroups, more=more),
                                          args=[f"--path.rootfs={self.host.root}"], **options))

    def make_all(self):
        for name in KEPT:
            self.cgroups.make(name)
        self.cgroups.make(JOB + "/user/task_0")

    def wait_for(self, exporter, name, wanted):
        """Until the cgroup has exactly these names."""
        path = self.cgroups.path(name)
        return exporter.scrape_until(lambda m: names_of(m, path) == wanted, PATIENCE,
                                     f"{wanted} for {path}")

    def test_the_configuration_of_everything_takes_all_of_them(self):
        text = (SOURCE / "config/everything.yml").read_text()
        patterns = re.findall(r'"(/[^"]*)"', re.search(r"- include:\n((?: +- .*\n)+)", text)[1])
        below = ", ".join(quote(f"/{self.cgroups.top}{pattern}") for pattern in patterns)
        self.make_all()
        config = live.config(system="all", more=f"  cgroups: [{{include: [{below}], groups: [software]}}]\n")
        wanted = {self.cgroups.path(name) for name in KEPT}
        with Exporter(config) as exporter:
            exporter.scrape_until(lambda m: wanted <= m.labels(INFO, "cgroup"), PATIENCE,
                                  f"all of {wanted}")

    def test_each_has_the_names_of_who_keeps_it(self):
        self.host.fill()
        self.make_all()
        with subprocess.Popen(["sleep", "600"]) as task:
            try:
                self.cgroups.enter(JOB + "/user/task_0", task.pid)
                exporter = self.start()
                self.wait_for(exporter, POD, {"pod": "web-0", "namespace": "shop"})
                self.wait_for(exporter, CONTAINER, {
                    "pod": "web-0", "namespace": "shop", "container": "nginx",
                    "image": "nginx:1.25", "runtime": "containerd"})
                self.wait_for(exporter, DOCKER, {"container": "cache", "image": "redis:7",
                                                 "runtime": "docker"})
                self.wait_for(exporter, PODMAN, {"container": "backup", "image": "restic:0.16",
                                                 "runtime": "podman"})
                self.wait_for(exporter, MACHINE, {
                    "vm": "instance-0000002a", "vm_uuid": UUID, "vm_display_name": "front",
                    "vm_flavor": "m1.small", "vm_project": "store", "vm_user": "alice"})
                self.wait_for(exporter, JOB, {"slurm_job": "4711", "slurm_step": "0",
                                              "slurm_user": "root"})
                last = self.wait_for(exporter, SERVICE, {})
                info = dict(next(iter(last.find(INFO, cgroup=self.cgroups.path(CONTAINER)))))
                self.assertEqual(info["container_id"], ID + "1")  # what stood there still stands
                self.assertEqual(info["pod_uid"], UID)
            finally:
                task.kill()

    def test_a_file_that_comes_late_is_found(self):
        exporter = self.start()
        path = self.cgroups.make(DOCKER)
        exporter.scrape_until(lambda m: names_of(m, path) == {}, 10, "the birth")
        self.host.write(f"var/lib/docker/containers/{ID}2/config.v2.json", '{"Name":"/late"}')
        self.wait_for(exporter, DOCKER, {"container": "late", "runtime": "docker"})

    def test_a_birth_between_cycles_is_named_too(self):
        self.host.fill()
        exporter = self.start()
        self.cgroups.make(DOCKER)
        self.wait_for(exporter, DOCKER, {"container": "cache", "image": "redis:7",
                                         "runtime": "docker"})

    def test_the_users_file_names_again_when_it_changes(self):
        self.make_all()
        file = self.host.root / "names.csv"
        top = self.cgroups.path()
        file.write_text(f"match,name,group,role\ncgroup:{top}/system.slice/*.service,web,shop,front\n"
                        "a bad line,x\n")
        exporter = self.start(f"names: {{file: {file}}}\n")
        self.wait_for(exporter, SERVICE, {"name": "web", "group": "shop", "role": "front"})
        exporter.log_until("lines of the file of names are left out")
        self.assertIn("3: no match", exporter.stderr())
        before = exporter.stderr().count("are left out")
        file.write_text(f"{top}/system.slice/web.service,other,,store\n")
        self.wait_for(exporter, SERVICE, {"name": "other", "role": "store"})
        exporter.log_until("file of names was read")
        self.assertEqual(exporter.stderr().count("are left out"), before)

    def test_templates_of_process_groups_use_names(self):
        self.host.fill()
        self.cgroups.make(DOCKER)
        top = self.cgroups.path()
        file = self.host.root / "names.csv"
        comm = live.own("nam")
        sleep = self.host.root / comm
        sleep.symlink_to(shutil.which("sleep"))
        with subprocess.Popen([sleep, "600"]) as one, subprocess.Popen([sleep, "600"]) as two:
            try:
                self.cgroups.enter(DOCKER, one.pid)
                file.write_text(f"{top}/**,here,shop\npid:{two.pid},numbered\n")
                rules = (f"  processes:\n    - name: '{{{{.Comm}}}}/{{{{.Name}}}}/{{{{.Container}}}}'\n"
                         f"      comm: [{comm}]\n      groups: [software]\n")
                exporter = self.enterContext(Exporter(
                    live.config(self.cgroups).rstrip() + "\n" + rules +
                    f"names: {{file: {file}}}\n", args=[f"--path.rootfs={self.host.root}"]))
                members = "pmu_process_members"

                def groups(*wanted):
                    exporter.scrape_until(
                        lambda m: {g for g in m.labels(members, "groupname")
                                   if m.value(members, groupname=g)} == set(wanted),
                        PATIENCE, f"the groups {wanted}")

                groups(f"{comm}/here/cache", f"{comm}/numbered/")
                file.write_text(f"{top}/**,moved\n")
                groups(f"{comm}/moved/cache", f"{comm}//")
            finally:
                one.kill()
                two.kill()

    def test_keys_turn_sources_off_and_a_reload_turns_them_on(self):
        self.host.fill()
        self.make_all()
        exporter = self.start("names: {containers: false, machines: false, batch: false}\n")
        self.wait_for(exporter, CONTAINER, {"pod": "web-0", "namespace": "shop",
                                            "container": "nginx"})
        for name in (DOCKER, MACHINE, JOB):
            self.wait_for(exporter, name, {})
        text = live.config(self.cgroups, more="names: {kubernetes: false}\n")
        (exporter.directory / "pmu_exporter.yml").write_text(text)
        os.kill(exporter.pid, signal.SIGHUP)
        self.wait_for(exporter, CONTAINER, {"image": "nginx:1.25", "runtime": "containerd"})
        self.wait_for(exporter, POD, {})
        self.wait_for(exporter, DOCKER, {"container": "cache", "image": "redis:7",
                                         "runtime": "docker"})

    def test_a_reload_keeps_the_names_that_are_known(self):
        self.host.fill()
        path = self.cgroups.make(DOCKER)
        exporter = self.start()
        wanted = {"container": "cache", "image": "redis:7", "runtime": "docker"}
        self.wait_for(exporter, DOCKER, wanted)
        for _ in range(RELOADS):
            before = exporter.scrape().value(READ_AT)
            os.kill(exporter.pid, signal.SIGHUP)

            def is_read(metrics, before=before):
                self.assertEqual(names_of(metrics, path), wanted)
                return metrics.value(READ_AT) > before

            exporter.scrape_until(is_read, PATIENCE, "the reload")
            self.assertEqual(names_of(exporter.after_cycles(1), path), wanted)

    def start_as_the_unit(self, more_capabilities=""):
        """An exporter with the unit's user and capabilities, on a host whose state only root may read."""
        self.host.fill()
        self.make_all()
        for path in ("var/lib/docker", "run/libvirt/qemu", "run/containerd"):
            os.chmod(self.host.root / path, 0)
        os.chmod(self.host.root, 0o755)  # /run and /var are there for all
        directory = self.enterContext(tempfile.TemporaryDirectory())
        os.chown(directory, 65534, 65534)
        return self.start(wrapper=[word.replace("+bpf", "+bpf" + more_capabilities)
                                   for word in live.AS_THE_UNIT], directory=directory)

    def test_a_root_that_cannot_be_read_drops_nothing(self):
        exporter = self.start_as_the_unit()
        self.wait_for(exporter, DOCKER, {})
        self.wait_for(exporter, MACHINE, {"vm": "instance-0000002a"})
        self.wait_for(exporter, CONTAINER, {"pod": "web-0", "namespace": "shop",
                                            "container": "nginx"})
        self.assertEqual(len(exporter.scrape().find("pmu_cgroup_context_switches_total",
                                                    cgroup=self.cgroups.path(DOCKER))), 1)

    def test_the_drop_in_lets_the_unit_read_what_only_root_may(self):
        drop_in = SOURCE / DROP_IN
        words = re.findall(r"(?m)^AmbientCapabilities=CAP_(\w+)$", drop_in.read_text())
        capabilities = "".join(f",+{word.lower()}" for word in words)
        exporter = self.start_as_the_unit(capabilities)
        self.wait_for(exporter, DOCKER, {"container": "cache", "image": "redis:7",
                                         "runtime": "docker"})
        self.wait_for(exporter, MACHINE, {
            "vm": "instance-0000002a", "vm_uuid": UUID, "vm_display_name": "front",
            "vm_flavor": "m1.small", "vm_project": "store", "vm_user": "alice"})

    def test_a_root_that_is_not_there_is_told_and_drops_nothing(self):
        self.make_all()
        exporter = self.enterContext(Exporter(live.config(self.cgroups),
                                              args=["--path.rootfs=/nowhere/at/all"]))
        self.wait_for(exporter, MACHINE, {"vm": "instance-0000002a"})
        self.wait_for(exporter, DOCKER, {})
        self.assertIn("cannot look for names", exporter.stderr())

    def test_hostile_files_stop_nothing(self):
        self.host.fill()
        self.make_all()
        docker = self.host.root / f"var/lib/docker/containers/{ID}2/config.v2.json"
        docker.unlink()
        os.mkfifo(docker)
        self.host.write("run/libvirt/qemu/instance-0000002a.xml", "<a>" * 300000)
        link = self.host.root / f"var/log/containers/web-0_shop_nginx-{ID}1.log"
        link.rename(link.with_name(f"we\nb_shop_nginx-{ID}1.log"))
        self.host.write(f"run/containerd/io.containerd.runtime.v2.task/k8s.io/{ID}1/config.json",
                        '{"annotations":{"io.kubernetes.cri.image-name":"a\\n\\"b\\\\"}}')
        exporter = self.start()
        self.wait_for(exporter, CONTAINER, {"pod": "web-0", "namespace": "shop",
                                            "image": '%/a%0A"b\\', "runtime": "containerd"})
        self.wait_for(exporter, DOCKER, {})
        self.wait_for(exporter, MACHINE, {"vm": "instance-0000002a"})

    def test_names_stand_in_the_api_too(self):
        self.host.fill()
        self.cgroups.make(DOCKER)
        exporter = self.start()
        self.wait_for(exporter, DOCKER, {"container": "cache", "image": "redis:7",
                                         "runtime": "docker"})
        self.assertIn(b'"cache"', exporter.get("/api/v1/targets").body)


if __name__ == "__main__":
    live.main()
