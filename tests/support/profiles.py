# SPDX-License-Identifier: Apache-2.0
"""Asks an exporter for profiles, and takes them apart into stacks; and the stacks that
support/known_stacks.c has.

    ask_profile(exporter, target="cgroup:/a", start=began)   # a Profile
"""
import collections
import dataclasses
import json
import urllib.parse

# Until functions have names: those of one file are asked for some at a time, up to half a minute
# apart where reading it takes long.
NAMES_PATIENCE = 600.0


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


OWN_CODE = {"known_stacks", "known_plugin_one.so", "known_plugin_two.so"}

# What may stand at the root of a stack of a program that was just born, or has new libraries.
NEW = {"[process too young]", "[no unwind table]", "[code not known to be mapped]",
       "[mappings have changed]"}


def sampled_hz(rate):
    """How often a CPU is sampled in a second where the configuration has this rate."""
    return rate + 0.382


def chain(*names):
    return ("main",) + names


# From main() to the leaf, for each kind of the program; what libc and the vDSO have on top of it
# is left out.
CHAINS = {
    "shares": [chain("run_shares", share, "burn") for share in ("half", "third", "fifth")],
    "large": [chain("run_large", "large_frame", "with_alloca", "burn")],
    "recursion": [chain("run_recursion", *["recurse"] * 100, "burn")],
    "signal": [chain("run_signal", "trap", "handler", "burn")],
    "tail": [chain("run_tail", "tail_callee", "burn")],
    "noreturn": [chain("run_noreturn", "call_last", "leave", "burn")],
    "threads": [("in_thread", "burn"), chain("run_threads")],
    "fork": [chain("run_fork", "in_child", "burn")],
    "plugins": [chain("run_plugins", "call_plugin", "work", f"in_plugin_{which}", "burn")
                for which in ("one", "two")],
    "vdso": [chain("run_vdso")],
}


def is_part_of(names, chains):
    """Whether these are the first functions of a stack, the program being on its way to the rest."""
    return any(whole[:len(names)] == names for whole in chains)


def is_end_of(names, chains):
    """Whether they are a piece of a stack: what was seen below a note."""
    return any(whole[at:at + len(names)] == names
               for whole in chains for at in range(len(whole) - len(names) + 1))


def own_stacks(stacks):
    """Of the program's own functions, from main() on: {(note or None, names): samples}. One that it
    has made at run time is "[jit]"."""
    found = collections.Counter()
    for stack, n in stacks.items():
        note = stack[0].name if stack[0].kind == "note" else None
        names = tuple("[jit]" if frame.kind == "jit" else frame.name for frame in stack
                      if frame.kind == "jit" or
                      frame.owner in OWN_CODE and frame.kind != "note" and frame.name != "[plt]")
        found[note, names[1:] if names[:1] == ("_start",) else names] += n
    return found
