#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Formats, builds, lints and tests what has changed, in seconds.

    tests/changed.py [--base REVISION] [--preset NAME]

What has changed are the files that differ from a revision: from --base, or from the last commit if
something is not committed, or from where the branch left its upstream, or from the commit before.
C files are rewritten by clang-format. Of the tests those run that TESTS chooses: of a layer all its
unit tests. What needs longer (live tests, guests, fuzzing) is not run: before something is landed,
tests/run.py runs all. The status is 0 if everything passed.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import time

TOP = pathlib.Path(os.environ.get("PMU_TEST_SOURCE", pathlib.Path(__file__).resolve().parents[1]))
# What a changed file (whole path) asks for: tests by a pattern of their names.
TESTS = (
    (r".*", "lint/(sources|maps)"),
    (r"(src|include)/.*\.[ch]", "lint/(layers|circles)"),
    (r"(src|include)/.*\.h", "lint/headers"),
    (r"(?:src|include|tests)/(\w+)/.*\.[ch]", r"\1/.*"),
    (r"tests/(\w+)/.*\.py", r"\1/.*"),
    (r"tests/.*\.py", "lint/python"),
    (r"tests/support/.*", "support(/.*)?"),
    (r"tests/[^/]*\.py|tests/lint/.*|quickstart|README\.md", "lint/scripts"),
    (r"quickstart|\.ci/run|tests/vm/(init|.*\.sh)", "lint/shellcheck"),
    (r"src/man/.*", "lint/man-.*"),
    (r"systemd/.*", "lint/units"),
    (r"config/package/.*", "lint/shellcheck.*"),
    (r"config/kubernetes/.*", "lint/shellcheck|kubernetes/.*"),
    (r"dashboards/(rules|runbooks)/.*", "rules/.*"),
    (r"dashboards/mixin/.*", "rules/mixin|lint/jsonnetfmt"),
    (r"dashboards/.*", "dashboards/.*"),
)
QUICK = {"unit", "lint"}  # labels
SLOW = {"lint/clang-tidy", "lint/clang-format"}  # done here for what has changed
PROGRAMS = ("pmu_exporter", "pmutool")


class Failed(Exception):
    """A step has failed; what it has printed."""


