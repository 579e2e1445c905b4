#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The layers of the house (src/README.md): which layer may include and do what.

A layer includes itself and those before it; some headers and calls belong to one layer
only. Prints each breach as FILE:LINE: what, and exits 1 if there is one.
"""
import pathlib
import re
import sys

LAYERS = ["base", "log", "sys", "reader", "event", "count", "target", "profile", "metric", "history",
          "expose", "web", "config", "resolve", "run", "cycle", "check", "service", "client", "tool"]

# Who may write lines to the log; the others return what went wrong.
SPEAKERS = {"cycle", "service"}

# Headers that only some layers may include, by a pattern of the name between < and >.
SYSTEM_HEADERS = [
    (r"microhttpd\.h", {"web"}),
    (r"(lib)?cgroup\.h", {"sys"}),
    (r"bpf/.*|\w+\.skel\.h", {"sys"}),
    (r"perfmon/.*", {"event"}),
    (r"linux/perf_event\.h", {"sys", "event", "count"}),
    (r"sys/syscall\.h|syscall\.h|asm/unistd.*", {"sys"}),
    (r"yaml\.h", {"config"}),
    (r"(sqlite3|zstd)\.h", {"history"}),
    (r"(libdeflate|crypt)\.h|gnutls/.*", {"web"}),
    (r"jansson\.h", {"log", "target", "expose", "run", "check", "service", "client", "tool"}),
    (r"curl/.*", {"client"}),
    (r"(n?curses|ncursesw/.*|term)\.h", {"tool"}),
    (r"argp\.h", {"tool"}),
    (r"(libelf|gelf|elfutils/.*)(\.h)?", {"sys", "profile"}),
    (r"seccomp\.h", {"sys", "reader"}),
    (r"libiberty/.*", {"profile"}),
    (r"protobuf-c/.*|pprof\.pb-c\.h", {"expose"}),
    (r"pcre2\.h", {"target"}),
    (r"expat\.h", {"target"}),
    (r"systemd/sd-event\.h", {"sys", "web", "service", "tool"}),
    (r"systemd/.*", {"sys", "log", "service"}),
]

# What only some layers may do, by a pattern of their code.
DEEDS = [
    (r"\b(stderr|perror|syslog|v?warnx?|v?errx?|STDERR_FILENO|sd_journal_\w+)\b\s*[(,;)]",
     {"log", "check", "service", "tool"}, "writes to stderr"),
    (r"(?<!format\()\b(printf|puts|putchar)\s*\(|\bstdout\b",
     {"check", "service", "tool"}, "writes to stdout"),
    (r"\b(syscall\s*\(|SYS_\w+|__NR_\w+)", {"sys"}, "makes a raw system call"),
    (r"\babort\s*\(|\b_?exit\s*\(", {"tool"}, "ends the process"),
    # one decision, one place: who counts and who only shows what would be counted both ask resolve/
    (r"\b(pmu_probe_free|pmu_budget_\w+|self_test_run|mechanism_bpf_new|cgroup_nesting_read)\s*\(",
     {"event", "count", "target", "resolve"}, "decides what is counted"),
    # a run also counts events that somebody names, without a configuration
    (r"\b(event_resolve|event_groups_probe|event_groups_apply)\s*\(",
     {"event", "count", "target", "resolve", "run", "tool"}, "decides which events can be counted"),
]

# Files that may do so all the same: the children that these fork end there; an end that waits for a
# disk or a name service no longer; an example of a program.
EXEMPT = {("switch_pattern.c", "ends the process"), ("finish.c", "ends the process"),
          ("reader_process.c", "ends the process"), ("reader_worker.c", "ends the process"),
          ("rates.c", "writes to stdout"), ("rates.c", "writes to stderr")}

GENERATED = {"revision.h"}  # in the build directory

INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


def blank_comments_and_strings(text):
    """The text with blanks for comments and literals; the lines stay."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def check_include(layer, kind, name):
    """What is wrong with this include, or None."""
    if name in GENERATED:
        return None
    if kind == '"':
        first = name.split("/")[0]
        if "/" not in name or first not in LAYERS:
            return f'include "{name}" does not name the folder of a layer'
        if LAYERS.index(first) > LAYERS.index(layer):
            return f"{layer}/ includes {name}, and {first}/ comes after it"
        if name == "log/log.h" and layer not in SPEAKERS | {"log"}:
            return f"{layer}/ includes {name}: it returns what went wrong, and does not speak"
        return None
    for pattern, allowed in SYSTEM_HEADERS:
        if re.fullmatch(pattern, name):
            if layer not in allowed:
                return f"{layer}/ includes <{name}>, which belongs to {', '.join(sorted(allowed))}"
            return None
    return None


def check_text(layer, file, text):
    """Each breach in one source of this layer, as (line, what)."""
    breaches = []
    for number, line in enumerate(text.split("\n"), 1):
        match = INCLUDE.match(line)
        wrong = match and check_include(layer, *match.groups())
        if wrong:
            breaches.append((number, wrong))
    for number, line in enumerate(blank_comments_and_strings(text).split("\n"), 1):
        for pattern, allowed, deed in DEEDS:
            may = layer in allowed or (file, deed) in EXEMPT
            if not may and re.search(pattern, line):
                breaches.append((number, f"{layer}/ {deed}; only {', '.join(sorted(allowed))}/ may"))
    return breaches


def sources_of_layer(root, layer):
    for folder in (root / "include" / layer, root / "src" / layer):
        yield from sorted(p for p in folder.rglob("*") if p.suffix in (".c", ".h"))


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    unknown = [d for top in ("src", "include") for d in (root / top).iterdir()
               if d.is_dir() and d.name not in LAYERS and any(d.rglob("*.[ch]"))]
    n_breaches = len(unknown)
    for folder in unknown:
        print(f"{folder}: no layer of this name")
    n_files = 0
    for layer in LAYERS:
        for path in sources_of_layer(root, layer):
            n_files += 1
            for line, wrong in check_text(layer, path.name, path.read_text()):
                n_breaches += 1
                print(f"{path.relative_to(root)}:{line}: {wrong}")
    print(f"{n_files} files, {n_breaches} breaches")
    return 1 if n_breaches or not n_files else 0


if __name__ == "__main__":
    sys.exit(main())
