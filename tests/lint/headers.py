#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Every header compiles alone, with the flags of the build. Headers of programs in the kernel,
*.bpf.h, are left out: they are for another compiler.

    headers.py ROOT COMPILE_COMMANDS_JSON

A header is compiled with the flags of a source of its layer, so that it sees the include paths
that its layer has.
"""
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys


def flags_of_layers(root, commands):
    """{layer: (directory, compiler and flags)} from one source of each."""
    result = {}
    for entry in json.loads(commands.read_text()):
        path = pathlib.Path(entry["file"])
        if not path.is_relative_to(root / "src"):
            continue
        words = shlex.split(entry["command"])
        without = [w for w in words if w not in ("-c", entry["file"])]
        at = without.index("-o")
        del without[at:at + 2]
        result.setdefault(path.relative_to(root / "src").parts[0], (entry["directory"], without))
    return result


def compile_alone(header, directory, command):
    # no -Wunused-function: others use the static inline functions of a header
    words = command + ["-fsyntax-only", "-Wno-unused-function", "-x", "c", "-"]
    program = f'#include "{header}"\n#include "{header}"\n'
    done = subprocess.run(words, cwd=directory, input=program, text=True, capture_output=True)
    return header, done.returncode, done.stderr


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    flags = flags_of_layers(root, pathlib.Path(sys.argv[2]))
    headers = [(h, h.relative_to(root / top).parts[0]) for top in ("include", "src")
               for h in sorted((root / top).rglob("*.h")) if not h.name.endswith(".bpf.h")]
    n_bad = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(compile_alone, h, *flags[layer]) for h, layer in headers]
        for job in jobs:
            header, status, errors = job.result()
            if status != 0:
                n_bad += 1
                print(f"{header.relative_to(root)} does not compile alone:\n{errors}")
    print(f"{len(headers)} headers, {n_bad} that do not compile alone")
    return 1 if n_bad or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
