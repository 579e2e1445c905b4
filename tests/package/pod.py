# SPDX-License-Identifier: Apache-2.0
"""The pod of config/kubernetes as options of podman, taken from what kubectl renders. What kubelet would
do with a field that is not here is not known to these tests: such a field is an error."""
import os
import shutil

import manifests

SECURITY = {"runAsUser", "runAsGroup", "capabilities", "allowPrivilegeEscalation",
            "readOnlyRootFilesystem", "seccompProfile"}
MOUNT = {"name", "mountPath", "subPath", "readOnly"}


def only(thing, known):
    if strange := set(thing) - known:
        raise AssertionError(f"no test knows {strange}")
    return thing


def security(context):
    """Options for a security context."""
    only(context, SECURITY)
    options = [f"--user={context['runAsUser']}:{context['runAsGroup']}"]
    for what in ("drop", "add"):
        options += [f"--cap-{what}={name}" for name in context["capabilities"].get(what, ())]
    if not context["allowPrivilegeEscalation"]:
        options.append("--security-opt=no-new-privileges")
    if context["readOnlyRootFilesystem"]:
        options += ["--read-only", "--read-only-tmpfs=false"]
    profile = context["seccompProfile"]
    if profile["type"] != "RuntimeDefault":
        options.append(f"--security-opt=seccomp={profile.get('localhostProfile', 'unconfined')}")
    return options


def namespaces(spec):
    """Where the pod does not share those of the host it has a network that is not connected."""
    return ["--pid=host" if spec.get("hostPID") else "--pid=private",
            "--network=host" if spec.get("hostNetwork") else "--network=none"]


class Host:
    """The paths of a node: some are the machine's own, others are folders of the test. Configurations are
    written as kubelet does."""

    OWN = ("/proc", "/sys/fs/cgroup")

    def __init__(self, folder, configuration):
        self.folder = folder
        self.config_map = {"pmu_exporter.yml": configuration}

    def path(self, path):
        if path in self.OWN:
            return path
        here = self.folder / path.lstrip("/")
        here.mkdir(parents=True, exist_ok=True)
        return here

    def write_config_map(self, name):
        """Everybody may write in the folder of the volume, where links lead to the files."""
        volume = self.folder / "volumes" / name
        shutil.rmtree(volume, ignore_errors=True)
        (volume / "..2026").mkdir(parents=True)
        (volume / "..data").symlink_to("..2026")
        for file, text in self.config_map.items():
            (volume / "..2026" / file).write_text(text)
            (volume / file).symlink_to(f"..data/{file}")
        volume.chmod(0o777)
        return volume

    def source(self, volume):
        if "hostPath" in volume:
            return self.path(volume["hostPath"]["path"])
        return self.write_config_map(only(volume, {"name", "configMap"})["name"])

    def mount(self, volume, mount):
        only(mount, MOUNT)
        source = self.source(volume)
        if "subPath" in mount:
            source = os.path.realpath(source / mount["subPath"])
        return f"--volume={source}:{mount['mountPath']}{':ro' if mount.get('readOnly') else ''}"

    def mounts(self, spec, container, without=None):
        volumes = {volume["name"]: volume for volume in spec["volumes"]}
        return [self.mount(volumes[mount["name"]], mount) for mount in container["volumeMounts"]
                if mount["name"] != without]


def options(host, context, without=None):
    """Options for the pod with this security context and without a mount."""
    spec, container = manifests.pod(), manifests.container()
    return [*namespaces(spec), *security(context), *host.mounts(spec, container, without)]
