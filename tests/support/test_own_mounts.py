# SPDX-License-Identifier: Apache-2.0
"""Mounts of one program, in roots of both kinds; each test is in a mount namespace of its own."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import own_mounts

HERE = pathlib.Path(__file__).resolve().parent
SEEN = "findmnt -n -o FSTYPE --target /sys/kernel"
# A root that is a directory like any other, with what programs need bound below it. All of it is in
# a tmpfs of this namespace, so that nothing of it can be removed with the directory.
CHROOT = """
mount -t tmpfs none "$directory"
root=$directory/root
mkdir "$root"
for name in usr lib lib64 bin etc proc sys root; do
    if [ -L /$name ]; then ln -s usr/$name "$root/$name"
    elif [ -d /$name ]; then
        mkdir "$root/$name"; mount --rbind /$name "$root/$name"; mount --make-rshared "$root/$name"
    fi
done
mkdir "$root/support" "$root/tmp"
mount --bind "$support" "$root/support"
exec chroot "$root" """
WRAPPED = """
import subprocess, sys
sys.path.insert(0, sys.argv[1])
import own_mounts
print(own_mounts.mount_of("/"))
for wrapper in (), own_mounts.own_mounts("/sys/kernel", "mount -t tmpfs none /sys/kernel"), ():
    subprocess.run([*wrapper, *sys.argv[2:]], check=True)
subprocess.run([*own_mounts.UNSHARE_PIDS, "sh", "-c", "echo $$ $(ls -d /proc/[0-9]* | wc -l)"],
               check=True)
"""


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("unshare"), "needs root and unshare")
class OwnMounts(unittest.TestCase):
    def run_in(self, command, support):
        """What was mounted at SEEN's target before, within and after, behind the root's mount."""
        directory = tempfile.mkdtemp()
        self.addCleanup(os.rmdir, directory)
        environment = {**os.environ, "support": str(HERE), "directory": directory}
        done = subprocess.run(["unshare", "--mount", "sh", "-e", "-c", f'{command}"$@"', "sh",
                               "/usr/bin/python3", "-B", "-c", WRAPPED, support, *SEEN.split()],
                              capture_output=True, text=True, timeout=120, env=environment)
        if "cannot change root filesystem propagation" in done.stderr:
            self.skipTest("the root is no mount point, so no other root can be made in private")
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.split("\n")

    def check(self, command, support, root):
        seen, before, within, after, pids, _ = self.run_in(command, support)
        self.assertEqual(seen, root)
        self.assertEqual((within, after), ("tmpfs", before))
        self.assertNotEqual(before, "tmpfs")
        self.assertEqual(pids.split()[0], "1", "the first of its process numbers")

    def test_a_root_that_is_a_mount_point(self):
        self.check("exec ", str(HERE), "/")

    def test_a_root_that_is_none_with_mounts_that_are_shared(self):
        self.check(CHROOT, "/support", "None")

    def test_mount_points_may_have_any_name(self):
        self.assertEqual(own_mounts.mount_points("1 0 0:1 / / rw\n2 1 0:2 / /a\\040b rw\n"),
                         ["/", "/a b"])


if __name__ == "__main__":
    unittest.main()
