# SPDX-License-Identifier: Apache-2.0
"""The same sources give the same packages, byte for byte, in another folder and at another time."""
import hashlib
import pathlib
import shutil
import tempfile
import unittest

import bare_debian
import live
import prepare

MADE = ("*.deb", "*.ddeb", "*.rpm")


def packages(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for pattern in MADE for path in folder.glob(pattern)}


class Reproducible(unittest.TestCase):
    def test_two_builds_are_equal(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pmu-test-packages-"))
        self.addCleanup(shutil.rmtree, folder)

        def left_out(place, names):
            """Of build/ only what the page's flame graphs are bundled into, which npm fetches."""
            is_build = pathlib.Path(place) == prepare.TOP / "build"
            return [name for name in names if name in ("node_modules", "__pycache__") or
                    (is_build and not name.startswith("flame-"))]

        shutil.copytree(prepare.TOP, folder / "elsewhere", symlinks=True, ignore=left_out)
        prepare.build(folder / "made", top=folder / "elsewhere")
        first, second = packages(bare_debian.packages()), packages(folder / "made")
        self.assertEqual(len(first), 10)
        self.assertEqual(first, second)


if __name__ == "__main__":
    live.main()
