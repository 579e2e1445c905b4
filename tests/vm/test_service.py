# SPDX-License-Identifier: Apache-2.0
"""The service as a user installs it, with systemd as PID 1: started, reloaded, activated, watched.

It has a user of its own, two capabilities and the unit's filter of system calls, and all three
scopes count hardware events.
"""
import json
import unittest

import live
from full_guest import FullGuest

LOOP = 64 * 200_000
THREADS = 2
LOAD = f"""[Service]
Type=oneshot
ExecStart=/guest/bin/known_family 1 {THREADS} {LOOP} 3
"""
THREE = """
interval: 1s
counting: direct
groups:
  - name: core
    events: ["instructions:u"]
targets:
  system: {groups: [core], by: all}
  cgroups:
    - include: ["/system.slice/*.service"]
      groups: [core]
  processes:
    - name: load
      comm: [known_family]
      groups: [core]
"""
BPF = THREE.replace("direct", "bpf")
SCRIPT = """
configuration=/etc/pmu_exporter/pmu_exporter.yml
main_pid() {
    systemctl show -P MainPID $unit
}
dpkg -i /guest/pmu-exporter.deb >$OUT/dpkg 2>&1 || die "dpkg: $(cat $OUT/dpkg)"
is_ready || die "not ready when dpkg has ended"
show started
cat /proc/$(main_pid)/status >$OUT/status
sleep 2.2
scrape default

cp /t/three $configuration
systemctl reload $unit
show reloaded
sleep 2.2
scrape before_load
systemctl start load
sleep 2.2
scrape three

echo 'nonsense: 1' >$configuration
! systemctl reload $unit || die "a bad configuration was taken"
show bad_reload
sleep 1.2
scrape bad_reload
cp /t/three $configuration
systemctl reload $unit
sleep 1.2
scrape good_reload

cp /t/bpf $configuration
systemctl reload $unit
show bpf
sleep 1.2
systemctl start load
sleep 2.2
scrape bpf
cp /t/three $configuration
systemctl reload $unit

mkdir /etc/systemd/system/pmu_exporter.service.d
cp /usr/share/pmu_exporter/socket.conf /etc/systemd/system/pmu_exporter.service.d/
systemctl daemon-reload
systemctl stop $unit
systemctl start pmu_exporter.socket
systemctl is-active $unit >$OUT/before_activation || true
wget -q -O $OUT/activated http://127.0.0.1:10138/-/ready || true
wait_until_ready
show activated_by_socket
for i in $(seq 3); do
    sleep 5 # systemd takes 5 starts in 10 s for a fault
    systemctl restart $unit & restart=$!
    for j in $(seq 20); do
        wget -O /dev/null http://127.0.0.1:10138/metrics 2>$OUT/last || cat $OUT/last >>$OUT/refused
        sleep 0.05
    done
    wait $restart
done

kill -STOP $(main_pid)
sleep 75
wait_until_ready
show watched
scrape watched
systemctl stop $unit pmu_exporter.socket
show stopped
dpkg -P pmu-exporter >>$OUT/dpkg 2>&1 || die "dpkg: $(cat $OUT/dpkg)"
rm -r /etc/systemd/system/pmu_exporter.service.d
busybox find / -xdev -name '*pmu?exporter*' ! -path '/guest/*' ! -path '/etc/sysctl.d/*' >$OUT/left
"""


