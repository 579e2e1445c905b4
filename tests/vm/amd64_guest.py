# SPDX-License-Identifier: Apache-2.0
"""A guest with an emulated processor of AMD that has SVM, so that KVM works in it: kvm is a module
there, which the script loads. It has no PMU. What runs in it are the programs of the build for this
machine, with its libraries, so it takes an x86-64 machine.

    results = Amd64Guest("name").run(script)
"""
import hashlib
import pathlib
import platform
import shutil
import tempfile

import guest
import guest_root

KERNEL = "linux-image-amd64"
LIBRARIES = "/usr/lib/x86_64-linux-gnu"
# In the order in which they are loaded; of the last ones the script decides.
AT_ONCE = ("virtio_ring", "virtio", "virtio_pci_modern_dev", "virtio_pci_legacy_dev", "virtio_pci",
           "netfs", "fscache", "9pnet", "9pnet_virtio", "9p")
OF_KVM = ("irqbypass", "kvm", "ccp", "kvm-amd")
FOLDERS = ("bin", "dev", "lib/x86_64-linux-gnu", "lib64", "modules", "proc", "programs", "sys", "t",
           "tmp", "usr/bin")
INIT = f"""#!/bin/sh
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
for module in {' '.join(AT_ONCE)}; do
    insmod "/modules/$module.ko"
done
share() {{
    mount -t 9p -o "trans=virtio,version=9p2000.L,msize=262144,$3" "$1" "$2"
}}
share test /t rw
share libraries /lib/x86_64-linux-gnu ro,cache=loose
share programs /programs ro,cache=loose
share perf /usr/bin ro,cache=loose
ip link set lo up
timeout -s KILL 1000000 sh /t/run
echo $? >/t/status
cp -r /tmp/out/. /t/out
poweroff -f
"""
BEGINNING = f"""
PATH=/programs:$PATH:/usr/bin
mkdir $OUT
load_kvm() {{
    for module in {' '.join(OF_KVM)}; do
        insmod "/modules/$module.ko"
    done
}}
"""


def kernel_packages():
    listing = guest_root.apt_cache("depends", KERNEL)
    return {word for word in listing.split() if word.startswith("linux-image-6")}


def make(packages, work, ret):
    archives = guest_root.download(packages, work)
    initial = work / "initial"
    for folder in FOLDERS:
        (initial / folder).mkdir(parents=True)
    for archive in archives:
        if archive.name.startswith("busybox"):
            guest_root.unpack(archive, initial, "./bin/busybox")
            continue
        guest_root.unpack(archive, work / "kernel", "./boot/vmlinuz-*",
                          *(f"*/{name}.ko" for name in AT_ONCE + OF_KVM))
    shutil.copy(next((work / "kernel/boot").glob("vmlinuz-*")), ret / "kernel")
    for name in AT_ONCE + OF_KVM:
        shutil.copy(next((work / "kernel").rglob(f"{name}.ko")), initial / "modules")
    (initial / "bin/sh").symlink_to("busybox")
    (initial / "init").write_text(INIT)
    (initial / "init").chmod(0o755)
    (initial / "lib64/ld-linux-x86-64.so.2").symlink_to(
        "/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2")
    guest_root.pack(initial, ret / "initial")


def amd64_root():
    """The folder with kernel and initial. It is made if it is not there, or Missing is raised."""
    packages = kernel_packages() | {"busybox-static:amd64"}
    cache = guest_root.cache_directory()
    parts = [repr(guest_root.versions_of(packages)), pathlib.Path(__file__).read_text()]
    root = cache / f"amd64-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:16]}"
    with guest_root.locked(cache):
        if not root.is_dir():
            with tempfile.TemporaryDirectory(dir=cache) as work:
                made = pathlib.Path(work) / "made"
                made.mkdir()
                make(packages, pathlib.Path(work), made)
                made.rename(root)
    return root


class Amd64Guest(guest.Guest):
    def __init__(self, name):
        super().__init__(name)
        self.programs = guest.build_directory().parent / "bin"

    def find_root(self, root):
        if platform.machine() != "x86_64":
            return guest.missing("this machine has no programs of x86-64")
        if not shutil.which("qemu-system-x86_64"):
            return guest.missing("qemu-system-x86_64 is not installed (qemu-system-x86)")
        try:
            return amd64_root()
        except guest_root.Missing as what:
            return guest.missing(str(what))

    def beginning(self):
        return guest.shell_library() + BEGINNING

    def shares(self):
        return {"test": (self.directory, ""), "libraries": (LIBRARIES, ",readonly=on"),
                "programs": (self.programs, ",readonly=on"),
                "perf": ("/usr/bin", ",readonly=on")}

    def command(self):
        words = ["qemu-system-x86_64", "-M", "q35", "-cpu", "EPYC,+svm", "-nographic", "-icount",
                 "shift=0,sleep=off", "-smp", "1", "-m", str(self.memory), "-display", "none",
                 "-monitor", "none", "-no-reboot", "-nodefaults", "-serial",
                 f"file:{self.directory / 'serial'}", "-kernel", str(self.root / "kernel"),
                 "-initrd", str(self.initial()), "-append",
                 "console=ttyS0 loglevel=4 panic=-1 mitigations=off"]
        for tag, (path, more) in self.shares().items():
            words += ["-fsdev", f"local,id={tag},path={path},security_model=none{more}",
                      "-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        return words
