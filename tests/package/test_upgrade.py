# SPDX-License-Identifier: Apache-2.0
"""The upgrade from the version before, whose packages are built from the history of the sources."""
import pathlib
import shutil
import tempfile

import bare_debian
import live
import prepare
from installed import MARK, Installed

# The commit whose packages users have who have not upgraded yet; it moves with each release.
BEFORE = "e36a7346710bee19f8ca9db3101fd172b9e913d4"


class Upgrade(Installed):
    def sources(self, folder):
        """The sources of then, and what the page's flame graphs are bundled into, which npm fetches."""
        git = ["git", "-c", "safe.directory=*"]
        if not (prepare.TOP / ".git").exists():
            self.skipTest("the sources have no history")
        bare_debian.run(*git, "clone", "-q", "--no-checkout", prepare.TOP, folder)
        bare_debian.run(*git, "checkout", "-q", BEFORE, cwd=folder)
        for bundle in (prepare.TOP / "build").glob("flame-*"):
            shutil.copytree(bundle, folder / "build" / bundle.name, ignore=lambda place, names: [
                name for name in names if name == "node_modules"])
        return folder

    def test_it_keeps_configuration_and_state_and_tells_that_totals_are_new(self):
        live.need("systemd-nspawn", "nsenter", "git")
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pmu-test-packages-"))
        self.addCleanup(shutil.rmtree, folder)
        prepare.build(folder / "made", top=self.sources(folder / "sources"))
        before, now = bare_debian.find("pmu-exporter", folder / "made"), bare_debian.find("pmu-exporter")
        self.boot()
        self.machine.install(before)
        self.check_that_it_counts_at_once()
        self.machine.run("pmutool", "mark", MARK)
        self.check_upgrade(now)
        self.assertEqual(self.machine.run("dpkg-query", "-W", "-f", "${Version}", "pmu-exporter"),
                         bare_debian.fields(now)["Version"])
        self.machine.install(before)  # taken back
        self.wait_until_ready()
        self.check_state(private=False)


if __name__ == "__main__":
    live.main()
