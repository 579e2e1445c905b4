# SPDX-License-Identifier: Apache-2.0
"""Every object of config/kubernetes, by the schemas that Kubernetes and the Prometheus Operator publish;
and that these would find a slip."""
import copy
import json
import os
import pathlib
import shutil
import unittest

import live
import manifests
import npm

FOLDER = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path(os.environ.get("PMU_TEST_KUBERNETES", manifests.TOP / "build/kubernetes"))
# Maps whose keys are free.
FREE = {"labels", "annotations", "matchLabels", "nodeSelector", "data", "requests", "limits"}
FOLDERS = (manifests.BASE, manifests.OPERATOR, manifests.DASHBOARDS)


def kind_of(thing):
    return f"{thing['kind']}/{thing['metadata']['name']}"


def is_selector_of_service(key, value):
    return key == "selector" and "matchLabels" not in value


def fields(thing, path=()):
    """The paths of all fields whose names a schema knows."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            yield (*path, key)
            if key not in FREE and not is_selector_of_service(key, value):
                yield from fields(value, (*path, key))
    elif isinstance(thing, list):
        for i, value in enumerate(thing):
            yield from fields(value, (*path, i))


def different(paths):
    """Of paths that differ by numbers only, the first."""
    found = {}
    for path in paths:
        found.setdefault(tuple("*" if isinstance(step, int) else step for step in path), path)
    return list(found.values())


def changed(thing, path, change):
    """A copy of an object in which a field is changed, as change(object that has it, its name) does."""
    other = copy.deepcopy(thing)
    place = other
    for step in path[:-1]:
        place = place[step]
    change(place, path[-1])
    return other


def misspell(place, name):
    place[name + "s"] = place.pop(name)


def mistype(place, name):
    place[name] = [] if not isinstance(place[name], list) else {"a": 1}


def one_of_each_kind(objects):
    return {thing["kind"]: thing for thing in reversed(objects)}.values()


def ask(objects):
    """What is wrong with each."""
    done = npm.run(WORK, "node", "validate.mjs", text=json.dumps(objects))
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        manifests.need()
        npm.install(FOLDER, WORK)
        shutil.copy(FOLDER / "validate.mjs", WORK)
        objects = [thing for folder in FOLDERS for thing in manifests.render(folder)]
        cases = [(thing, path) for thing in one_of_each_kind(objects) for path in different(fields(thing))
                 if path not in (("kind",), ("apiVersion",))]
        changes = (misspell, mistype)
        wrong = iter(ask(objects + [changed(*case, change) for change in changes for case in cases]))
        cls.objects = [(thing, next(wrong)) for thing in objects]
        cls.changed = {change: [(case, next(wrong)) for case in cases] for change in changes}

    def test_every_object_is_valid(self):
        for thing, wrong in self.objects:
            self.assertEqual(wrong, [], kind_of(thing))

    def assert_refused(self, change):
        self.assertGreater(len(self.changed[change]), 100)
        for (thing, path), wrong in self.changed[change]:
            self.assertTrue(wrong, f"{kind_of(thing)}: {path}")

    def test_no_field_can_be_misspelled(self):
        self.assert_refused(misspell)

    def test_no_field_can_have_another_type(self):
        self.assert_refused(mistype)


if __name__ == "__main__":
    live.main()
