#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The monitoring mixin has the rules and dashboards that are beside it, and each field of its
configuration changes what it says.

Jsonnet sorts names and writes 0.05 as 0.050000000000000003, so the rendered dashboards are compared in
one serialisation: whatever both files say is the same, byte for byte, but not how Jsonnet writes it.
"""
import copy
import importlib.util
import json
import os
import pathlib
import runpy
import shutil
import subprocess
import tempfile
import unittest

import live
import mixin
import mixin_fields
import rules


def need_yaml():
    if importlib.util.find_spec("yaml"):
        return
    if os.environ.get("PMU_TEST_PROMETHEUS") == "required":
        raise AssertionError("python3-yaml is required, and not installed")
    raise unittest.SkipTest("python3-yaml is not installed")


def text_of(document):
    return json.dumps(document, indent=2, sort_keys=True)


class Mixin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        rules.need("jsonnet")
        cls.default = mixin.render()


class Sources(Mixin):
    def setUp(self):
        need_yaml()

    def parsed(self, path):
        import yaml
        return yaml.safe_load(path.read_text())

    def test_the_rules_in_json_are_what_is_made_of_the_yaml(self):
        made = runpy.run_path(str(mixin.DASHBOARDS / "mixin/generate.py"))["text"]()
        self.assertTrue(made == (mixin.DASHBOARDS / "mixin/rules.json").read_text(),
                        "dashboards/mixin/generate.py has to be run")

    def test_rules_and_alerts_are_those_of_the_yaml(self):
        self.assertEqual(self.default["alerts"], self.parsed(rules.ALERTS))
        self.assertEqual(self.default["rules"], self.parsed(rules.SERVICES))

    def test_dashboards_are_those_that_are_generated(self):
        boards = mixin.boards()
        self.assertEqual(set(self.default["dashboards"]), set(boards))
        for name, board in boards.items():
            self.assertTrue(text_of(self.default["dashboards"][name]) == text_of(board), name)


class Fields(Mixin):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        config = cls.default["config"]
        cls.table = mixin_fields.fields(config["alerts"], config["groupIntervals"],
                                        sorted(cls.default["dashboards"]))

    def test_every_field_is_tested(self):
        self.assertEqual(set(self.table), mixin.leaves(self.default["config"]))

    def check(self, fields):
        expected = copy.deepcopy(self.default)
        for field in fields:
            self.table[field][1](expected)
        found = mixin.render(mixin.nested({field: self.table[field][0] for field in fields}))
        for part in ("alerts", "rules", "dashboards"):
            self.assertTrue(text_of(found[part]) == text_of(expected[part]),
                            f"{part}: {self.first_difference(found[part], expected[part])}")

    def first_difference(self, found, expected):
        pairs = zip(text_of(found).splitlines(), text_of(expected).splitlines())
        return next((pair for pair in pairs if pair[0] != pair[1]), "lengths")

    def test_a_field_changes_what_it_says_and_nothing_else(self):
        """Half of the fields are changed at a time. There is a run for each bit of a field's number and
        one for its opposite, so that any two fields are apart in some runs."""
        names = sorted(self.table)
        for bit in range(len(names).bit_length()):
            for side in (0, 1):
                with self.subTest(bit=bit, side=side):
                    self.check([name for number, name in enumerate(names)
                                if number >> bit & 1 == side])

    def test_a_changed_field_makes_a_difference(self):
        for name, (_, change) in self.table.items():
            changed = copy.deepcopy(self.default)
            change(changed)
            self.assertNotEqual(changed, self.default, name)

    def test_all_that_is_rendered_is_valid_for_prometheus(self):
        rules.need("promtool")
        changed = {name: value for name, (value, _) in self.table.items()}
        for config in ({}, changed):
            for part in ("prometheusAlerts", "prometheusRules"):
                with self.subTest(part=part, changed=bool(config)), tempfile.TemporaryDirectory() as folder:
                    path = pathlib.Path(folder, "rules.yml")
                    path.write_text(self.yaml(part, config))
                    self.assertIsNone(rules.promtool("check", "rules", path))

    def yaml(self, part, config):
        text, complaint = mixin.jsonnet(
            f"std.manifestYamlDoc(((import '{mixin.DASHBOARDS}/mixin/mixin.libsonnet') +"
            f" {{ _config+:: {{ pmuExporter+: {mixin.nested(config)} }} }}).{part})", "-S")
        self.assertEqual(complaint, "")
        return text

    def test_nothing_keeps_firing_for_0s(self):
        changed = mixin.render("{ alerts+: { PMUIPCRegression+: { keepFiringFor: '0s' } } }")
        self.assertNotIn("keep_firing_for", mixin_fields.named(changed, "PMUIPCRegression"))

    def test_it_can_be_added_to_other_mixins(self):
        text, complaint = mixin.jsonnet(f"""
            local other = {{
              _config+:: {{ a: 1 }},
              prometheusAlerts+:: {{ groups+: [{{ name: 'other' }}] }},
              prometheusRules+:: {{ groups+: [{{ name: 'other' }}] }},
              grafanaDashboards+:: {{ 'other.json': {{}} }},
            }};
            local ours = import '{mixin.DASHBOARDS}/mixin/mixin.libsonnet';
            [[
              [group.name for group in both.prometheusAlerts.groups],
              [group.name for group in both.prometheusRules.groups],
              std.objectFields(both.grafanaDashboards),
            ] for both in [other + ours, ours + other]]""")
        self.assertEqual(complaint, "")
        for alerts, recorded, boards in json.loads(text):
            self.assertCountEqual(alerts, self.names_of("alerts") + ["other"])
            self.assertCountEqual(recorded, self.names_of("rules") + ["other"])
            self.assertCountEqual(boards, [*self.default["dashboards"], "other.json"])

    def names_of(self, part):
        return [group["name"] for group in self.default[part]["groups"]]


class Readme(Mixin):
    def test_the_example_makes_the_files_that_it_names(self):
        rules.need("promtool")
        text = (rules.TOP / "README.md").read_text()
        commands = text[text.index("### As a mixin"):].split("```")[1]
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "dashboards").symlink_to(mixin.DASHBOARDS)
        subprocess.run(["bash", "-euc", commands], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        for name in ("pmu_alerts", "pmu_services"):
            self.assertIsNone(rules.promtool("check", "rules", folder / f"{name}.rules.yml"))
        self.assertIn("https://wiki.example.org/runbooks/PMUIPCRegression",
                      (folder / "pmu_alerts.rules.yml").read_text())
        self.assertEqual({path.name for path in (folder / "boards").iterdir()}, set(mixin.boards()))


class Complaints(Mixin):
    """What cannot be done is told of, and nothing is rendered."""

    def test_wrong_fields_are_named(self):
        for config, told in (
                ("{ alerts+: { PMUIPCRegresion+: { minLoss: 0.2 } } }",
                 "alerts.PMUIPCRegresion: there is no such field"),
                ("{ dashboards+: { title: '' } }", "dashboards.title: there is no such field"),
                ("{ alerts+: { PMUExporterDown+: { maxAgeSeconds: 1 } } }",
                 "alerts.PMUExporterDown.maxAgeSeconds: there is no such field"),
                ("{ alerts+: { PMUCyclesLate: { maxShare: 0.1 } } }",
                 "alerts.PMUCyclesLate.for is missing: was _config.pmuExporter.alerts.PMUCyclesLate "
                 "written without +?"),
                ("{ services+: { minCPUs: '0.1' } }",
                 "services.minCPUs should be of type number, and is of type string"),
                ("{ dashboards+: { tags: 'a' } }",
                 "dashboards.tags should be of type array, and is of type string"),
                ("{ runbookURLPattern: 'https://wiki.example/' }",
                 "runbookURLPattern should have %s once, for the name of the alert"),
                ("{ pageURLPattern: 'https://%s/%s' }",
                 "pageURLPattern should have %s once, for the instance")):
            with self.subTest(config):
                self.assertIn(f"RUNTIME ERROR: _config.pmuExporter.{told}", mixin.complaint_of(config))

    def test_what_is_not_where_it_was_is_named(self):
        """Each of these changes a source, and not the mixin."""
        for file, there, by, told in (
                ("mixin/rules.json", "> 0.13 + ", "> 0.14 + ",
                 'PMUIPCRegression.minLoss: "> 0.13 + " should stand 1 times'),
                ("mixin/rules.json", "_uncounted > 0", "_uncounted > 0.5",
                 'PMUTargetsUncounted.maxTargets: "pmu_exporter_targets_uncounted > 0\\n" should stand'),
                ("mixin/rules.json", ">= 0.5\\n", ">= 0.6\\n",
                 "minCoverage: "),
                ("mixin/rules.json", "up{job=~", "up{jobs=~", 'selector: "up{job=~'),
                ("grafana/kvm.json", '"title": "PMU / KVM"', '"title": "KVM"',
                 'kvm, title: "KVM" should begin with PMU / '),
                ("grafana/kvm.json", '"uid": "pmu-kvm"', '"uid": "kvm"',
                 'kvm, uid: "kvm" should begin with pmu-'),
                ("grafana/kvm.json", '"tags": [\n    "pmu_exporter",', '"tags": [\n    "pmu",',
                 "kvm, tags: "),
                ("grafana/kvm.json", "label_values(pmu_exporter_build_info, job)", "label_values(job)",
                 "kvm, variable job: pmu_exporter_build_info, should be once in")):
            with self.subTest(told), tempfile.TemporaryDirectory() as folder:
                tree = pathlib.Path(folder)
                for part in ("mixin", "grafana"):
                    shutil.copytree(mixin.DASHBOARDS / part, tree / part)
                text = (tree / file).read_text()
                self.assertIn(there, text)
                (tree / file).write_text(text.replace(there, by, 2))
                self.assertIn(f"RUNTIME ERROR: {told}", mixin.complaint_of(
                    "{ dashboards+: { exporterSelector: 'a=\"b\"' } }", tree))


if __name__ == "__main__":
    live.main()
