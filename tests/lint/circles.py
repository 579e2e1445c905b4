#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""No circles between modules, neither by what they call nor by what their headers include.

    circles.py ROOT COMPILE_COMMANDS_JSON

A module is x.c with its headers, src/FOLDER/x.h and include/FOLDER/x.h. Module A calls module B
when the object file of A refers to a symbol that the object file of B defines; thus it does not
matter in whose header the function is declared. Inline functions leave no symbol: calls of them are
found in the text. A calls B and B calls A, be it by way of others, is a circle: neither of the two
can be understood, tested or replaced without the other. So are headers that include each other.

A function that is reached by a pointer (a table of operations, a callback) is not called here: that
is a way out of a circle. A module whose source uses the types of another one's header depends on no
code of it. Each circle is printed as a shortest way round; the status is 1 if there is one.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)
INLINE = re.compile(r"^static inline\b[^;{]*?\b(\w+)\s*\([^;{]*\)\s*\{", re.M)
STATIC = re.compile(r"^static\b[^;{=]*?\b(\w+)\s*\(", re.M)
CALL = re.compile(r"\b(\w+)\s*\(")
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.S)


def module_of(root, path):
    """src/count/direct.c and include/count/direct.h are both count/direct."""
    parts = path.relative_to(root).parts[1:]
    return str(pathlib.PurePath(*parts).with_suffix(""))


def objects(root, commands):
    """{object file: module} of everything below src/ that is compiled."""
    found = {}
    for entry in json.loads(commands.read_text()):
        path = pathlib.Path(entry["file"])
        if path.is_relative_to(root / "src"):
            words = shlex.split(entry["command"])
            found[str(pathlib.Path(entry["directory"], words[words.index("-o") + 1]))] = module_of(
                root, path)
    return found


def symbols(files):
    """Two values: {symbol: the module that defines it}, and each (module, symbol that it needs)."""
    listing = subprocess.run(["nm", "-A", "-P", "-g", *files], capture_output=True, text=True,
                             check=True).stdout
    defined, needed = {}, []
    for line in listing.splitlines():
        file, name, kind = line.split()[:3]
        module = files[file.removesuffix(":")]
        if kind in "Uwv":
            needed.append((module, name))
        elif name != "main":
            defined[name] = module
    return defined, needed


def inline_functions(text):
    """{name: body} of the inline functions in a header."""
    bodies = {}
    for match in INLINE.finditer(text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        bodies[match[1]] = text[match.end():end]
    return bodies


def add_edge(edges, a, b, why):
    """Edges are {from: {to: why}}; the first reason that is found stays."""
    if a != b:
        edges.setdefault(a, {}).setdefault(b, why)


def find_calls(root, files, texts):
    """Who calls whom, as edges between modules."""
    calls = {}
    defined, needed = symbols(files)
    for module, name in needed:
        if name in defined:
            add_edge(calls, module, defined[name], f"needs {name}")
    bodies = {path: inline_functions(text) for path, text in texts.items() if path.suffix == ".h"}
    inline = {name: module_of(root, path) for path, of in bodies.items() for name in of}
    for path, text in texts.items():
        code = "".join(bodies[path].values()) if path in bodies else text
        known = inline | defined if path in bodies else inline
        for name in sorted(set(CALL.findall(code)) & set(known) - set(STATIC.findall(text))):
            add_edge(calls, module_of(root, path), known[name], f"calls {name}() of a header")
    return calls


def find_includes(root, texts):
    """Whose headers include whose, as edges between modules."""
    includes = {}
    for path in texts:
        if path.suffix == ".h":
            for name in INCLUDE.findall(path.read_text()):
                for top in ("src", "include"):
                    if (root / top / name).is_file():
                        add_edge(includes, module_of(root, path),
                                 module_of(root, root / top / name), f'includes "{name}"')
    return includes


def reachable(edges, start):
    """All modules to which edges lead from this one, be it over others."""
    found, left = set(), [start]
    while left:
        for b in edges.get(left.pop(), {}):
            if b not in found:
                found.add(b)
                left.append(b)
    return found


def find_circles(edges):
    """The sets of modules each of which reaches each other, sorted."""
    reach = {a: reachable(edges, a) for a in edges}
    circles = {frozenset(b for b in reach[a] if a in reach.get(b, ())) for a in edges
               if a in reach[a]}
    return sorted(sorted(circle) for circle in circles)


def way_round(edges, circle):
    """A shortest way from the first module of a circle back to it, a line a step."""
    start = circle[0]
    came, queue = {}, [start]
    for a in queue:
        for b in sorted(edges[a].keys() & set(circle)):
            if b not in came:
                came[b] = a
                queue.append(b)
    steps, at = [], start
    while not steps or at != start:
        steps.append(f"    {came[at]} {edges[came[at]][at]} ({at})")
        at = came[at]
    return steps[::-1]


def main(arguments):
    root, commands = (pathlib.Path(argument).resolve() for argument in arguments)
    files = objects(root, commands)
    texts = {p: COMMENT.sub(" ", p.read_text()) for top in ("src", "include")
             for p in sorted((root / top).rglob("*.[ch]"))}
    missing = [file for file in files if not pathlib.Path(file).is_file()]
    if missing or not files:
        print(f"build first: there is no {missing[0] if missing else 'source in ' + str(commands)}")
        return 1
    n_circles = 0
    for edges in (find_calls(root, files, texts), find_includes(root, texts)):
        for circle in find_circles(edges):
            n_circles += 1
            print("\n".join([f"circle: {', '.join(circle)}", *way_round(edges, circle)]))
    print(f"{len(files)} modules, {n_circles} circles")
    return 1 if n_circles else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or [".", "build/release/compile_commands.json"]))