class Service(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = FullGuest("service", units={"load.service": LOAD}).run(
            SCRIPT, three=THREE, bpf=BPF)

    def properties(self, name):
        return dict(line.split("=", 1) for line in self.results.text(f"{name}.state").splitlines()
                    if "=" in line)

    def messages(self):
        lines = self.results.text("journal.json").splitlines()
        return [json.loads(line) for line in lines]

    def test_purging_the_package_leaves_nothing(self):
        self.assertEqual(self.results.text("left"), "")

    def test_start_ends_when_it_is_ready(self):
        started = self.properties("started")
        self.assertEqual(started["ActiveState"], "active")
        self.assertIn("open counters", started["StatusText"])

    def test_it_has_a_user_two_capabilities_and_a_filter(self):
        status = dict(line.split(":\t", 1) for line in self.results.text("status").splitlines())
        self.assertNotIn("0", status["Uid"].split())
        both = 1 << 38 | 1 << 39  # CAP_PERFMON, CAP_BPF
        for which in ("CapEff", "CapPrm", "CapBnd", "CapAmb"):
            self.assertEqual(int(status[which], 16), both, which)
        self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(status["Seccomp"], "2")

    def test_the_default_counts_services_and_the_machine(self):
        scrape = self.results.scrape("default")
        cgroups = scrape.labels("pmu_cgroup_cycles_total", "cgroup")
        self.assertIn("/system.slice/systemd-journald.service", cgroups)
        self.assertIn("/system.slice/pmu_exporter.service", cgroups)
        self.assertGreater(scrape.value("pmu_machine_cycles_total"), 0)
        self.assertEqual(scrape.value("pmu_exporter_targets", kind="cgroup"), len(cgroups))
        self.assertFalse(scrape.find("pmu_exporter_targets_uncounted"))

    def test_all_three_scopes_count_hardware_events(self):
        name = "_instructions_user_total"
        before, after = (self.results.scrape(s) for s in ("before_load", "three"))
        truth = THREADS * LOOP
        cgroup = after.value("pmu_cgroup" + name, cgroup="/system.slice/load.service")
        process = after.value("pmu_process" + name, groupname="load")
        machine = (after.value("pmu_machine" + name) - before.value("pmu_machine" + name))
        print(f"beside {truth}: cgroup {cgroup - truth}, process {process - truth}, "
              f"machine {machine - truth}")
        self.assertGreaterEqual(machine, cgroup)
        self.assertGreaterEqual(cgroup, process)
        self.assertGreaterEqual(process, truth)
        self.assertLess(cgroup, truth * 1.1)

    def test_bpf_counts_with_these_capabilities_and_this_filter(self):
        name = "pmu_cgroup_instructions_user_total"
        after = self.results.scrape("bpf")
        info = "pmu_exporter_mechanism_info"
        reason = after.labels(info, "reason")
        if reason == {"built without libbpf"}:
            self.skipTest("built without libbpf")
        self.assertEqual(after.value(info, scope="cgroup", mechanism="bpf",
                                     reason="the self-test has passed"), 1,
                         reason)
        self.assertEqual(self.properties("bpf")["ReloadResult"], "success")
        truth, unit = THREADS * LOOP, "/system.slice/load.service"
        count = after.value(name, cgroup=unit)  # of a new birth
        self.assertGreater(after.value("pmu_cgroup_start_time_seconds", cgroup=unit),
                           self.results.scrape("three").value("pmu_cgroup_start_time_seconds",
                                                              cgroup=unit))
        print(f"by bpf, beside {truth}: {count - truth}")
        self.assertGreaterEqual(count, truth)
        self.assertLess(count, truth * 1.1)

    def test_a_reload_is_told_and_the_process_goes_on(self):
        started, reloaded = self.properties("started"), self.properties("reloaded")
        self.assertEqual(reloaded["MainPID"], started["MainPID"])
        self.assertEqual(reloaded["ActiveState"], "active")
        self.assertEqual(reloaded["ReloadResult"], "success")

    def test_a_bad_configuration_changes_nothing_but_what_tells_of_it(self):
        good = "pmu_exporter_config_last_reload_successful"
        name = "pmu_machine_instructions_user_total"
        values = [self.results.scrape(s).value(name)
                  for s in ("three", "bad_reload", "good_reload")]
        self.assertEqual(values, sorted(set(values)))
        self.assertEqual(self.results.scrape("bad_reload").value(good), 0)
        state = self.properties("bad_reload")
        self.assertEqual((state["ActiveState"], state["ReloadResult"]), ("active", "exit-code"))
        self.assertEqual(self.results.scrape("good_reload").value(good), 1)

    def test_the_socket_starts_it(self):
        self.assertEqual(self.results.text("before_activation").strip(), "inactive")
        self.assertEqual(self.properties("activated_by_socket")["ActiveState"], "active")

    def test_with_the_socket_a_restart_refuses_no_scrape(self):
        self.assertFalse((self.results.directory / "out/refused").exists())

    def test_the_watchdog_restarts_what_stands_still(self):
        activated, watched = self.properties("activated_by_socket"), self.properties("watched")
        self.assertEqual(int(watched["NRestarts"]), 1)
        self.assertNotEqual(watched["MainPID"], activated["MainPID"])
        self.assertEqual(watched["ActiveState"], "active")
        self.assertTrue([m for m in self.messages() if "Watchdog timeout" in str(m["MESSAGE"])])

    def test_it_ends_well(self):
        stopped = self.properties("stopped")
        self.assertEqual((stopped["ActiveState"], stopped["Result"]), ("inactive", "success"))

    def test_the_journal_has_priorities(self):
        ours = [m for m in self.messages() if m.get("_COMM") == "pmu_exporter"]
        levels = {"level=info": "6", "level=warn": "4", "level=error": "3"}
        found = set()
        for message in ours:
            level = next(l for l in levels if l in message["MESSAGE"])
            self.assertEqual(message["PRIORITY"], levels[level], message["MESSAGE"])
            found.add(level)
        self.assertEqual(found, set(levels))

    def test_the_log_tells_of_nothing_forbidden(self):
        for message in self.messages():
            self.assertNotRegex(str(message["MESSAGE"]), "SIGSYS|not permitted|not complete")


if __name__ == "__main__":
    live.main()