def run(*words):
    done = subprocess.run(words, cwd=TOP, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        raise Failed(f"{done.stdout}{done.stderr}")
    return done.stdout


def git_names(*words):
    return {name for name in run("git", *words, "-z").split("\0") if name}


def find_base():
    """The last commit if something differs from it; what is compared with otherwise."""
    if run("git", "status", "--porcelain"):
        return "HEAD"
    try:
        left = run("git", "merge-base", "HEAD", "@{upstream}").strip()
    except Failed:
        left = ""
    return left if left not in ("", run("git", "rev-parse", "HEAD").strip()) else "HEAD~1"


def find_changed(base):
    names = git_names("diff", "--name-only", "--diff-filter=d", base)
    return sorted(names | git_names("ls-files", "--others", "--exclude-standard"))


def includers(changed):
    """The C files below tests/ that include a changed header of the tests, be it by another."""
    found, left = set(), [n.removeprefix("tests/") for n in changed if re.match(r"tests/.*\.h", n)]
    texts = {str(p.relative_to(TOP)): p.read_text() for p in TOP.glob("tests/*/**/*.[ch]")}
    while left:
        wanted = f'"{left.pop()}"'
        for name, text in texts.items():
            if wanted in text and name not in found:
                found.add(name)
                left.append(name.removeprefix("tests/"))
    return found


def choose(changed, tests):
    """The quick tests, of {name: labels}, that these files ask for."""
    patterns = {match.expand(pattern) for name in changed for file, pattern in TESTS
                if (match := re.fullmatch(file, name))}
    return sorted(name for name, labels in tests.items()
                  if labels & QUICK and "long" not in labels and name not in SLOW
                  and any(re.fullmatch(pattern, name) for pattern in patterns))


def format_files(changed):
    files = [name for name in changed if re.fullmatch(r"(src|include|tests)/.*\.[ch]", name)]
    before = {name: (TOP / name).read_bytes() for name in files}
    if files:
        run("clang-format", "-i", *files)
    rewritten = [name for name in files if (TOP / name).read_bytes() != before[name]]
    return f"{len(files)} files" + "".join(f"\n    rewritten: {name}" for name in rewritten)


class Build:
    """What is built of a preset, and the tests that it has."""

    def __init__(self, preset):
        self.preset, self.directory, self.commands = preset, TOP / "build" / preset, {}

    def make(self, targets):
        run("cmake", "--build", "--preset", self.preset, "--target", *targets)

    def make_programs(self):
        """The programs, and with them each layer. Configures before, if that was not done, or was
        done without tests, as quickstart does: those of another time would be run as they are."""
        cache = self.directory / "CMakeCache.txt"
        if (not (self.directory / "build.ninja").is_file()
                or re.search(r"^BUILD_TESTING:\w+=OFF$", cache.read_text(), re.MULTILINE)):
            run("cmake", "--preset", self.preset, "-DBUILD_TESTING=ON")
        self.make(PROGRAMS)

    def list_tests(self):
        """{name: labels}; the commands are kept."""
        found = {}
        listing = run("ctest", "--preset", self.preset, "--show-only=json-v1")
        for test in json.loads(listing)["tests"]:
            properties = {p["name"]: p["value"] for p in test["properties"]}
            found[test["name"]] = set(properties.get("LABELS", []))
            self.commands[test["name"]] = test.get("command", [])
        return found

    def make_tests(self, names):
        """What those are that are programs of their own."""
        known = run("ninja", "-C", str(self.directory), "-t", "targets", "all")
        programs = ["bin/" + kind + re.sub("^fuzz/", "", name).replace("/", "_")
                    for name in names for kind in ("test_", "replay_")]
        self.make([p for p in programs if f"\n{p}: " in known] or PROGRAMS)

    def tidy(self, changed):
        """clang-tidy as lint/clang-tidy has it, which ends in a pattern of sources; of a header the
        source beside it."""
        words = self.commands.get("lint/clang-tidy", [])
        sources = {re.sub(r"^(?:src|include)/(.*)\.[ch]$", r"src/\1.c", name) for name in changed}
        sources = sorted(n for n in sources if re.fullmatch(r"src/.*(?<!\.bpf)\.c", n)
                         and (TOP / n).is_file())
        if sources and words:
            run(*words[:-1], *(f"{re.escape(str(TOP / name))}$" for name in sources))
        return f"{len(sources)} sources" if words else "this preset has none"

    def test(self, names):
        wanted = "^(" + "|".join(map(re.escape, names)) + ")$"
        text = run("ctest", "--preset", self.preset, "-R", wanted, "-j", str(os.cpu_count() or 1))
        skipped = re.findall(r"Test +#\d+: (\S+) .*\*\*\*Skipped", text)
        return f"{len(names)} tests" + "".join(f"\n    skipped: {name}" for name in skipped)


def take_step(name, function, *arguments):
    """Shows what came of it; whether it passed."""
    began = time.monotonic()
    try:
        told, passed = function(*arguments), True
    except (Failed, OSError) as error:
        told, passed = f"FAILED\n{error}", False
    print(f"{name}: {told or 'done'} ({time.monotonic() - began:.1f} s)", flush=True)
    return passed


def check(changed, preset):
    build = Build(preset)
    good = take_step("format", format_files, changed)
    if not take_step("build", build.make_programs):
        return False
    tests = build.list_tests()
    names = choose([*changed, *includers(changed)], tests)
    if not take_step("build tests", build.make_tests, names):
        return False
    good &= take_step("clang-tidy", build.tidy, changed)
    good &= not names or take_step("test", build.test, names)
    for name in changed:
        slow = re.sub(r"tests/(\w+)/test_(\w+)\.py", r"\1/\2", name)
        if slow in tests and slow not in names:
            print(f"not run here: ctest --preset {preset} -R ^{slow}$")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--base", help="compare with this revision")
    parser.add_argument("--preset", default="release")
    options = parser.parse_args()
    base = options.base or find_base()
    changed = find_changed(base)
    print(f"{len(changed)} files differ from {base}")
    return 0 if not changed or check(changed, options.preset) else 1


if __name__ == "__main__":
    sys.exit(main())
