# SPDX-License-Identifier: Apache-2.0
"""One user makes 20,000 cgroups where he may, and runs something in some: bpf counts as many as it
is to, who contains the rest is charged for them, and it takes no more memory than before.

On one CPU, so that all is exact: the user instructions of the machine are those of its cgroups, but
for the few of the exporter between the refresh and the machine's reading.
"""
import unittest

import live
from guest import Guest

N, EACH, DEEP = 20000, 400, 60
RUN_IN, LOOP = 50, 64 * 10_000
LIMIT = 100
BETWEEN = 200  # more or fewer of these at one scrape than at another
CONFIG = f"""
interval: 1s
counting: bpf
linger: 0s
groups:
  - name: core
    events: ["instructions:u"]
limits: {{pmu_counters: all, cgroups: {LIMIT}}}
targets:
  system: {{groups: [core], by: all}}
  cgroups:
    - include: ["/*", "/hostile/*"]
      groups: [core]
"""
SCRIPT = f"""
enable_counting
make_cgroup /hostile; make_cgroup /tenant
chown 65534 $cgroups/hostile $cgroups/hostile/*
costs() {{ # NAME: what the exporter and its maps hold
    cat /proc/$exporter/status >$OUT/status.$1
    cat /proc/$exporter/fdinfo/* | awk '/^memlock:/ {{ n += $2 }} END {{ print n }}' >$OUT/maps.$1
}}
cat >/tmp/hostile <<'END'
cd /sys/fs/cgroup/hostile
echo 0 >cgroup.procs
seq {N} | xargs -n {EACH} mkdir
deep=$(seq -s / {DEEP})
mkdir -p "1/$deep"
for i in $(seq {RUN_IN}); do
    sh -c "echo 0 >$((i * {N // RUN_IN}))/cgroup.procs; exec /tmp/bin/known_family 1 1 {LOOP}"
done
sh -c "echo 0 >1/$deep/cgroup.procs; exec /tmp/bin/known_family 1 1 {LOOP}"
END
start_exporter config
sleep 3
scrape before
costs before
# what moves him into his own cgroup is root's
sh -c 'echo 0 >$0; exec as_nobody none sh /tmp/hostile' $cgroups/hostile/cgroup.procs || die "hostile"
sleep 3
scrape during
costs during
(enter /tenant known_family 1 1 {LOOP})
sleep 2
scrape tenant
(cd $cgroups/hostile/1 && rmdir -p $(seq -s / {DEEP}))
(cd $cgroups/hostile && seq {N} | xargs -n {EACH} rmdir)
sleep 3
scrape after
costs after
stop_exporter
"""
USER = "instructions_user_total"


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("hostile_bpf", memory=1024).run(SCRIPT, config=CONFIG)
        info = cls.results.scrape("during").labels("pmu_exporter_mechanism_info", "reason")
        if info == {"built without libbpf"}:
            raise unittest.SkipTest("built without libbpf")

    def top(self, scrape):
        """{cgroup: instructions} of those right below the root."""
        found = self.results.scrape(scrape).find("pmu_cgroup_" + USER)
        return {dict(labels)["cgroup"]: value for labels, value in found.items()
                if dict(labels)["cgroup"].count("/") == 1}

    def machine(self, scrape):
        return self.results.scrape(scrape).value("pmu_machine_" + USER)

    def test_his_cgroup_is_charged_for_all_of_it(self):
        count = self.top("during")["/hostile"] - self.top("before")["/hostile"]
        print(f"instructions of his: {count}")
        self.assertGreaterEqual(count, (RUN_IN + 1) * LOOP)

    def test_the_machine_is_the_sum_of_its_cgroups(self):
        for begin, end in (("before", "during"), ("during", "tenant"), ("tenant", "after")):
            machine = self.machine(end) - self.machine(begin)
            parts = sum(self.top(end).values()) - sum(self.top(begin).values())
            print(f"{end}: machine {machine}, its cgroups {parts - machine:+}")
            self.assertAlmostEqual(machine, parts, delta=BETWEEN)

    def test_a_neighbour_keeps_its_counts(self):
        count = self.top("tenant")["/tenant"] - self.top("during")["/tenant"]
        self.assertGreaterEqual(count, LOOP)
        self.assertLess(count, LOOP * 1.2)
        self.assertEqual(self.top("tenant")["/hostile"], self.top("during")["/hostile"])

    def test_targets_keep_to_their_limit_and_counters_to_their_number(self):
        before, during = (self.results.scrape(s) for s in ("before", "during"))
        self.assertLessEqual(during.value("pmu_exporter_targets", kind="cgroup"), LIMIT)
        self.assertGreaterEqual(during.value("pmu_exporter_targets", kind="cgroup"), LIMIT // 2)
        name = "pmu_exporter_open_counters"
        self.assertEqual(before.value(name), during.value(name))

    def resident(self, name):
        status = self.results.text(f"status.{name}")
        return int(status.split("VmRSS:")[1].split()[0])

    def test_memory_is_bounded(self):
        maps = [int(self.results.text(f"maps.{s}")) for s in ("before", "during", "after")]
        resident = [self.resident(s) for s in ("before", "during", "after")]
        print(f"maps {maps} bytes, resident {resident} kB")
        self.assertGreater(maps[0], 0)
        self.assertEqual(len(set(maps)), 1, "the maps have grown")
        self.assertLess(resident[1] - resident[0], 32 * 1024)


if __name__ == "__main__":
    live.main()
