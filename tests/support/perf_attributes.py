# SPDX-License-Identifier: Apache-2.0
"""What perf tells the kernel of an event, as `perf stat -vv` prints it, and whether pmutool encode
says the same.

perf leaves guests out where a name has neither G nor H, and we count them: exclude_guest is compared
for those names that have one.
"""
import re

NUMBERS = ("type", "config", "config1", "config2")
EXCLUSIONS = ("exclude_user", "exclude_kernel", "exclude_hv", "exclude_idle")
OF_GUESTS = ("exclude_host", "exclude_guest")
SAYS_WHO = re.compile(r"[:/]\w*[GH]\w*$")
BLOCK = re.compile(r"^perf_event_attr:\n((?: .*\n)+)", re.MULTILINE)
# perf 6.1 writes the fields that share their place with another as { bp_addr, config1 }.
FIELD = re.compile(r"^ +(?:\{ \w+, )?(\w+)(?: \})? +(\S+)", re.MULTILINE)


def read_attributes(text):
    """The perf_event_attr that perf printed, in order, each as {field: value}: perf leaves out those
    fields that are 0."""
    return [dict(FIELD.findall(block)) for block in BLOCK.findall(text)]


def differences(event, theirs):
    """In words, where an event of `pmutool encode --json` is not the perf_event_attr of perf."""
    ours = {key: value if key == "type" or isinstance(value, bool) else int(value, 16)
            for key, value in event["attr"].items() if key != "filter"}
    perf = {key: int(theirs.get(key, "0"), 0) for key in NUMBERS}
    perf.update({key: theirs.get(key) == "1" for key in EXCLUSIONS})
    if SAYS_WHO.search(event["name"]):
        perf.update({key: theirs.get(key) == "1" for key in OF_GUESTS})
    return [f"{key}: {ours[key]}, perf {value}" for key, value in perf.items()
            if ours[key] != value]
