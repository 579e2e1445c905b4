# SPDX-License-Identifier: Apache-2.0
"""The unit tests of modules that know events pass on every CPU: libpfm4 is made to believe in one model
after the other. The programs are given on the command line and run in the folder of their fixtures. None of
them may skip more tests than it does on the CPU of this machine."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

MODELS = ("nhm", "hsw", "skx", "clx", "icl", "icx", "spr", "amd64_fam17h_zen1",
          "amd64_fam17h_zen2", "amd64_fam19h_zen3", "amd64_fam19h_zen4")
KNOWS_MODEL = "test_event_resolver"  # it skips a test where libpfm4 does not know the CPU
OF_THE_MODEL = "suggest__knows_the_events_of_this_cpu"


def run(program, model):
    """What the program skipped, and what is wrong with it."""
    environment = {key: value for key, value in os.environ.items() if key != "LIBPFM_FORCE_PMU"}
    if model:
        environment["LIBPFM_FORCE_PMU"] = model
    done = subprocess.run([program], capture_output=True, text=True, env=environment,
                          errors="replace")
    skipped = set(re.findall(r"\[  SKIPPED \] (\w+__\w+)", done.stdout + done.stderr))
    wrong = "" if done.returncode == 0 else f"exit {done.returncode}\n{done.stderr}"
    return skipped, wrong


def judge(program, model, usual):
    skipped, wrong = run(program, model)
    name = pathlib.Path(program).name
    if name == KNOWS_MODEL and OF_THE_MODEL in skipped:
        wrong += f"libpfm4 did not take {model}\n"
    if skipped - usual:
        wrong += f"skipped there only: {', '.join(sorted(skipped - usual))}\n"
    return f"{name} on {model}: {wrong}" if wrong else ""


def main(programs):
    if os.uname().machine != "x86_64":
        print("skipped: libpfm4 has the tables of x86 only on x86")
        return 77
    assert any(pathlib.Path(program).name == KNOWS_MODEL for program in programs)
    usual = {program: run(program, None)[0] for program in programs}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [each for each in pool.map(lambda pair: judge(*pair, usual[pair[0]]),
                                           [(p, model) for p in programs for model in MODELS])
                 if each]
    print("\n".join(wrong) or f"{len(programs)} programs agree on {len(MODELS)} CPUs")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
