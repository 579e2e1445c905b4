# SPDX-License-Identifier: Apache-2.0
"""The configurations of config/: each runs, and its page has no more series than `pmutool check
budget` says, of the machine, of cgroups and of processes, and nearly as many of the exporter. What
documents say that they cost is what it says."""
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile

import live
from cgroups import Cgroups
from exporter import Exporter, binary, quote

SOURCE = pathlib.Path(__file__).parents[2]
CONFIG = SOURCE / "config"
PMUTOOL = str(pathlib.Path(binary()).parent / "pmutool")
SHIPPED = ("small", "pmu_exporter", "everything")  # each has more than the one before
CGROUPS = ("a", "b", "c")
PREFIXES = {"machine": "pmu_machine_", "cpus": "pmu_cpu_", "cgroups": "pmu_cgroup_",
            "processes": "pmu_process_"}


def told_of(*words):
    """The part "series" of what `pmutool check budget` says, and {what: [(targets, series of each)]}."""
    done = subprocess.run([PMUTOOL, "check", "budget", "--json", *words], capture_output=True, text=True,
                          timeout=60)
    if (done.returncode, done.stderr) != (0, ""):
        raise AssertionError(done)
    series = json.loads(done.stdout)["series"]
    rows = {}
    for row in series["targets"]:
        rows.setdefault(row["targets"], []).append((row["n"], row["series_each"]))
    return series, rows


class SeriesBudget(live.LiveTest):
    def setUp(self):
        self.cgroups = self.enterContext(Cgroups())
        for name in CGROUPS:
            self.cgroups.make(name)

    def own_cgroups(self, name):
        """The configuration, for the cgroups of this test."""
        text, n = re.subn(r"- include:\n(?: +- .*\n)+",
                          f"- include: [{quote('/' + self.cgroups.top + '/**')}]\n",
                          (CONFIG / f"{name}.yml").read_text())
        self.assertEqual(n, 1)
        return text

    def told(self, exporter):
        """The part "series" of the answer, and {what: (targets, series of each)}."""
        series, rows = told_of(exporter.directory / "pmu_exporter.yml")
        return series, {what: row for what, [row] in rows.items()}

    def count(self, name):
        """{what: series}, those of the exporter itself, and what is told of both."""
        text = self.own_cgroups(name) + "profiles: {rate: 49}\n" * (name != "pmu_exporter")
        with Exporter(text) as exporter:
            with live.Load(self.cgroups.directory("a"), faults=1000, burn_ms=100) as load:
                load.run()
            metrics = exporter.after_cycles(3)
            series, targets = self.told(exporter)
        shown = {what: sum(len(rows) for family, rows in metrics.families.items()
                           if family.startswith(prefix)) for what, prefix in PREFIXES.items()}
        own = sum(map(len, metrics.families.values())) - sum(shown.values())
        print(f"{name}: {shown}, own {own}; told {targets}, own {series['own']}")
        return shown, own, series, targets

    def test_no_more_are_shown_than_are_told(self):
        alls = []
        for name in SHIPPED:
            with self.subTest(name):
                shown, own, series, targets = self.count(name)
                self.assertEqual(targets["cgroups"][0], len(CGROUPS))
                for what, n in shown.items():
                    self.assertEqual(n > 0, what in targets, what)
                    if what != "processes":  # those that have ended since stay for a while
                        self.assertLessEqual(n, math.prod(targets.get(what, (0, 0))), what)
                self.assertLess(abs(own - series["own"]), own / 2)
                self.assertEqual(series["series"], series["own"] + sum(map(math.prod, targets.values())))
                alls.append(series["series"])
        self.assertEqual(alls, sorted(alls))

    def test_of_counters_alone_nearly_all_are_there(self):
        """Without distributions and gauges, only what needs doubt or time is absent."""
        shown, _, _, targets = self.count("small")
        absent = 2  # unattributed, and the ratio of samples, which needs a time of them
        self.assertIn(len(CGROUPS) * targets["cgroups"][1] - shown["cgroups"],
                      range(len(CGROUPS) * absent + 1))


class Documents(live.LiveTest):
    """Figures in documents are those of a machine like the one that they name."""

    def setUp(self):
        pmus = os.listdir("/sys/bus/event_source/devices")
        if os.cpu_count() != 2 or any(pmu.startswith(("cpu", "arm")) for pmu in pmus):
            self.skipTest("figures of documents are those of a machine of two CPUs without a PMU")

    def test_the_table_of_the_readme(self):
        text = (SOURCE / "README.md").read_text()
        for name in SHIPPED:
            with self.subTest(name):
                [row] = re.findall(rf"(?m)^\| \[{name}\.yml\].*$", text)
                documented = [int(cell.replace(",", "")) for cell in row.split("|")[3:7]]
                series, rows = told_of("-n", "100", CONFIG / f"{name}.yml")
                [(_, each)] = rows["cgroups"]
                self.assertEqual(documented, [each, series["series"], round(series["samples_per_second"]),
                                              round(series["bytes_per_day"] / 1e6)])

    def test_the_comment_of_the_pods_configuration(self):
        path = SOURCE / "config/kubernetes/base/pmu_exporter.yml"
        text = path.read_text()
        [(scheduler, each)] = re.findall(r"scheduler is (\d+) of the (\d+) series of each", text)
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as without:
            without.write(text.replace("latency: [scheduler]", "latency: []"))
            without.flush()
            without_it = self.of_a_pod(without.name)
        self.assertEqual(self.of_a_pod(path), int(each))
        self.assertEqual(int(each) - without_it, int(scheduler))

    def of_a_pod(self, path):
        return told_of(path)[1]["cgroups"][1][1]  # the series of each of the second rule


if __name__ == "__main__":
    live.main()
