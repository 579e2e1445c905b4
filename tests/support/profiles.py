# SPDX-License-Identifier: Apache-2.0
"""Asks an exporter for profiles, and takes them apart into stacks.

    ask_profile(exporter, target="cgroup:/a", start=began)   # a Profile
"""
import collections
import dataclasses
import json
import urllib.parse


@dataclasses.dataclass(frozen=True)
class Frame:
    kind: str   # "user", "kernel", "jit"; "note": no function, but why the stack ends there
    owner: str
    name: str


@dataclasses.dataclass(frozen=True)
class Profile:
    samples: int
    stacks: collections.Counter  # tuple of frames from the root to the leaf -> samples
    answer: dict

    def user_stacks(self):
        """Without what the kernel did on their top, as (note or None, names): samples."""
        found = collections.Counter()
        for stack, n in self.stacks.items():
            note = stack[0].name if stack and stack[0].kind == "note" else None
            names = tuple(frame.name for frame in stack if frame.kind in ("user", "jit"))
            found[note, names] += n
        return found


def stacks_of(answer):
    nodes, functions = answer["nodes"], answer["functions"]
    frames = [Frame(*fields) for fields in zip(functions["kind"], functions["owner"],
                                               functions["name"])]
    paths, found = [], collections.Counter()
    for parent, function, own in zip(nodes["parent"], nodes["function"], nodes["self"]):
        paths.append(() if parent < 0 else paths[parent] + (frames[function],))
        if own:
            found[paths[-1]] += own
    return found


def ask_profile(exporter, nodes=100000, **arguments):
    """None where the target has no samples."""
    query = urllib.parse.urlencode({**arguments, "nodes": nodes})
    response = exporter.get(f"/api/v1/profile?{query}")
    if response.status == 404:
        return None
    if response.status != 200:
        raise AssertionError(f"status {response.status}: {response.body[:300]!r}")
    answer = json.loads(response.body)
    return Profile(answer["samples"], stacks_of(answer), answer)
