# SPDX-License-Identifier: Apache-2.0
"""A process whose system calls are known, and perf beside it."""
import sys

import live
from line_program import LineProgram
from open_perf import OpenPerf

CALLS_OF_CHILD = 25

# Calls without arguments, or with 0, which glibc makes as they are called.
MIXED = ("getppid", "getuid", "getgid", "geteuid", "getegid", "gettid", "sched_yield", "getsid")

# It enters a cgroup, has a name, and does what each line says; then it waits, so that nothing
# happens in it while it is scraped. Of fork, each child makes calls of its own.
CALLER = """import ctypes, mmap, os, struct, sys, threading, time
libc = ctypes.CDLL(None)

class Timespec(ctypes.Structure):
    _fields_ = [("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long)]

open(sys.argv[1] + "/cgroup.procs", "w").write("0")
open("/proc/self/comm", "w").write(sys.argv[2])
print("ready", flush=True)

def getppid(n):
    for _ in range(n):
        libc.getppid()

# of ten processes in turn
def getpgid(n):
    for i in range(n):
        libc.getpgid(i % 10 + 1)

def dup(n):
    for _ in range(n):
        libc.dup(-1)

def fork(n):
    for _ in range(n):
        pid = os.fork()
        if pid == 0:
            getppid(int(sys.argv[3]))
            os._exit(0)
        os.waitpid(pid, 0)

def sleep(n):
    time = Timespec(0, int(0.02 * 1e9))
    for _ in range(n):
        libc.clock_nanosleep(1, 0, ctypes.byref(time), None)

def naps(n):
    for i in range(n):
        time = Timespec(0, 100000 << i % 8)
        libc.clock_nanosleep(1, 0, ctypes.byref(time), None)

def burn(milliseconds):
    end = time.process_time() + milliseconds / 1000
    while time.process_time() < end:
        pass

def mixed(n, kinds):
    calls = [lambda name=name: getattr(libc, name)(0) for name in sys.argv[4].split(",")[:kinds]]
    for _ in range(n):
        for call in calls:
            call()

def mixed2(n):
    mixed(n, 2)

def mixed4(n):
    mixed(n, 4)

def mixed8(n):
    mixed(n, 8)

def killed(n):
    for _ in range(n):
        pid = os.fork()
        if pid == 0:
            libc.clock_nanosleep(1, 0, ctypes.byref(Timespec(1000, 0)), None)
        while open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()[0] != "S":
            os.sched_yield()
        os.kill(pid, 9)
        os.waitpid(pid, 0)

def execute(n):
    for _ in range(n):
        os.waitpid(os.posix_spawn("/bin/true", ["true"], {}), 0)

# Another thread than the first one executes a program; later its number is that of a process which
# may execute nothing.
def renumbered(n):
    for _ in range(n):
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            def execute():
                os.write(write, b"%d" % threading.get_native_id())
                os.execv("/bin/true", ["true"])
            thread = threading.Thread(target=execute)
            thread.start()
            thread.join()
        number = ctypes.c_int(int(os.read(read, 16)))
        os.waitpid(pid, 0)
        refuse_to_execute(ctypes.c_int(number.value))

# clone3() with set_tid; then prctl(PR_SET_NO_NEW_PRIVS) and prctl(PR_SET_SECCOMP)
def refuse_to_execute(number):
    arguments = (ctypes.c_uint64 * 11)()
    arguments[4] = 17 # SIGCHLD
    arguments[8], arguments[9] = ctypes.addressof(number), 1
    execve = {"x86_64": 59, "aarch64": 221}[os.uname().machine]
    code = b"".join(struct.pack("HBBI", *line) for line in (
        (0x20, 0, 0, 0), (0x15, 0, 1, execve), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)))
    kept = ctypes.create_string_buffer(code, len(code))
    filter = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 4, ctypes.addressof(kept)))
    pid = libc.syscall(ctypes.c_long(435), arguments, ctypes.c_long(88))
    if pid == 0:
        libc.prctl(38, 1, 0, 0, 0)
        libc.prctl(22, 2, filter, 0, 0)
        os._exit(libc.execve(b"/bin/true", None, None) + 1)
    if pid != number.value or os.waitpid(pid, 0)[1] != 0:
        raise OSError(ctypes.get_errno(), "a process of that number")

def numbers(n):
    for i in range(n):
        for number in range(480, 1000), (-1, 0xffffffff, 0x40000027, 1 << 30):
            for call in number:
                libc.syscall(ctypes.c_long(call), 0, 0, 0, 0, 0, 0)

def compat(n):
    # mov eax, 20 (getpid); int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(bytes([0xb8, 20, 0, 0, 0, 0xcd, 0x80, 0xc3]))
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    for _ in range(n):
        function()

for line in sys.stdin:
    name, n = line.split()
    globals()[name](int(n))
    print("done", flush=True)
"""


class Caller(LineProgram):
    def __init__(self, cgroup, comm):
        super().__init__([sys.executable, "-c", CALLER, cgroup, comm, str(CALLS_OF_CHILD),
                          ",".join(MIXED)])
        live.wait_until_it_reads(self.pid)

    def run(self, name, n):
        if self.ask(f"{name} {n}") != "done":
            raise AssertionError(f"the caller has ended: {self.process.stderr.read()}")
        live.wait_until_it_reads(self.pid)


class PerfStat(OpenPerf):
    """`perf stat` of a process and those that it starts; behind the block it has `enters`."""

    def __init__(self, pid):
        super().__init__("stat", "-x;", "-e", "raw_syscalls:sys_enter", "-p", str(pid))

    def __exit__(self, *_):
        super().__exit__()
        self.enters = live.perf_stat_counts(self.text)["raw_syscalls:sys_enter"]
