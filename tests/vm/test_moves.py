# SPDX-License-Identifier: Apache-2.0
"""A task that is moved to another cgroup while it runs is charged to the new one from then on.

tests/support/mechanisms.c counts the same cgroups by both mechanisms at once. By direct the kernel
makes the CPU of whoever is moved look at once; the program of bpf notes when the move was.
"""
import statistics
import unittest

import live
from guest import Guest

NAMES = "abcdefgh"
LOOP = 64 * 6_000_000 + 4  # at 8 ns an instruction: three seconds
FAMILY = 64 * 2_000_000
MOVES = 7
FOR_EVER = 64 * 10 ** 9 + 4
V2 = """
enable_counting
kind=
"""
V1 = """
cgroups=/tmp/v1
kind=v1
mkdir $cgroups
mount -t cgroup -o perf_event v1 $cgroups
"""
BEGIN = f"""
make_cgroup /rest
mkfifo /tmp/commands
mechanisms $kind hardware </tmp/commands >$OUT/answers 2>$OUT/exporter.log &
exec 3>/tmp/commands
asked=0
ask() {{ # LINE WORD: the answer's last
    asked=$((asked + 1))
    echo "$1" >&3
    until [ "$(grep -c "^$2\\$" $OUT/answers)" -ge "$asked" ]; do
        ! grep -q . $OUT/exporter.log || die "mechanisms"
        sleep 0.05
    done
}}
for name in {' '.join(NAMES)}; do
    make_cgroup /$name
    ask "add $cgroups/$name" added
done
asked=0
ask read done
procs() {{
    echo "$cgroups/$1/cgroup.procs"
}}
"""
END = """
ask read done
exec 3>&-
wait
"""
# Half way; four times, also to where it was; all threads of a process; by itself. Nobody looks.
ONE_CPU = BEGIN + f"""
known_load $(procs a) $(procs rest) {LOOP} & loop=$!
sleep 0.5
echo $loop >$(procs b)
wait $loop

known_load $(procs c) $(procs rest) {LOOP} & loop=$!
for to in d c d c; do
    sleep 0.15
    echo $loop >$(procs $to)
done
wait $loop

(enter /e known_family 1 3 {FAMILY}) & loop=$!
sleep 0.5
for process in $(pidof known_family); do
    echo $process >$(procs f)
done
wait $loop

sh -c 'echo 0 >$0; i=0; while [ $i -lt 500 ]; do i=$((i+1)); done
       echo 0 >$1; while [ $i -lt 2000 ]; do i=$((i+1)); done' $(procs g) $(procs h)
""" + END
# From one CPU to the other, on which it goes on without a switch. Stopped while both are read.
TWO_CPUS = BEGIN + f"""
taskset -p 1 $$ >/dev/null
taskset -c 1 known_load $(procs a) $(procs rest) {FOR_EVER} & loop=$!
sleep 0.1
for i in $(seq {MOVES}); do
    sleep 0.2
    echo $loop >$(procs b)
    sleep 0.2
    kill -s STOP $loop
    sleep 0.1
    ask read done
    echo $loop >$(procs a)
    kill -s CONT $loop
done
kill -s KILL $loop
wait $loop || true
""" + END


def read(results):
    """User instructions in each reading: {(cgroup, mechanism): total}."""
    readings = [{}]
    for line in results.text("answers").splitlines():
        index, *words = line.split()
        if index.isdigit():
            readings[-1][NAMES[int(index)], words[0]] = int(words[1])
        elif index == "done":
            readings.append({})
    return readings[:-1]


class OneCpu(unittest.TestCase):
    """Exact to the instruction: who moves another must run, and so a switch tells."""
    hierarchy = V2

    @classmethod
    def setUpClass(cls):
        results = Guest(f"moves_{cls.__name__}", shift=3).run(cls.hierarchy + ONE_CPU)
        cls.totals = read(results)[-1]

    def check(self, *names):
        """Their user instructions by bpf are direct's. Their sum."""
        for name in names:
            print(f"{name}: {self.totals[name, 'direct']}")
            self.assertGreater(self.totals[name, "direct"], 0)
            self.assertEqual(self.totals[name, "bpf"], self.totals[name, "direct"], name)
        return sum(self.totals[name, "bpf"] for name in names)

    def test_a_task_moved_half_way_is_charged_to_both(self):
        self.assertEqual(self.check("a", "b"), LOOP)

    def test_a_task_moved_to_and_fro_is_charged_to_both(self):
        self.assertEqual(self.check("c", "d"), LOOP)

    def test_threads_moved_together_are_charged_to_both(self):
        self.assertGreaterEqual(self.check("e", "f"), 3 * FAMILY)

    def test_a_task_that_moves_itself_is_charged_to_both(self):
        self.check("g", "h")


class OneCpuV1(OneCpu):
    """perf_event has a hierarchy of its own."""
    hierarchy = V1


class TwoCpus(unittest.TestCase):
    """What the task counted from the last look to the next is divided by time. The emulator gives
    its CPUs turns of 100 ms, and between the moment at which direct changes over and the one that
    we are told lies a turn, or two, or on a busy host once in a while three: so the middle one of
    the moves may be off by a turn and a half, and no more."""
    NEAR = 20_000_000  # 0.15 s

    @classmethod
    def setUpClass(cls):
        results = Guest("moves_TwoCpus", cpus=2, shift=3).run(V2 + TWO_CPUS)
        cls.readings = read(results)

    def errors(self, name):
        """Of each move: instructions by bpf beyond direct's."""
        more = [r[name, "bpf"] - r[name, "direct"] for r in self.readings[:MOVES + 1]]
        return [after - before for before, after in zip(more, more[1:])]

    def test_a_task_moved_by_another_cpu_is_charged_to_both(self):
        last = self.readings[MOVES]
        for name in "ab":
            self.assertGreater(last[name, "direct"], 10 * self.NEAR)
            print(f"{name}: {last[name, 'direct']}, beyond it by bpf {self.errors(name)}")
            self.assertLess(statistics.median(map(abs, self.errors(name))), self.NEAR)

    def test_nothing_is_lost_between_them(self):
        last = self.readings[MOVES]
        direct, bpf = (sum(last[name, by] for name in "ab") for by in ("direct", "bpf"))
        self.assertAlmostEqual(bpf, direct, delta=direct * 0.001)


if __name__ == "__main__":
    live.main()
