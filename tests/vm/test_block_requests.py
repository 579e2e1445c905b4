# SPDX-License-Identifier: Apache-2.0
"""Requests of null_blk in a guest where nobody else makes any: perf counts the same ones, those that
fail and those that are written back later have their owners, and what the program adds to a request,
in instructions.

At a nanosecond an instruction the guest's clock is a count of them.
"""
import re
import unittest

import live
from block_requests import (BYTES, DISCARD, FIRST, FLUSH, READ, REST, WRITE, Counted, assert_known)
from guest import Guest

SLOW_NS = 35 * 10 ** 8  # longer than the programs take to load
SLOW_BUCKET = 22  # above 2 s, up to 4 s
PLACES = 4096  # of requests on their way that a machine of so few CPUs remembers
CROWD = 6000
READS = 2000
# Measured: a read takes 5,070; the program adds 1,340, of which the second program that sees a
# completion within another one is 187, perf stat of both tracepoints 985, and perf record 3,981.
MOST_INSTRUCTIONS = 1440
SCRIPT = f"""
enable_counting
echo '+io +memory' >$cgroups/cgroup.subtree_control
make_cgroup /a; make_cgroup /b
mount -t tracefs tracefs /sys/kernel/tracing
insmod /modules/configfs.ko
insmod /modules/null_blk.ko nr_devices=0
mount -t configfs configfs /sys/kernel/config
install_perf

# make_disk NAME ATTRIBUTE=VALUE...: makes /dev/NAME
make_disk() {{
    disk=/sys/kernel/config/nullb/$1
    name=$1
    shift
    mkdir $disk
    for attribute in size=64 blocksize=512 $*; do
        echo ${{attribute#*=}} >$disk/${{attribute%%=*}}
    done
    echo 1 >$disk/power
    cat /sys/class/block/$name/dev >$OUT/$name.number
}}
requests() {{
    name=$1
    shift
    block_requests "$@" >$OUT/$name || [ $? -eq 77 ] || die "$(cat $OUT/$name)"
}}
make_disk memory memory_backed=1 discard=1 cache_size=8
make_disk bad badblocks=+80-87
make_disk slow irqmode=2 completion_nsec={SLOW_NS}
make_disk fast
make_disk crowd irqmode=2 completion_nsec={SLOW_NS} hw_queue_depth=8192
echo none >/sys/block/crowd/queue/scheduler

read_ahead /tmp/bin/block_requests
a=$cgroups/a b=$cgroups/b
LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf stat -x ';' -a -e block:block_rq_complete -o $OUT/perf -- \\
    block_requests -c $a -c $b /dev/fast load move=$a read=1000 move=$b write=500 >$OUT/counted ||
    [ $? -eq 77 ] || die "$(cat $OUT/counted)"
requests operations -c $a /dev/memory load move=$a write=20 read=30 discard=10 flush=4
requests failing -c $a /dev/bad load move=$a read=30

block_requests /dev/slow read=1 >/dev/null &
early=$!
until grep -q '[1-9]' /sys/class/block/slow/inflight; do sleep 0.01; done
requests slow -c $a /dev/slow load move=$a read=1
wait $early

requests crowd -c $a /dev/crowd load move=$a together={CROWD} at=0 write=5

mkfifo /tmp/go
requests later -c $a /dev/memory load move=$a buffered=64 wait </tmp/go &
later=$!
exec 3>/tmp/go
until grep -q waiting $OUT/later; do sleep 0.1; done
sync
echo >&3
wait $later

requests cost /dev/fast read=200 read={READS} load read=200 read={READS}
for peer in record stat; do
    output=$([ $peer = stat ] || echo -o /tmp/perf.data)
    LD_LIBRARY_PATH=/tmp/perf /tmp/perf/perf $peer -a $output \\
        -e block:block_rq_issue -e block:block_rq_complete -- \\
        block_requests /dev/fast read=200 read={READS} >$OUT/$peer 2>/dev/null
done
"""


