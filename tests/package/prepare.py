#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what tests of packages need: the packages, two roots of a bare Debian, and the image of a
container.

Both roots have what the packages depend on, by their own word; one has systemd, upon the other the
image is built.
"""
import re
import shutil
import sys
import time

import bare_debian
import image

TOP = bare_debian.TOP
TOOLS = {"mmdebstrap": "mmdebstrap", "systemd-nspawn": "systemd-container", "rpmbuild": "rpm",
         "dpkg-shlibdeps": "dpkg-dev", "lintian": "lintian", "podman": "podman", "runc": "runc"}


def build(where, top=TOP):
    """Builds the packages of some sources in a folder; what was there before is not taken for
    them."""
    for suffix in ("deb", "ddeb", "rpm"):
        for package in where.glob(f"*.{suffix}"):
            package.unlink()
    bare_debian.run("cmake", "--preset", "package", "-B", where, cwd=top)
    bare_debian.run("cmake", "--build", where, "--target", "all", "package")


def first_choices(depends):
    """The names of packages in a field Depends: of several choices the first."""
    return [re.match(r"[^ (|]+", choice.strip())[0] for choice in depends.split(",")]


def mirrors():
    """Lines of sources.list, of the Debian that this machine gets its own packages from."""
    told = bare_debian.run("apt-get", "indextargets", "--format", "$(CODENAME) $(REPO_URI)",
                           "Created-By: Packages", "Component: main", "Origin: Debian")
    lines = sorted({tuple(line.split()) for line in told.splitlines()}, key=lambda x: len(x[0]))
    return "".join(f"deb {uri} {name} main\n" for name, uri in lines), lines[0][0]


def make_root(package, tar, *more):
    """Makes a root with what the package depends on, the first choice being among `more`, unless it is
    there: of the same packages and not of another day."""
    names = [*first_choices(bare_debian.fields(package)["Depends"])[1:], *more]
    sources, codename = mirrors()
    made_of, note = f"{sources}{names} {time.strftime('%F')}", tar.with_suffix(".made_of")
    if tar.exists() and note.exists() and note.read_text() == made_of:
        return
    bare_debian.run("mmdebstrap", "--variant=minbase", f"--include={','.join(names)}", codename, tar,
                    "-", input=sources)
    note.write_text(made_of)


def main():
    missing = [package for tool, package in TOOLS.items() if not shutil.which(tool)]
    if missing:
        print(f"not installed: {', '.join(missing)}")
        sys.exit(1)
    try:
        build(bare_debian.packages())
        package, folder = bare_debian.find("pmu-exporter"), bare_debian.folder()
        make_root(package, folder / "bare.tar", "systemd", "systemd-sysv")
        make_root(package, folder / "slim.tar", "systemd-standalone-sysusers", "libcapstone4")
        image.build(package, folder / "slim.tar")
    except AssertionError as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    main()
