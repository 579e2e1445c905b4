#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The man pages say what the program takes.

    man_pages.py ROOT PMU_EXPORTER PMUTOOL

Every flag of --help stands in pmu_exporter(8) and no other does, and so does every
metric that the exporter has of itself, and how stacks and files of profiles end;
every key of the configuration's tables stands in pmu_exporter.yml(5). Every command
of pmutool and each of its options stands in pmutool(1), and no other option does; so
does every state of a run.
"""
import pathlib
import re
import subprocess
import sys


def flags_of_help(program):
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"^ +(?:-h, )?--([a-z.-]+)", text, re.M))


def flags_of_page(page):
    return set(re.findall(r"^\.It Fl -([a-z.-]+)", page, re.M))


def keys_of_tables(source):
    return set(re.findall(r'\.name = "([a-z_]+)"', source))


def keys_of_page(page):
    words = set(re.findall(r"^\.It Cm (.+)$", page, re.M))
    sections = set(re.findall(r"^\.Ss (.+)$", page, re.M))
    return {word for line in words for word in line.split(" , ")} | {
        part for section in sections for part in section.split(".")}


def own_metrics(source):
    return set(re.findall(r'"(pmu_exporter_[a-z_]+)"', source))


def commands_of_tool(program):
    """The commands that --help lists: lines of two spaces, words, and what the command takes."""
    text = subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout
    listed = text.partition("Commands:\n")[2].partition("\n\n")[0]
    return set(re.findall(r"^  ([a-z]+(?: [a-z-]+(?= +[A-Z]))?)(?= )", listed, re.M))


def options_of_tool(program):
    options = set()
    for command in commands_of_tool(program) | {""}:
        text = subprocess.run([program, *command.split(), "--help"], capture_output=True, text=True,
                              check=True).stdout
        options |= set(re.findall(r"^ +(?:-[a-zA-Z], )?--([a-z.-]+)", text, re.M))
    return options


def options_of_tools_page(page):
    return {option for line in re.findall(r"^\.It (Fl .*)$", page, re.M)
            for option in re.findall(r" -([a-z][a-z.-]+)", line)}


def states_of_runs(source):
    table = re.search(r"state_names\[\] = \{(.*?)\};", source, re.S).group(1)
    return set(re.findall(r'\[RUN_[A-Z_]+\] = "([a-z_]+)"', table))


def outcomes_of_profiles(root):
    """How stacks could be unwound, and files read."""
    return {name for file in ("profile/sampler.c", "reader/object_outcome.c") for name in re.findall(
        r'\[(?:PROFILE|OBJECT)_[A-Z_]+\] = "([a-z_]+)"', (root / "src" / file).read_text())}


def check_tool(program, page):
    """Returns whether something is wrong."""
    commands, options = commands_of_tool(program), options_of_tool(program)
    described = set(re.findall(r"^\.It Cm ([a-z]+(?: [a-z-]+)?)", page, re.M))
    print(f"{len(commands)} commands of pmutool, {len(options)} options")
    wrong = complain("command that pmutool(1) lacks", commands - described)
    wrong |= complain("option that pmutool(1) lacks", options - options_of_tools_page(page))
    wrong |= complain("option that pmutool does not take", options_of_tools_page(page) - options)
    return wrong or not commands or not options


def complain(what, names):
    for name in sorted(names):
        print(f"{what}: {name}")
    return bool(names)


def main():
    root = pathlib.Path(sys.argv[1])
    page = (root / "src/man/pmu_exporter.8").read_text()
    given, written = flags_of_help(sys.argv[2]), flags_of_page(page)
    keys = {key for name in ("config_schema.c", "config_schema_targets.c")
            for key in keys_of_tables((root / "src/config" / name).read_text())}
    described = keys_of_page((root / "src/man/pmu_exporter.yml.5").read_text())
    metrics = {metric for name in ("own_families.c", "own_labelled.c")
               for metric in own_metrics((root / "src/expose" / name).read_text())}
    shown = set(re.findall(r"pmu_exporter_[a-z_]+", page))
    outcomes = outcomes_of_profiles(root)
    print(f"{len(given)} flags, {len(keys)} keys, {len(metrics)} metrics")
    wrong = complain("flag that pmu_exporter(8) lacks", given - written)
    wrong |= complain("flag that pmu_exporter does not take", written - given)
    wrong |= complain("key that pmu_exporter.yml(5) lacks", keys - described)
    web_keys = keys_of_tables((root / "src/config/web_config_schema.c").read_text())
    web_described = keys_of_page((root / "src/man/pmu_exporter.web.yml.5").read_text())
    wrong |= complain("key that pmu_exporter.web.yml(5) lacks", web_keys - web_described)
    wrong |= complain("metric that pmu_exporter(8) lacks", metrics - shown)
    wrong |= complain("outcome that pmu_exporter(8) lacks", outcomes - keys_of_page(page))
    tools_page = (root / "src/man/pmutool.1").read_text()
    wrong |= check_tool(sys.argv[3], tools_page)
    states = states_of_runs((root / "src/run/recording.c").read_text())
    wrong |= complain("state of a run that pmutool(1) lacks", states - keys_of_page(tools_page))
    return 1 if wrong or not given or not keys or not metrics or not states or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
