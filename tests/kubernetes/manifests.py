# SPDX-License-Identifier: Apache-2.0
"""What kubectl makes of config/kubernetes and dashboards: objects of Kubernetes, as it would apply them."""
import functools
import os
import pathlib
import shutil
import subprocess
import unittest

try:
    import yaml
except ImportError:
    yaml = None

TOP = pathlib.Path(__file__).resolve().parents[2]
BASE = TOP / "config/kubernetes/base"
OPERATOR = TOP / "config/kubernetes/prometheus-operator"
DASHBOARDS = TOP / "dashboards"


def need():
    """What this needs; without it the test is skipped, or fails if PMU_TEST_KUBECTL=required."""
    for name, there in (("kubectl", shutil.which("kubectl")), ("python3-yaml", yaml)):
        if not there:
            if os.environ.get("PMU_TEST_KUBECTL") == "required":
                raise AssertionError(f"{name} is required")
            raise unittest.SkipTest(f"{name} is not installed")


@functools.cache
def render(folder):
    """The objects of a kustomization."""
    done = subprocess.run(["kubectl", "kustomize", folder], capture_output=True, text=True)
    if done.returncode != 0 or "deprecated" in done.stderr:
        raise AssertionError(f"kubectl kustomize {folder}: {done.stderr}")
    return list(yaml.safe_load_all(done.stdout))


def of_kind(folder, kind):
    return [thing for thing in render(folder) if thing["kind"] == kind]


def the(folder, kind):
    """The one object of a kind."""
    found = of_kind(folder, kind)
    if len(found) != 1:
        raise AssertionError(f"{len(found)} of kind {kind}")
    return found[0]


def pod():
    """The spec of the pods."""
    return the(BASE, "DaemonSet")["spec"]["template"]["spec"]


def container():
    containers = pod()["containers"]
    if len(containers) != 1:
        raise AssertionError(f"{len(containers)} containers")
    return containers[0]