class BlockRequests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.results = Guest("block_requests").run(SCRIPT)
        if "built without" in cls.results.text("counted"):  # another refusal is a fault
            raise unittest.SkipTest(cls.results.text("counted"))

    def counted(self, name):
        return Counted(self.results.text(name))

    def number(self, disk):
        return self.results.text(disk + ".number").strip()

    def test_they_are_as_many_as_perf_counts(self):
        counted, number = self.counted("counted"), self.number("fast")
        assert_known(self, counted, FIRST, READ, number, 1000)
        assert_known(self, counted, FIRST + 1, WRITE, number, 500)
        of_perf = int(re.search(r"^(\d+);", self.results.text("perf"), re.MULTILINE)[1])
        self.assertEqual(sum(cell.requests for cell in counted.cells.values()), of_perf)

    def test_each_operation_is_told_apart(self):
        counted, number = self.counted("operations"), self.number("memory")
        assert_known(self, counted, FIRST, WRITE, number, 20)
        assert_known(self, counted, FIRST, READ, number, 30)
        assert_known(self, counted, FIRST, DISCARD, number, 10)
        assert_known(self, counted, REST, FLUSH, number, 4, transfers=False)
        self.assertEqual(len(counted.cells), 4, counted.text)

    def test_those_of_bad_blocks_are_errors(self):
        counted, number = self.counted("failing"), self.number("bad")
        cell = counted.cell(FIRST, READ, number)
        self.assertEqual(counted.failed("read"), 1)
        self.assertEqual((cell.requests, cell.errors), (30, 1), counted.text)

    def test_of_one_that_was_given_to_the_device_before_no_latency_is_known(self):
        counted, number = self.counted("slow"), self.number("slow")
        before = counted.cell(REST, READ, number)
        self.assertEqual((before.requests, before.bytes, before.unknown), (1, BYTES, 1),
                         counted.text)
        self.assertEqual((before.latency.count, before.queued.count), (0, 0))
        cell = counted.cell(FIRST, READ, number)
        self.assertEqual((cell.requests, cell.latency.count, cell.unknown), (1, 1, 0))
        self.assertGreaterEqual(cell.latency.sum_ns, SLOW_NS)
        self.assertEqual(cell.latency.buckets[SLOW_BUCKET], 1)

    def test_of_more_at_once_than_can_be_remembered_none_is_lost(self):
        counted, number = self.counted("crowd"), self.number("crowd")
        self.assertEqual(counted.failed("together"), 0, counted.text)
        cell = counted.cell(FIRST, READ, number)
        self.assertEqual((cell.requests, cell.bytes, cell.errors), (CROWD, CROWD * BYTES, 0))
        self.assertEqual(cell.latency.count + cell.unknown, CROWD)
        self.assertGreaterEqual(cell.unknown, CROWD - PLACES)
        self.assertGreater(cell.latency.count, PLACES // 2)
        self.assertGreaterEqual(cell.latency.sum_ns, cell.latency.count * SLOW_NS)
        assert_known(self, counted, FIRST, WRITE, number, 5)

    def test_what_is_written_back_later_belongs_to_the_cgroup_that_wrote_it(self):
        counted, number = self.counted("later"), self.number("memory")
        self.assertEqual(counted.cell(FIRST, WRITE, number).bytes, 64 * BYTES, counted.text)
        self.assertNotIn((REST, WRITE), counted.of_device(number))

    def test_the_program_adds_few_instructions(self):
        took = {name: [int(ns) // READS for ns in
                       re.findall(rf"^read {READS} failed 0 took (\d+)$", self.results.text(name),
                                  re.MULTILINE)] for name in ("cost", "record", "stat")}
        without, with_program = took["cost"]
        print(f"a read of 4 KiB: {without} instructions; with the program "
              f"{with_program - without:+}, perf stat of both tracepoints "
              f"{took['stat'][0] - without:+}, perf record {took['record'][0] - without:+}")
        self.assertLess(with_program - without, MOST_INSTRUCTIONS)


if __name__ == "__main__":
    live.main()
