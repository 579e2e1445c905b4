#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the history costs, beside Prometheus' TSDB with the same numbers of 20 of the targets.

Prints the bytes of a sample of both, memory and CPU time of ours; asserts nothing. PMU_TEST_SECONDS
says how much time is recorded (3600).
"""
import os
import pathlib
import shutil
import subprocess
import tempfile

BUILD = pathlib.Path(os.environ.get("PMU_BUILD", "build/release"))


def main():
    seconds = os.environ.get("PMU_TEST_SECONDS", "3600")
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        text, blocks = directory / "text", directory / "blocks"
        subprocess.run([BUILD / "bin/bench_history", directory / "state", seconds, text],
                       check=True)
        if not shutil.which("promtool"):
            print("promtool is not there: nothing to compare with")
            return
        subprocess.run(["promtool", "tsdb", "create-blocks-from", "openmetrics", text, blocks],
                       check=True, stdout=subprocess.DEVNULL)
        with text.open() as lines:
            samples = sum(1 for line in lines if not line.startswith("#"))
        size = sum(file.stat().st_size for file in blocks.rglob("*") if file.is_file())
        print(f"TSDB: samples: {samples}, bytes: {size}, bytes a sample: {size / samples:.3f}")


if __name__ == "__main__":
    main()
